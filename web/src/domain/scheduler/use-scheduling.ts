import { useSearchParams } from 'react-router'
import { useWhyNot } from '#lib/session/may-call.ts'
import { useCan } from '#lib/session/session.ts'

/** Why the buttons Schedule and Manage Schedules are disabled for this user; null if they work. */
export function useScheduling(): { whyNotSchedule: string | null; whyNotManage: string | null } {
  const [mayCreate, mayView] = [useCan('scheduler-crons-create'), useCan('scheduler-crons-list')]
  const whyNot = useWhyNot()
  return { whyNotSchedule: mayCreate ? null : whyNot, whyNotManage: mayView ? null : whyNot }
}

const parameter = 'schedules'
const runParameter = 'run'

/** The run whose card a link opens, by its id; `close` removes it from the address. */
export function useLinkedRun(): { id: string | null; close: () => void } {
  const [params, setParams] = useSearchParams()
  const close = (): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete(runParameter)
        return next
      },
      { replace: true },
    )
  return { id: params.get(runParameter), close }
}

/** Whether the dialog of crons and runs is open. Links in emails and notifications open it by the address. */
export function useManagedSchedules(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [params, setParams] = useSearchParams()
  const setOpen = (isOpen: boolean): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (isOpen) next.set(parameter, '1')
        else next.delete(parameter)
        if (!isOpen) next.delete(runParameter)
        return next
      },
      { replace: true },
    )
  return [params.has(parameter), setOpen]
}
