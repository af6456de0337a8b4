import { setTimeout as sleep } from 'node:timers/promises'
import { type AccountTurns, firstTurn } from './account-turns.ts'
import { type EmailDeps, emailAboutRuns } from './cron-email.service.ts'
import { deleteOldRuns } from './due.queries.ts'
import { takeUpDueCrons } from './due-runs.service.ts'
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
 * Runs the scheduler until `signal` is aborted: processes due crons, starts their runs, and settles ended ones. Any
 * number of processes may do this at once. A database that is away only delays it.
 */
export async function runScheduler(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  const isTime = clock()
  const work = { starts: firstTurn(), emails: firstTurn(), isMoreToTell: false }
  while (!signal.aborted) {
    let isMore = false
    try {
      if (isTime('rules', followRulesEveryMs)) await followRules(deps, signal)
      isMore = await workOnce(deps, work, signal)
      if (isTime('settle', settleEveryMs)) {
        await settleRuns(deps.database, deps.consumers)
        work.isMoreToTell = true
      }
      if (work.isMoreToTell) work.isMoreToTell = await aStretch(signal, () => emailAboutRuns(deps, work.emails))
      if (isTime('clean', cleanEveryMs)) await deleteOld(deps, signal)
    } catch (error) {
      isMore = work.isMoreToTell = false
      if (!signal.aborted) deps.log.warn({ err: error }, 'the scheduler tries again')
    }
    if (!isMore && !work.isMoreToTell) await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}

type Work = { starts: AccountTurns; emails: AccountTurns; isMoreToTell: boolean }

/** Processes due crons and starts ready runs. Returns whether there may be more of either. */
async function workOnce(deps: LoopDeps, { starts }: Work, signal: AbortSignal): Promise<boolean> {
  const isMoreDue = (await takeUpDueCrons(deps.database)) > 0
  const starting = Array.from({ length: startsAtOnce }, () => aStretch(signal, () => startNextRun(deps, starts)))
  return (await Promise.all(starting)).includes(true) || isMoreDue
}

/** Repeats `step` while it has work, but not for long. Returns whether there may be more. */
async function aStretch(signal: AbortSignal, step: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + stretchMs
  while (!signal.aborted && performance.now() < until) if (!(await step())) return false
  return true
}

async function followRules({ database }: LoopDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await followZoneRules(database)) > 0);
}

async function deleteOld({ database }: LoopDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await deleteOldRuns(database.db, keptDays, deletedAtOnce)) === deletedAtOnce);
}

/** Returns a function that tells whether it is time for regular work again. */
function clock(): (work: string, everyMs: number) => boolean {
  const last = new Map<string, number>()
  return (work, everyMs) => {
    const now = performance.now()
    if (now - (last.get(work) ?? Number.NEGATIVE_INFINITY) < everyMs) return false
    last.set(work, now)
    return true
  }
}
