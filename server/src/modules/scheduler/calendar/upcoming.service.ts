import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { maxDueTimes, tooManyRuns } from '@portico/domain/scheduler/cron-times'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { dueTimesUntil } from '../crons/cron-timing.ts'
import { selectNow } from '../crons/crons.queries.ts'
import { type RunFilter, selectMadeAhead, selectUpcomingCrons, type UpcomingCron } from './schedules.queries.ts'

/** A run that is not stored yet. */
export type UpcomingRun = { cron: UpcomingCron; dueAt: Date }

type Range = Pick<RunFilter, 'consumer' | 'cronId' | 'from'> & {
  to: Date
  /** Name of the field to report when there are too many. */
  field: string
}

/** The upcoming due times of a cron. */
export type UpcomingTimes = {
  cron: UpcomingCron
  /** Ascending. Crons with the same timing share one array. */
  times: readonly number[]
  /** Due times that already have a stored run. */
  made: ReadonlySet<number>
}

/**
 * Returns the upcoming runs of active crons, from now or a later moment, by due time. They are computed, not stored.
 * @throws too_many_runs for more than 10,000
 */
export async function listUpcomingRuns(db: Db, account: AccountId, range: Range): Promise<UpcomingRun[]> {
  const runs: UpcomingRun[] = []
  let count = 0
  for await (const { cron, times, made } of upcomingTimes(db, account, range, maxDueTimes)) {
    count += times.length
    if (count > maxDueTimes) throw tooMany(range, maxDueTimes)
    for (const time of times) if (!made.has(time)) runs.push({ cron, dueAt: new Date(time) })
  }
  return runs.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime())
}

function tooMany({ field }: Range, most: number): AppError {
  const message = tooManyRuns(most)
  return new AppError('too_many_runs', [{ field, message }], `${field}: ${message}`)
}

/** Due times computed before other requests get their turn. */
const computedAtOnce = 5000

/**
 * Yields the upcoming due times of each active cron, by its name, from now or a later moment.
 * @throws too_many_runs if more than `most` have to be computed
 */
export async function* upcomingTimes(
  db: Db,
  account: AccountId,
  range: Range,
  most: number,
): AsyncGenerator<UpcomingTimes> {
  const now = await selectNow(db)
  const from = Math.max(now.getTime(), range.from?.getTime() ?? 0)
  const to = range.to.getTime()
  if (to <= from) return
  const [crons, madeAhead] = [await selectUpcomingCrons(db, account, range), await selectMadeAhead(db, account, range)]
  const made = new Map<string, Set<number>>()
  for (const { cron_id: id, due_at: dueAt } of madeAhead) {
    made.set(id, (made.get(id) ?? new Set()).add(dueAt.getTime()))
  }
  // Many crons have the same times, which take far longer to compute than to copy.
  const known = new Map<string, number[]>()
  let [computed, turn] = [0, 0]
  for (const cron of crons) {
    const key = timingKey(cron)
    const times = known.get(key) ?? timesOf(cron, { from, to, most })
    if (times === null) throw tooMany(range, most)
    if (!known.has(key)) {
      known.set(key, times)
      computed += times.length
      turn += times.length
    }
    if (computed > most) throw tooMany(range, most)
    if (turn > computedAtOnce) {
      turn = 0
      await nextTurn()
    }
    yield { cron, times, made: made.get(cron.id) ?? none }
  }
}

const none: ReadonlySet<number> = new Set()

/** The timing that determines the due times from the next one on. */
const timingKey = ({ expression, zone, ends, repeats, next_due_at: next, last_due_at: last }: UpcomingCron): string =>
  `${expression} ${zone} ${next.getTime()} ${ends} ${repeats === null ? '' : last?.getTime()}`

/** Returns the due times of a cron in a range; null for more than `most`. */
function timesOf(cron: UpcomingCron, { from, to, most }: { from: number; to: number; most: number }): number[] | null {
  const first = cron.next_due_at.getTime()
  const { times, next } = dueTimesUntil(cron, Math.max(first, from - 1), to - 1, most)
  if (next !== null && next < to) return null
  return first >= from && first < to ? [first, ...times] : times
}
