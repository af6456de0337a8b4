import { type CronTiming, dueTimeAgain } from '@portico/domain/scheduler/cron-times'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { firstDueTimes, nextDueColumns, timingOf, zoneRules } from '../crons/cron-timing.ts'
import { updateCronRow } from '../crons/crons.queries.ts'
import type { LeftOut } from './left-out.ts'
import { lockOutdatedCrons, type OutdatedCron, selectRunsAhead, updateDueTimes } from './zone-rules.queries.ts'

/** Crons updated in one transaction. */
const batchSize = 100

/**
 * Computes the due times of crons again that were stored with earlier time zone data: a law may have moved the clocks of
 * their zones since. A due time stays the same time on the clock, and the same number in a cron's count of repeats. A cron
 * for which this fails keeps its due times, and is in the way of no other.
 * @returns how many crons there were
 */
export async function followZoneRules({ db }: Database, leftOut: LeftOut<string>): Promise<number> {
  return inTransaction(db, async (tx) => {
    const crons = await lockOutdatedCrons(tx, zoneRules, batchSize, leftOut.ids())
    for (const cron of crons) await leftOut.try(cron.id, () => inSavepoint(tx, () => follow(tx, cron)))
    return crons.length
  })
}

async function follow(tx: Db, cron: OutdatedCron): Promise<void> {
  const { id, account_id: account, repeats, next_sequence: sequence } = cron
  const timing: CronTiming = { ...timingOf(cron), cronRepeat: null }
  const next = nextOf(cron, timing)
  const timesFromNext = (count: number): number[] => firstDueTimes(timing, next - 1, count)
  if (next !== cron.next_due_at.getTime()) {
    const runs = await selectRunsAhead(tx, account, id, sequence)
    const times = timesFromNext(Math.max(...runs.map((run) => run.sequence)) - sequence + 1)
    const moved = runs.flatMap((run) => {
      const time = times[run.sequence - sequence]
      return time === undefined ? [] : [{ id: run.id, due_at: new Date(time) }]
    })
    await updateDueTimes(tx, account, moved)
  }
  const last = repeats === null ? undefined : timesFromNext(repeats - sequence + 1).at(-1)
  await updateCronRow(tx, account, id, {
    ...nextDueColumns(timing, next),
    ...(last !== undefined && { last_due_at: new Date(last) }),
  })
}

/** Returns the next due time by the present rules. If only the moment is known, it is unchanged. */
function nextOf(
  { next_due_at: dueAt, next_clock_time: clockTime, previous_due_at: previous }: OutdatedCron,
  timing: CronTiming,
): number {
  const moment = dueAt.getTime()
  if (clockTime === null) return moment
  return dueTimeAgain(timing, { moment, clockTime: clockTime.getTime(), previous: previous?.getTime() ?? 0 })
}
