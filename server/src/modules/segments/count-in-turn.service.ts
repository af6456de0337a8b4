import type { AccountId } from '@portico/contract/accounts'
import { errors } from '@portico/contract/errors'
import { countedDays } from '@portico/contract/segments'
import { addDays, type Day } from '@portico/domain/days'
import { expandPredefined } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import { listSavedFilters, findSaved } from '#saved-filters'
import { openContactReader } from '#search'
import { deleteOldCounts, insertCounts, type NightlyCount, selectCounted, selectLastCounts } from './counts.queries.ts'
import { deleteNightsBefore } from './nights.queries.ts'
import { choosingStages, naming } from './segment-stages.ts'

/** The limits of the time for counts, in milliseconds. A single count takes at most 30 seconds. */
export type CountLimits = {
  /** The time after which a job begins no further count, and gives its place away. */
  ofJob: number
  /** The time after which no further count of the account begins in a night. */
  ofNight: number
}

/** So a job has its place for a minute at most. */
const countLimits: CountLimits = { ofJob: 30_000, ofNight: 10 * 60_000 }

/** The reason of a segment that is left out for the night. */
const noTimeLeft = 'The other segments of the account took all of the time for counts that night.'

/** Earlier nights by which the order of segments is chosen. */
const rememberedNights = 7

/**
 * Counts segments that have no count of a night yet, those that may be slow last, until the time of the job is over; at
 * least one. When the time of the night is over, the rest get the reason instead of a count. Returns the time spent, in
 * this job and earlier ones, and whether all are done; old counts are removed then.
 * @throws JobInterrupted when the worker stops
 */
export async function countInTurn(
  db: Db,
  account: AccountId,
  night: Day,
  { signal, spentMs = 0, limits = countLimits }: { signal: AbortSignal; spentMs?: number; limits?: CountLimits },
): Promise<{ isDone: boolean; spentMs: number }> {
  const began = performance.now()
  const inJobMs = (): number => performance.now() - began
  const ids = (await listSavedFilters(db, account)).map(({ _id: id }) => id)
  const counted = await selectCounted(db, account, night)
  const left = await inOrder(
    db,
    account,
    ids.filter((id) => !counted.has(id)),
    night,
  )
  for (const [at, id] of left.entries()) {
    if (signal.aborted) throw new JobInterrupted()
    if (spentMs + inJobMs() >= limits.ofNight) {
      const rest = left.slice(at).map((each) => ({ filterId: each, night, contacts: null, reason: noTimeLeft }))
      await insertCounts(db, account, rest, new Date())
      break
    }
    if (at > 0 && inJobMs() >= limits.ofJob) return { isDone: false, spentMs: spentMs + inJobMs() }
    const count = await countOne(db, account, id, signal)
    await insertCounts(db, account, [{ filterId: id, night, ...count }], new Date())
  }
  const before = addDays(night, -countedDays)
  await deleteOldCounts(db, account, { before, seen: ids })
  await deleteNightsBefore(db, account, before)
  return { isDone: true, spentMs: spentMs + inJobMs() }
}

/** Sorts segments: first those that were counted last time, last those that took too long. */
async function inOrder(db: Db, account: AccountId, ids: readonly string[], night: Day): Promise<string[]> {
  const since = addDays(night, -rememberedNights)
  const last = await selectLastCounts(db, account, { since, night, except: noTimeLeft })
  const known = new Map(last.map((count) => [count.filterId, count]))
  const rank = (id: string): number => {
    const count = known.get(id)
    if (!count) return 1
    if (count.contacts !== null) return 0
    return count.reason === errors.timed_out.text ? 2 : 1
  }
  return ids.toSorted((one, other) => rank(one) - rank(other))
}

/** The count, or why there is none: a field or another filter that no longer exists, or too long a search. */
async function countOne(
  db: Db,
  account: AccountId,
  id: string,
  signal: AbortSignal,
): Promise<Pick<NightlyCount, 'contacts' | 'reason'>> {
  try {
    const expanded = await expandPredefined(naming(id), findSaved(db, account))
    const contacts = await openContactReader({ db, signal, rows: null }, account).count(choosingStages(expanded))
    return { contacts, reason: null }
  } catch (error) {
    if (!(error instanceof AppError) || signal.aborted) throw error
    return { contacts: null, reason: error.message }
  }
}
