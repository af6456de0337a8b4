import { offsetWindow } from '@portico/domain/scheduler/offset-window'
import { wallTimeOf } from '@portico/domain/scheduler/zone-offsets'
import { AppError } from '#platform/app-error.ts'
import { type Database, type Db, inTransaction } from '#platform/database.ts'
import { hasNoRecoveryLeft, noRecoveryLeftReason, retryPauseMs, systemFailureReason } from '#platform/jobs/job-runs.ts'
import type { Logger } from '#platform/log.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { type Secrets, SecretUnreadable } from '#platform/secrets.ts'
import type { Consumers, StartedRun } from '../consumers.ts'
import { openCronSecrets } from '../crons/cron-secrets.ts'
import { consumerOf, instructionOf } from '../crons/found-cron.ts'
import { type AccountTurns, nextInTurn } from './account-turns.ts'
import {
  lockReadyRun,
  type ReadyRun,
  updatePausedByRun,
  updateRunFailed,
  updateRunPostponed,
  updateRunStarted,
} from './due.queries.ts'
import { requireActing, RunRefused } from './run-acting.service.ts'

export type RunDeps = { database: Database; consumers: Consumers; sealer: Secrets; log: Logger }

/**
 * Starts the run that has been ready longest, of the account whose turn it is. Its job exists if and only if the run is
 * marked as processing; if a worker dies in between, the run is unchanged.
 * @returns false if none is ready
 */
export async function startNextRun(deps: RunDeps, turns: AccountTurns): Promise<boolean> {
  const { database, log } = deps
  let run: ReadyRun | undefined
  try {
    return await inTransaction(database.db, async (tx) => {
      run = await nextInTurn(turns, (after) => lockReadyRun(tx, after))
      if (!run) return false
      const jobId = await startJob(deps, tx, run)
      await updateRunStarted(tx, run.account_id, run.id, { jobId, comment: lateComment(run) })
      return true
    })
  } catch (error) {
    if (!run) throw error
    await recordFailure(database.db, run, error)
    if (!isExpected(error)) log.warn({ err: error, run: run.id, cron: run.cron_id }, 'run of a cron did not start')
    return true
  }
}

async function startJob({ database, consumers, sealer }: RunDeps, tx: Db, run: ReadyRun): Promise<string> {
  const consumer = consumerOf(consumers, run.consumer)
  const account = run.account_id
  const instruction = instructionOf(run)
  const acting = await requireActing(database, consumer, { ...run, id: run.cron_id })
  const secrets = openCronSecrets(sealer, { id: run.cron_id, sealed_secrets: run.sealed_secrets })
  const { offset } = instruction
  const started: StartedRun = {
    id: run.id,
    name: run.name,
    emails: run.emails,
    dueAt: run.due_at,
    isRunNow: run.is_run_now && !run.is_backfill,
    zone: run.zone,
    kept: { instruction, secrets: secrets.instruction ?? null },
    window: offset === undefined ? null : offsetWindow(offset, run.due_at.getTime(), run.zone),
    transfer: run.transfer && { ...run.transfer, password: secrets.password ?? '' },
    ...acting,
  }
  return consumer.start(tx, account, started)
}

/** Pause before a server that is away is tried again. */
const awayPauseMs = 30_000

async function recordFailure(db: Db, run: ReadyRun, error: unknown): Promise<void> {
  const { reason, isFinal } = explain(error)
  if (isServerAway(error)) {
    await updateRunPostponed(db, run.account_id, run.id, { reason, pauseMs: awayPauseMs })
    return
  }
  const isOver = isFinal || hasNoRecoveryLeft(run.recovery_count)
  await inTransaction(db, async (tx) => {
    const isRecorded = await updateRunFailed(tx, run.account_id, run, {
      reason: isOver && !isFinal ? noRecoveryLeftReason(reason) : reason,
      pauseMs: isOver ? null : retryPauseMs(run.recovery_count),
    })
    if (isRecorded && error instanceof RunRefused && error.refusal.pausesCron) {
      await updatePausedByRun(tx, run.account_id, run.cron_id, reason)
    }
  })
}

/** Temporary failures; any other `AppError` would recur. */
const temporary: readonly string[] = ['unexpected', 'timed_out', 'name_taken']

const isExpected = (error: unknown): boolean =>
  error instanceof RunRefused || (error instanceof AppError && !temporary.includes(error.code))

function explain(error: unknown): { reason: string; isFinal: boolean } {
  if (error instanceof RunRefused) return { reason: error.message, isFinal: true }
  if (error instanceof SecretUnreadable)
    return { reason: 'Its password cannot be read any more. Enter it again.', isFinal: true }
  if (error instanceof AppError) return { reason: error.message, isFinal: isExpected(error) }
  return { reason: systemFailureReason(error), isFinal: false }
}

/** A run that starts later than this says so. */
const lateMs = 5 * 60_000

function lateComment({
  due_at: dueAt,
  now,
  zone,
  is_run_now: isRunNow,
  is_backfill: isBackfill,
}: ReadyRun): string | null {
  if (isBackfill) return `due ${wallTimeText(zone, dueAt)}, run again ${wallTimeText(zone, now)} (${zone})`
  if (isRunNow || now.getTime() - dueAt.getTime() <= lateMs) return null
  return `due ${wallTimeText(zone, dueAt)}, run ${wallTimeText(zone, now)} (${zone})`
}

/** For example '2026-12-01 09:30' in the time zone. */
const wallTimeText = (zone: string, moment: Date): string =>
  new Date(wallTimeOf(zone, moment.getTime())).toISOString().slice(0, 16).replace('T', ' ')
