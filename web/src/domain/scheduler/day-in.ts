import { dayOf } from '@portico/domain/scheduler/cron-times'

/** M/d/yyyy of the start or the end of a cron, in its zone; empty if there is none. */
export function dayIn(text: string | null, zone: string): string {
  if (text === null || text === '') return ''
  const [year, month, day] = dayOf(text, zone).split('-').map(Number)
  return `${month}/${day}/${year}`
}
