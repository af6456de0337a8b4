import { type ErrorCode, errors } from '@portico/contract/errors'
import type { JobStatus } from '@portico/contract/jobs'
import { AppError } from '../app-error.ts'
import { isAccountMoving } from '../citus/citus-errors.ts'
import { isServerAway } from '../citus/server-away.ts'
import { isDiskFull, isOutOfResources } from '../database.ts'
import type { JobAttempt } from './jobs.ts'

/**
 * How often, and how soon, a job is tried again. The same for every kind of job. The queue's own retries (`jobs.ts`)
 * only bring a thrown job back to its handler, which decides by this policy.
 */
const retryPolicy = {
  /** Recoveries of one job; the failure after that rejects it. */
  maxRecoveries: 5,
  /** Attempts in a row without progress, for jobs that continue where they stopped. */
  maxStalledAttempts: 5,
  /** Pause before the first retry, for jobs that wait for an external server. */
  firstPauseMs: 30_000,
  /** Each further pause is longer by this factor: half a minute, 2, 8, 32 minutes, about 2 hours. */
  pauseFactor: 4,
  /** Share by which a pause is longer or shorter at random, so that retries do not arrive in one burst. */
  pauseJitter: 0.2,
}

/** The reason on a job that a user cancelled (specification 3 §4). */
export const cancelledByUser = 'cancelled by the user'

/** True for `completed` and `rejected`: such a job must not run, even if the queue delivers it. */
export function hasEnded(status: JobStatus): boolean {
  return status === 'completed' || status === 'rejected'
}

type Counted = { status: JobStatus; recovery_count: number }

/**
 * The columns with which a worker claims a job that has not ended: the first attempt is `processing`, each later one a
 * `recovery`, which counts unless the server of the account was away (`isAfterOutage`).
 */
export function claimColumns(
  before: Counted,
  { isAfterOutage = false }: Partial<JobAttempt> = {},
): { status: 'processing' | 'recovery'; recovery_count: number } {
  if (before.status === 'waiting') return { status: 'processing', recovery_count: before.recovery_count }
  return { status: 'recovery', recovery_count: before.recovery_count + (isAfterOutage ? 0 : 1) }
}

/** The recovery count of a claimed row as it was before the claim, for an attempt that does not count. */
export function uncounted(row: Counted, { isAfterOutage = false }: Partial<JobAttempt> = {}): number {
  const wasCounted = row.status === 'recovery' && !isAfterOutage
  return wasCounted ? Math.max(0, row.recovery_count - 1) : row.recovery_count
}

/** True when a job that has recovered this often must not recover again. */
export function hasNoRecoveryLeft(recoveryCount: number): boolean {
  return recoveryCount >= retryPolicy.maxRecoveries
}

/** True when a job has had too many attempts without progress to be tried again. */
export function isStalled(attemptsWithoutProgress: number): boolean {
  return attemptsWithoutProgress >= retryPolicy.maxStalledAttempts
}

/** The text for users of a job whose recoveries are used up. `reason` is that of the last attempt, a sentence. */
export function noRecoveryLeftReason(reason: string): string {
  return `Failed after ${retryPolicy.maxRecoveries} retries. ${reason}`
}

/** Returns why a claimed job must not be tried once more: the workers of all its attempts died. Null while it may. */
export function spentReason(claimed: { recovery_count: number }, lastReason: string): string | null {
  return claimed.recovery_count > retryPolicy.maxRecoveries ? noRecoveryLeftReason(lastReason) : null
}

/** The text for users of a job that stalled for no known reason. */
export function stalledReason(): string {
  return `Failed after ${retryPolicy.maxStalledAttempts} attempts.`
}

/** Milliseconds until the next attempt of a job that has recovered `recoveryCount` times. */
export function retryPauseMs(recoveryCount: number): number {
  const { firstPauseMs, pauseFactor, pauseJitter } = retryPolicy
  return firstPauseMs * pauseFactor ** recoveryCount * (1 - pauseJitter + Math.random() * 2 * pauseJitter)
}

/** Thrown to end a job as rejected; the message is for users. */
export class JobRefused extends Error {}

/**
 * Thrown by an attempt whose row another one has changed: it must leave no trace. The queue tries again, so that its job does not
 * end before the row has: of two attempts, either may be the one that the queue still knows.
 */
export class AttemptLost extends Error {
  constructor() {
    super('Another attempt has changed the row of this job.')
    this.name = 'AttemptLost'
  }
}

/** How an attempt ended without success. */
export type AttemptEnd =
  /** The worker stops: the job must be as if the attempt had not been made. */
  | { kind: 'interrupted' }
  /** The job ends, with a reason for users. `isFinal` is false when its recoveries are used up. */
  | { kind: 'rejected'; error: unknown; failure: string; reason: string; isFinal: boolean }
  /** Another attempt follows. `counts` is false when this one must not use up a recovery. */
  | { kind: 'failed'; error: unknown; failure: string; counts: boolean }

/** The progress of a job that goes on where its last attempt came to; attempts that came no further are counted. */
type CountedProgress = { stalledAttempts: number; reason: string | null }

/** The progress at the end of an attempt without success; null where it stays. One that the worker puts down does not count. */
export function progressAtEnd<Progress extends CountedProgress>(before: Progress, end: AttemptEnd): Progress | null {
  if (end.kind === 'rejected') return { ...before, stalledAttempts: 0, reason: end.reason }
  if (end.kind === 'failed' && end.counts) return null
  return { ...before, stalledAttempts: Math.max(0, before.stalledAttempts - 1) }
}

/** Why an attempt failed, as a sentence for users; `isFinal` when another attempt would fail for the same reason. */
export type FailureReason = { reason: string; isFinal: boolean }

const diskFullReason = 'The disk is full. Retrying until there is space.'
// Where this can be written down, it is another server than that of the account, or it is back.
const serverAwayReason = 'A server of the database cannot be reached. Retrying until it is back.'

/** The reason of a failure of the system, as a sentence for users; the log has the rest. */
export function systemFailureReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (isDiskFull(error)) return diskFullReason
  if (isAccountMoving(error)) return 'The account is being moved to another server. Retrying until it is there.'
  if (isServerAway(error)) return serverAwayReason
  if (isOutOfResources(error)) return 'The database is out of memory or connections.'
  if (/^(08|57P)|^ECONN/.test(code) || (error instanceof Error && /connection/i.test(error.message))) {
    return 'The connection to the database was lost.'
  }
  return errors.unexpected.text
}

/** The reason of a failure; `isFinal` tells which errors for users would come again. */
export function explainFailure(error: unknown, isFinal: (code: ErrorCode) => boolean): FailureReason {
  if (!(error instanceof AppError)) return { reason: systemFailureReason(error), isFinal: false }
  return { reason: error.message, isFinal: isFinal(error.code) }
}
