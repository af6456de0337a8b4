import { useExportSettings, useSaveExportSettings } from './configuration-queries.ts'
import { SwitchPanel } from './switch-panel.tsx'

/** Settings for how export files are written. */
export function ExportSettingsPanel() {
  return (
    <SwitchPanel
      title="Exports"
      description="How export files are written from now on. Changes are saved immediately."
      name="guardFormulas"
      label="Guard against formulas"
      effect="In files with commas or semicolons, adds an apostrophe before text that a spreadsheet would compute, such as =1+1. An import takes it off again. Turn this off if programs read the files."
      settings={useExportSettings()}
      save={useSaveExportSettings()}
    />
  )
}
