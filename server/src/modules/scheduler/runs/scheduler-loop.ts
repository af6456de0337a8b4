import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { isDatabaseAway } from '#platform/database.ts'
import { firstTurn } from './account-turns.ts'
import { type EmailDeps, emailAboutRuns } from './cron-email.service.ts'
import { deleteOldRuns } from './due.queries.ts'
import { takeUpDueCrons } from './due-runs.service.ts'
import { LeftOut } from './left-out.ts'
import { type RunDeps, startNextRun } from './run-start.service.ts'
import { followZoneRules } from './zone-rules.service.ts'
import { settleRuns } from './settle.service.ts'

type LoopDeps = RunDeps & EmailDeps

/** Pause between two checks for due work. */
const pauseMs = 1000
/** Runs that one process starts at the same time. */
const startsAtOnce = 3
/**
 * After this time, a process checks for all kinds of work again: a long queue of one kind or one account holds up no
 * other.
 */
const stretchMs = 1000
const settleEveryMs = 10_000
const cleanEveryMs = 3600_000
/** Repeated, as another worker may have other time zone data. */
const followRulesEveryMs = 3600_000
/** Days for which runs are kept. */
const keptDays = 400
const deletedAtOnce = 10_000

/**
 * Runs the scheduler until `signal` is aborted: takes up crons that are due, starts their runs, and settles what has ended.
 * Any number of processes may do so at once. A database that is away only delays it. A kind of work that fails keeps none of
 * the others from going on.
 */
export async function runScheduler(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  const work = workOf(deps, signal)
  while (!signal.aborted) {
    const isMore = await round(deps, work, signal)
    if (!isMore) await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}

/** A kind of work: does a part of it, and returns whether there may be more. */
type Work = () => Promise<boolean>

/** All that a process does, in the order of a round. */
function workOf(deps: LoopDeps, signal: AbortSignal): Work[] {
  const { database, consumers, log } = deps
  const [starts, emails] = [firstTurn(), firstTurn()]
  const outdated = new LeftOut<string>(log, 'due times of a cron were not computed again')
  const due = new LeftOut<string>(log, 'a cron was not taken up')
  const unsettled = new LeftOut<AccountId>(log, 'runs of an account were not settled')
  const untold = new LeftOut<AccountId>(log, 'runs of an account were not emailed about')
  const followRules: Work = async () => (await followZoneRules(database, outdated)) > 0
  const deleteOld: Work = async () => (await deleteOldRuns(database.db, keptDays, deletedAtOnce)) === deletedAtOnce
  const start: Work = async () => {
    const starting = Array.from({ length: startsAtOnce }, () => aStretch(signal, () => startNextRun(deps, starts)))
    // None goes on into the next round, also where another one fails.
    await Promise.allSettled(starting)
    return (await Promise.all(starting)).includes(true)
  }
  const settle: Work = async () => {
    await settleRuns(database, consumers, unsettled)
    return false
  }
  return [
    every(followRulesEveryMs, () => aStretch(signal, followRules)),
    // One batch, however many there are: what has become due before starts before the next.
    async () => (await takeUpDueCrons(database, due)) > 0,
    start,
    every(settleEveryMs, settle),
    every(settleEveryMs, () => aStretch(signal, () => emailAboutRuns(deps, emails, untold))),
    every(cleanEveryMs, () => aStretch(signal, deleteOld)),
  ]
}

/** Does a part of each kind of work. Returns whether there may be more of any. */
async function round({ log }: LoopDeps, work: readonly Work[], signal: AbortSignal): Promise<boolean> {
  let isMore = false
  for (const each of work) {
    if (signal.aborted) return false
    try {
      isMore = (await each()) || isMore
    } catch (error) {
      if (signal.aborted) return false
      log.warn({ err: error }, 'the scheduler tries again')
      // All others would wait for it, too.
      if (isDatabaseAway(error)) return false
    }
  }
  return isMore
}

/** Repeats `step` while it has something to do, but not for long. Returns whether there may be more. */
async function aStretch(signal: AbortSignal, step: Work): Promise<boolean> {
  const until = performance.now() + stretchMs
  while (!signal.aborted && performance.now() < until) if (!(await step())) return false
  return true
}

/** Regular work: begins at once and then every `everyMs`, and goes on in each round while there is more. */
function every(everyMs: number, work: Work): Work {
  let last = Number.NEGATIVE_INFINITY
  let isMore = false
  return async () => {
    const now = performance.now()
    if (!isMore && now - last < everyMs) return false
    if (!isMore) last = now
    isMore = false
    isMore = await work()
    return isMore
  }
}
