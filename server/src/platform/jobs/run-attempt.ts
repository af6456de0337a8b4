import type { AccountId } from '@portico/contract/accounts'
import type { JobStatus } from '@portico/contract/jobs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAccountMoving } from '../citus/citus-errors.ts'
import { isServerAway } from '../citus/server-away.ts'
import { type Database, isConnectionLost, isDatabaseAway, isDiskFull } from '../database.ts'
import {
  type AttemptEnd,
  AttemptLost,
  claimColumns,
  diskFilledReason,
  type FailureReason,
  hasEnded,
  hasNoRecoveryLeft,
  JobRefused,
  noRecoveryLeftReason,
} from './job-runs.ts'
import { type JobAttempt, JobInterrupted } from './jobs.ts'

/** The functions of one kind of job, from its claim to its end. */
type Attempted<Row, Done> = {
  /** Marks the row as claimed. Null if there is nothing to do. @throws AttemptLost if another attempt has changed it */
  claim: () => Promise<Row | null>
  /**
   * Does the work, and completes the job.
   * @throws JobRefused to reject it, AttemptLost to leave it to another worker, any other error to try again
   */
  work: (row: Row) => Promise<Done>
  /** Completes a job whose work must not be repeated once it is done. */
  onDone?: (row: Row, done: Done) => Promise<void>
} & Failing<Row>

type Failing<Row> = {
  /** Returns why an attempt failed. May be called more than once, as the database may be away. */
  explain: (error: unknown, row: Row) => FailureReason | Promise<FailureReason>
  /** Returns the recoveries that the job has used. Without it, the claim limits attempts without progress. */
  recoveries?: (row: Row) => number
  /**
   * Records in the row that the attempt has ended without success. Not called for a lost attempt. Returns false if
   * another attempt has changed the row, in which case nothing was recorded.
   */
  onEnd: (row: Row, end: AttemptEnd) => Promise<boolean>
  /**
   * Whether an attempt that ended on a full disk has filled it itself: what it wrote is gone, and there is room again. It
   * then counts as any failure.
   */
  hasFilledDisk?: (error: unknown, row: Row) => Promise<boolean>
  /** `onEnd` enqueues the next attempt, so the queue must not retry as well. */
  enqueuesRetries?: boolean
  /** Removes what an unsuccessful attempt has created. */
  cleanUp?: (row: Row) => Promise<void>
}

/**
 * Makes one attempt at a job: the only place that decides what follows a failure. A full disk and a lost database or
 * server are not the job's fault: such an attempt is repeated for as long as it takes, unless the job itself has filled
 * the disk. An attempt that fails while the worker is stopping does not count. While the database is away, recording the outcome waits for it.
 * @throws JobInterrupted when the worker stops; the error of a failed attempt that the queue is to repeat, AttemptLost
 * among them
 */
export async function runAttempt<Row, Done = void>(job: Attempted<Row, Done>, signal: AbortSignal): Promise<void> {
  const row = await job.claim()
  if (row === null) return
  let done: Done
  try {
    done = await job.work(row)
  } catch (error) {
    try {
      return await endFailed(job, row, error, signal)
    } finally {
      await job.cleanUp?.(row)
    }
  }
  await onceBack(async () => job.onDone?.(row, done))
}

/**
 * Reads a job and claims it, unless it has ended. Returns null if there is nothing to do, also if `claim` returns null;
 * `claim` returns undefined if the row has changed since it was read.
 * @throws AttemptLost if it has changed but not ended: often by the end of an attempt that the queue considered dead
 */
export async function claimJob<Row extends { status: JobStatus; recovery_count: number }, Claimed extends Row = Row>(
  attempt: JobAttempt | undefined,
  read: () => Promise<Row | undefined>,
  claim: (before: Row, claimed: ReturnType<typeof claimColumns>) => Promise<Claimed | null | undefined>,
): Promise<Claimed | null> {
  const before = await read()
  if (!before || hasEnded(before.status)) return null
  const row = await claim(before, claimColumns(before, attempt))
  if (row !== undefined) return row
  const now = await read()
  if (now && !hasEnded(now.status)) throw new AttemptLost()
  return null
}

async function endFailed<Row>(job: Failing<Row>, row: Row, error: unknown, signal: AbortSignal): Promise<void> {
  if (error instanceof AttemptLost) throw error
  if (error instanceof JobInterrupted || (signal.aborted && !(error instanceof JobRefused))) {
    await onceBack(() => job.onEnd(row, { kind: 'interrupted' }))
    throw new JobInterrupted()
  }
  // Socket errors may come from other servers too.
  const isFull = isDiskFull(error)
  const hasFilledDisk = isFull && ((await job.hasFilledDisk?.(error, row)) ?? false)
  let isPassing = (isFull && !hasFilledDisk) || isConnectionLost(error) || isServerAway(error) || isAccountMoving(error)
  const end = await onceBack(
    async () => {
      const decided = await decide(job, row, error, { isPassing, hasFilledDisk })
      if (!(await job.onEnd(row, decided))) throw new AttemptLost()
      return decided
    },
    () => void (isPassing = true),
  )
  if (end.kind === 'failed' && !job.enqueuesRetries) throw error
}

async function decide<Row>(
  job: Failing<Row>,
  row: Row,
  error: unknown,
  { isPassing, hasFilledDisk }: { isPassing: boolean; hasFilledDisk: boolean },
): Promise<AttemptEnd> {
  const known = error instanceof JobRefused ? { reason: error.message, isFinal: true } : null
  const filled = hasFilledDisk ? { reason: diskFilledReason, isFinal: false } : null
  const { reason: failure, isFinal } = known ?? filled ?? (await job.explain(error, row))
  if (isFinal) return { kind: 'rejected', error, failure, reason: failure, isFinal }
  if (!isPassing && hasNoRecoveryLeft(job.recoveries?.(row) ?? 0)) {
    return { kind: 'rejected', error, failure, reason: noRecoveryLeftReason(failure), isFinal }
  }
  return { kind: 'failed', error, failure, counts: !isPassing }
}

const awayRetryMs = 250
// The time that a crashed database takes to come back. Later, the next claim finds the row as the attempt left it.
const mostAwayMs = 30_000

/** Retries `work` while it fails because the database is away. */
async function onceBack<T>(work: () => Promise<T>, onAway: () => void = () => {}): Promise<T> {
  for (const end = performance.now() + mostAwayMs; ; await sleep(awayRetryMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      onAway()
      if (performance.now() > end) throw error
    }
  }
}

const lockTimeout = '60s'

/**
 * The numbers of the locks in an account, by the kind and id of a job. Ids of reviews begin above those of imports; the
 * other kinds have negative numbers, in ranges of their own.
 */
const lockNumbers = {
  import: (id: number) => id,
  importUndo: (id: number) => id,
  importReview: (id: number) => id,
  deleteUndo: (id: number) => -id,
  keyComputation: (id: number) => -1_000_000_000 - id,
} as const
type LockedJob = { account: AccountId; kind: keyof typeof lockNumbers; id: number | string }

/**
 * `runAttempt` under the lock of the job, which is held for as long as this worker's connection lives. So a slow worker
 * that was considered dead cannot run the same job as its successor, which waits until that connection is closed. An
 * import and its undo have the same lock.
 * @throws as `runAttempt`; after a minute of waiting, and the queue then tries again
 */
export async function runLocked<Row, Done = void>(
  database: Database,
  job: LockedJob,
  attempted: Attempted<Row, Done>,
  signal: AbortSignal,
): Promise<void> {
  const unlock = await lockJob(database, job)
  try {
    await runAttempt(attempted, signal)
  } finally {
    unlock()
  }
}

/** Returns the function that unlocks the job. */
async function lockJob(database: Database, { account, kind, id }: LockedJob): Promise<() => void> {
  const client = await database.pool.connect()
  client.on('error', () => {})
  // Closing the connection releases the lock in any state.
  const release = () => client.release(true)
  try {
    await client.query(`SET lock_timeout = '${lockTimeout}'`)
    await client.query('SELECT pg_advisory_lock($1, $2)', [account, lockNumbers[kind](Number(id))])
    return release
  } catch (error) {
    release()
    throw error
  }
}
