import type { AccountId } from '@portico/contract/accounts'
import { errors } from '@portico/contract/errors'
import type { JobStatus } from '@portico/contract/jobs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAccountMoving } from '../citus/citus-errors.ts'
import { type Database, isConnectionLost, isDatabaseAway, isDiskFull, isOutOfResources } from '../database.ts'
import { type JobAttempt, JobInterrupted } from './jobs.ts'
import { isServerAway } from '../citus/server-away.ts'

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

/**
 * The columns with which a worker claims a job that has not ended: the first attempt is `processing`, each later one a
 * `recovery`, which counts unless the server of the account was away (`isAfterOutage`).
 */
export function claimOf(
  before: { status: JobStatus; recovery_count: number },
  { isAfterOutage = false }: Partial<JobAttempt> = {},
): { status: 'processing' | 'recovery'; recovery_count: number } {
  if (before.status === 'waiting') return { status: 'processing', recovery_count: before.recovery_count }
  return { status: 'recovery', recovery_count: before.recovery_count + (isAfterOutage ? 0 : 1) }
}

/** The recovery count of a claimed row as it was before the claim, for an attempt that does not count. */
export function uncounted(
  row: { status: JobStatus; recovery_count: number },
  { isAfterOutage = false }: Partial<JobAttempt> = {},
): number {
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

/** The text for users of a job that stalled for no known reason. */
export function stalledReason(): string {
  return `Failed after ${retryPolicy.maxStalledAttempts} attempts.`
}

/** Milliseconds until the next attempt of a job that has recovered `recoveryCount` times. */
export function retryPauseMs(recoveryCount: number): number {
  const { firstPauseMs, pauseFactor, pauseJitter } = retryPolicy
  return firstPauseMs * pauseFactor ** recoveryCount * (1 - pauseJitter + Math.random() * 2 * pauseJitter)
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

type FailedAttempt = {
  error: unknown
  /** The worker was asked to stop: the attempt does not count as failed. */
  isInterrupted: boolean
  /** Not called when the attempt was interrupted. */
  explain: () => FailureReason | Promise<FailureReason>
  /** Recoveries used up so far. Leave out where the claim limits attempts without progress. */
  recoveryCount?: number
  /** Puts the row back as if the attempt had not been made. */
  release: () => Promise<void>
  /** Ends the job with a reason for users; `isFinal` is false when its recoveries are used up. */
  reject: (reason: string, isFinal: boolean) => Promise<void>
  /**
   * Records the failure in the row; either throws the error, so that the queue tries again, or enqueues the next attempt.
   * `counts` is false when the attempt must not use up a recovery.
   */
  retry: (reason: string, counts: boolean) => Promise<void>
}

/**
 * Decides what follows a failed attempt: release, reject or retry. A full disk and a lost database or server are no fault of the job:
 * such an attempt is retried for as long as it takes. While the database is away, the decision waits for it.
 * @throws JobInterrupted when the worker was asked to stop; whatever `retry` throws
 */
export async function failOrRetry(attempt: FailedAttempt): Promise<void> {
  const { error } = attempt
  if (attempt.isInterrupted) {
    await onceBack(attempt.release)
    throw new JobInterrupted()
  }
  // Errors of sockets may come from other servers too.
  let isPassing = isDiskFull(error) || isConnectionLost(error) || isServerAway(error) || isAccountMoving(error)
  await onceBack(
    async () => {
      const { reason, isFinal } = await attempt.explain()
      if (isFinal) return attempt.reject(reason, true)
      if (!isPassing && hasNoRecoveryLeft(attempt.recoveryCount ?? 0)) {
        return attempt.reject(noRecoveryLeftReason(reason), false)
      }
      return attempt.retry(reason, !isPassing)
    },
    (failure) => {
      // Thrown by `retry` for the queue.
      if (failure === error) return false
      isPassing = true
      return true
    },
  )
}

const awayRetryMs = 250
// As long as a crashed database takes to come back. Later, the next claim finds the row as the attempt left it.
const mostAwayMs = 30_000

/** Runs `work` again while it fails because the database is away, so that the outcome of an attempt is recorded after all. */
export async function onceBack<T>(
  work: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (const end = performance.now() + mostAwayMs; ; await sleep(awayRetryMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error) || !mayRepeat(error) || performance.now() > end) throw error
    }
  }
}

const lockTimeout = '60s'

/**
 * Locks a job for as long as this worker's connection lives, and returns the function that unlocks it. A worker that is
 * slow but was considered dead cannot run the same job as its successor, which waits until that connection is closed.
 * For one kind of job only: the lock is on the account and the id.
 * @throws after a minute of waiting; the queue then tries again
 */
export async function lockJob(database: Database, account: AccountId, jobId: number): Promise<() => void> {
  const client = await database.pool.connect()
  client.on('error', () => {})
  // Closing the connection gives the lock back, whatever state it is in.
  const release = () => client.release(true)
  try {
    await client.query(`SET lock_timeout = '${lockTimeout}'`)
    await client.query('SELECT pg_advisory_lock($1, $2)', [account, jobId])
    return release
  } catch (error) {
    release()
    throw error
  }
}
