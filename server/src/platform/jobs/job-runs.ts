import { type ErrorCode, errors } from '@portico/contract/errors'
import type { JobStatus } from '@portico/contract/jobs'
import { AppError } from '../app-error.ts'
import { isAccountMoving } from '../citus/citus-errors.ts'
import { isServerAway } from '../citus/server-away.ts'
import { isDiskFull, isOutOfResources } from '../database.ts'
import type { JobAttempt } from './jobs.ts'

/**
 * How often, and how soon, a job is retried. The same for every kind of job. The queue's own retries (`jobs.ts`) only
 * return a failed job to its handler, which applies this policy.
 */
const retryPolicy = {
  /** Recoveries of one job; the failure after that rejects it. */
  maxRecoveries: 5,
  /** Consecutive attempts without progress, for jobs that continue where they stopped. */
  maxStalledAttempts: 5,
  /** Pause before the first retry, for jobs that wait for an external server. */
  firstPauseMs: 30_000,
  /** Each further pause is longer by this factor: half a minute, 2, 8, 32 minutes, about 2 hours. */
  pauseFactor: 4,
  /** Random share by which a pause is longer or shorter, which spreads retries out. */
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
 * Returns the columns with which a worker claims a job that has not ended: the first attempt is `processing`, each
 * later one a `recovery`, which counts unless the account's server was down (`isAfterOutage`).
 */
export function claimColumns(
  before: Counted,
  { isAfterOutage = false }: Partial<JobAttempt> = {},
): { status: 'processing' | 'recovery'; recovery_count: number } {
  if (before.status === 'waiting') return { status: 'processing', recovery_count: before.recovery_count }
  return { status: 'recovery', recovery_count: before.recovery_count + (isAfterOutage ? 0 : 1) }
}

/** Returns the recovery count of a claimed row before the claim, for an attempt that does not count. */
export function uncounted(row: Counted, { isAfterOutage = false }: Partial<JobAttempt> = {}): number {
  const wasCounted = row.status === 'recovery' && !isAfterOutage
  return wasCounted ? Math.max(0, row.recovery_count - 1) : row.recovery_count
}

/** Returns whether a job with this recovery count must not recover again. */
export function hasNoRecoveryLeft(recoveryCount: number): boolean {
  return recoveryCount >= retryPolicy.maxRecoveries
}

/** Returns whether a job has had too many attempts without progress to be tried again. */
export function isStalled(attemptsWithoutProgress: number): boolean {
  return attemptsWithoutProgress >= retryPolicy.maxStalledAttempts
}

/**
 * Returns the text for users of a job whose recoveries are used up. `reason` is that of the last attempt, a sentence.
 */
export function noRecoveryLeftReason(reason: string): string {
  return `Failed after ${retryPolicy.maxRecoveries} retries. ${reason}`
}

/** Returns why a claimed job must not be tried again: the workers of all its attempts died. Null while it may be. */
export function spentReason(claimed: { recovery_count: number }, lastReason: string): string | null {
  return claimed.recovery_count > retryPolicy.maxRecoveries ? noRecoveryLeftReason(lastReason) : null
}

/** Returns the text for users of a job that stalled for an unknown reason. */
export function stalledReason(): string {
  return `Failed after ${retryPolicy.maxStalledAttempts} attempts.`
}

/** Returns the milliseconds until the next attempt of a job that has recovered `recoveryCount` times. */
export function retryPauseMs(recoveryCount: number): number {
  const { firstPauseMs, pauseFactor, pauseJitter } = retryPolicy
  return firstPauseMs * pauseFactor ** recoveryCount * (1 - pauseJitter + Math.random() * 2 * pauseJitter)
}

/** Thrown to end a job as rejected; the message is for users. */
export class JobRefused extends Error {}

/**
 * Thrown by an attempt whose row another attempt has changed: it must leave no trace. The queue tries again, as its job
 * must not end before the row has: of two attempts, the queue may still know either.
 */
export class AttemptLost extends Error {
  constructor() {
    super('Another attempt has changed the row of this job.')
    this.name = 'AttemptLost'
  }
}

/** How an attempt ended without success. */
export type AttemptEnd =
  /** The worker is stopping: the job must be as if the attempt had not been made. */
  | { kind: 'interrupted' }
  /** The job ends, with a reason for users. `isFinal` is false when its recoveries are used up. */
  | { kind: 'rejected'; error: unknown; failure: string; reason: string; isFinal: boolean }
  /** Another attempt follows. `counts` is false if this one must not use up a recovery. */
  | { kind: 'failed'; error: unknown; failure: string; counts: boolean }

/** The progress of a job that continues where its last attempt stopped; attempts without progress are counted. */
type CountedProgress = { stalledAttempts: number; reason: string | null }

/** Returns the progress after an attempt without success; null if it stays. An interrupted attempt does not count. */
export function progressAtEnd<Progress extends CountedProgress>(before: Progress, end: AttemptEnd): Progress | null {
  if (end.kind === 'rejected') return { ...before, stalledAttempts: 0, reason: end.reason }
  if (end.kind === 'failed' && end.counts) return null
  return { ...before, stalledAttempts: Math.max(0, before.stalledAttempts - 1) }
}

/** Why an attempt failed, as a sentence for users; `isFinal` if another attempt would fail for the same reason. */
export type FailureReason = { reason: string; isFinal: boolean }

/** The reason for a full disk that the job itself has filled. */
export const diskFilledReason =
  'There is not enough disk space for all of its data. Choose fewer rows or fields, or try again once there is more space.'
const diskFullReason = 'The disk is full. Retrying until there is space.'
// If this can be written to the database, the missing server is not the account's own, or it is back.
const serverAwayReason = 'A server of the database cannot be reached. Retrying until it is back.'

/** Returns the reason for a failure of the system, as a sentence for users; the log has the details. */
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

/** Returns the reason for a failure; `isFinal` decides which user-facing errors would recur. */
export function explainFailure(error: unknown, isFinal: (code: ErrorCode) => boolean): FailureReason {
  if (!(error instanceof AppError)) return { reason: systemFailureReason(error), isFinal: false }
  return { reason: error.message, isFinal: isFinal(error.code) }
}
