import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import { Loader, Switch } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'

type SwitchPanelProps<Name extends string> = {
  title: string
  description: string
  /** The setting that the switch turns on. */
  name: Name
  label: string
  effect: string
  settings: UseQueryResult<Record<Name, boolean>>
  save: UseMutationResult<unknown, Error, Record<Name, boolean>>
}

/** A panel with one switch. A change is saved at once. */
export function SwitchPanel<Name extends string>(props: SwitchPanelProps<Name>) {
  const { title, description, name, label, effect, settings, save } = props
  const change = (isOn: boolean): void =>
    // The body consists of this setting alone.
    save.mutate({ [name]: isOn } as Record<Name, boolean>, {
      onSuccess: () => notifyDone('The configuration was updated.'),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <Panel title={title} description={description}>
      {settings.isError && <FailureState message={messageOf(settings.error)} onRetry={() => void settings.refetch()} />}
      {settings.isPending && <Loader size={22} aria-label={`Loading the settings of ${title.toLowerCase()}`} />}
      {settings.data && (
        <Switch
          label={label}
          aria-label={label}
          description={effect}
          checked={save.isPending ? save.variables[name] : settings.data[name]}
          disabled={save.isPending}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      )}
    </Panel>
  )
}
