import { askForFeature } from '#lib/session/may-call.ts'
import { useCan } from '#lib/session/session.ts'

/** Why the buttons Schedule and Manage Schedules do nothing for this user; null where they work. */
export function useScheduling(): { whyNotSchedule: string | null; whyNotManage: string | null } {
  const [mayCreate, mayView] = [useCan('scheduler-crons-create'), useCan('scheduler-crons-list')]
  return { whyNotSchedule: mayCreate ? null : askForFeature, whyNotManage: mayView ? null : askForFeature }
}
