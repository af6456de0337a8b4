import { Loader, Switch } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { useExportSettings, useSaveExportSettings } from './configuration-queries.ts'

/** How files of exports are written. A change is saved at once. */
export function ExportSettingsPanel() {
  const settings = useExportSettings()
  const save = useSaveExportSettings()
  const change = (guardFormulas: boolean): void =>
    save.mutate(
      { guardFormulas },
      {
        onSuccess: () => notifyDone('The configuration was updated.'),
        onError: (error) => notifyError(messageOf(error)),
      },
    )
  return (
    <Panel title="Exports" description="How files are written from now on. Saved as soon as it is changed.">
      {settings.isError && <FailureState message={messageOf(settings.error)} onRetry={() => void settings.refetch()} />}
      {settings.isPending && <Loader size={22} aria-label="Loading how exports are written" />}
      {settings.data && (
        <Switch
          label="Guard against formulas"
          aria-label="Guard against formulas"
          description="Text that begins with = + - or @ gets an apostrophe before it, so that no spreadsheet runs it. Turn this off where programs read the files."
          checked={save.isPending ? save.variables.guardFormulas : settings.data.guardFormulas}
          disabled={save.isPending}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      )}
    </Panel>
  )
}
