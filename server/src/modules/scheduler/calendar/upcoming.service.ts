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
  for (const cron of crons) {
    for (const time of upcomingTimes(cron, from, to, maxDueTimes - runs.length, range.field)) {
      if (!isMade.has(`${cron.id} ${time}`)) runs.push({ cron, dueAt: new Date(time) })
    }
  }
  return runs.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime())
}

/** The due times of a cron in a range, at most `room`. */
function upcomingTimes(cron: UpcomingCron, from: number, to: number, room: number, field: string): number[] {
  const first = cron.next_due_at.getTime()
  const { times, next } = dueTimesUntil(cron, Math.max(first, from - 1), to - 1, room)
  const within = first >= from && first < to ? [first, ...times] : times
  if ((next !== null && next < to) || within.length > room) throw invalidField(field, tooManyDueTimes)
  return within
}
