import { useFilterSettings, useSaveFilterSettings } from './configuration-queries.ts'
import { SwitchPanel } from './switch-panel.tsx'

/** The account's rules for building filters. */
export function FilterSettingsPanel() {
  return (
    <SwitchPanel
      title="Filters"
      description="Rules for the filters of searches and exports. Changes are saved immediately."
      name="onlyIndexedFields"
      label="Only indexed fields"
      effect="Requires an index for every field in a standard filter. If off, filters on other fields run too, but can be slow in large accounts."
      settings={useFilterSettings()}
      save={useSaveFilterSettings()}
    />
  )
}
