import type { AccountId } from '@portico/contract/accounts'
import { maxDueTimes, tooManyDueTimes } from '@portico/contract/scheduler/cron-times'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { dueTimesUntil } from '../crons/cron-timing.ts'
import { selectNow } from '../crons/crons.queries.ts'
import { type RunFilter, selectMadeAhead, selectUpcomingCrons, type UpcomingCron } from './schedules.queries.ts'

/** A run that is not made yet. */
export type UpcomingRun = { cron: UpcomingCron; dueAt: Date }

type Range = Pick<RunFilter, 'consumer' | 'cronId' | 'from'> & {
  to: Date
  /** Name of the field that is at fault when there are too many. */
  field: string
}

/**
 * The runs to come of active crons from now, or from a later moment, by due time. Computed: nothing is stored of them.
 * @throws invalid_input for more than 10,000
 */
export async function listUpcomingRuns(db: Db, account: AccountId, range: Range): Promise<UpcomingRun[]> {
  const now = await selectNow(db)
  const from = Math.max(now.getTime(), range.from?.getTime() ?? 0)
  const to = range.to.getTime()
  if (to <= from) return []
  const [crons, made] = [await selectUpcomingCrons(db, account, range), await selectMadeAhead(db, account, range)]
  const isMade = new Set(made.map(({ cron_id: id, due_at: dueAt }) => `${id} ${dueAt.getTime()}`))
  const runs: UpcomingRun[] = []
  // Many crons run at the same times, which take far longer to compute than to copy.
  const known = new Map<string, number[]>()
  for (const cron of crons) {
    const key = sharedTiming(cron)
    const times = known.get(key) ?? upcomingTimes(cron, from, to, range.field)
    known.set(key, times)
    if (runs.length + times.length > maxDueTimes) throw invalidField(range.field, tooManyDueTimes)
    for (const time of times) {
      if (!isMade.has(`${cron.id} ${time}`)) runs.push({ cron, dueAt: new Date(time) })
    }
  }
  return runs.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime())
}

/** The timing that decides the due times from the next one on. A number of repeats counts from the start of each cron. */
function sharedTiming({ id, expression, zone, ends, repeats, next_due_at: next }: UpcomingCron): string {
  return repeats === null ? JSON.stringify([expression, zone, ends, next.getTime()]) : id
}

/** The due times of a cron in a range. */
function upcomingTimes(cron: UpcomingCron, from: number, to: number, field: string): number[] {
  const first = cron.next_due_at.getTime()
  const { times, next } = dueTimesUntil(cron, Math.max(first, from - 1), to - 1, maxDueTimes)
  if (next !== null && next < to) throw invalidField(field, tooManyDueTimes)
  return first >= from && first < to ? [first, ...times] : times
}
