import { setTimeout as sleep } from 'node:timers/promises'
import { type EmailDeps, emailAboutRuns } from './cron-email.service.ts'
import { deleteOldRuns } from './due.queries.ts'
import { takeUpDueCrons } from './due-runs.service.ts'
import { type RunDeps, startNextRun } from './run-start.service.ts'
import { followZoneRules } from './zone-rules.service.ts'
import { settleRuns } from './settle.service.ts'

type LoopDeps = RunDeps & EmailDeps

/** Pause between two looks at what is due. */
const pauseMs = 1000
/** Runs that one process starts at the same time. */
const startsAtOnce = 3
const settleEveryMs = 10_000
const cleanEveryMs = 3600_000
/** Another worker may have other time zone data. */
const followRulesEveryMs = 3600_000
/** Days that runs are kept. */
const keptDays = 400
const deletedAtOnce = 10_000

/**
 * Runs the scheduler until `signal` is aborted: takes up crons that are due, starts their runs, and settles what has ended.
 * Any number of processes may do so at once. A database that is away only delays it.
 */
export async function runScheduler(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  const isTime = clock()
  while (!signal.aborted) {
    try {
      if (isTime('rules', followRulesEveryMs)) await followRules(deps, signal)
      await workOnce(deps, signal)
      if (isTime('settle', settleEveryMs)) await settle(deps, signal)
      if (isTime('clean', cleanEveryMs)) await deleteOld(deps, signal)
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ err: error }, 'the scheduler tries again')
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}

/** Takes up all that is due, and starts all that is ready. */
async function workOnce(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await takeUpDueCrons(deps.database)) > 0);
  const start = async (): Promise<void> => {
    while (!signal.aborted && (await startNextRun(deps)));
  }
  await Promise.all(Array.from({ length: startsAtOnce }, start))
}

async function followRules({ database }: LoopDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await followZoneRules(database)) > 0);
}

async function settle(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  await settleRuns(deps.database, deps.consumers)
  while (!signal.aborted && (await emailAboutRuns(deps)));
}

async function deleteOld({ database }: LoopDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await deleteOldRuns(database.db, keptDays, deletedAtOnce)) === deletedAtOnce);
}

/** Tells whether it is time for regular work again. */
function clock(): (work: string, everyMs: number) => boolean {
  const last = new Map<string, number>()
  return (work, everyMs) => {
    const now = performance.now()
    if (now - (last.get(work) ?? Number.NEGATIVE_INFINITY) < everyMs) return false
    last.set(work, now)
    return true
  }
}
