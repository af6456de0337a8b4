import type { AccountId } from '@portico/contract/accounts'
import type { JobStatus } from '@portico/contract/jobs'
import type { Generated, Selectable } from 'kysely'
import { type BigintColumn, type Database, type Db, inTransaction } from '../database.ts'
import type { Logger } from '../log.ts'
import type { Storage } from '../storage.ts'
import { endColumns, type JobTable, requireNotCancelled, updateJobRow } from './job-rows.ts'
import { type AttemptEnd, type FailureReason, JobRefused, spentReason } from './job-runs.ts'
import type { JobAttempt } from './jobs.ts'
import { hasRoomAgain } from './room.ts'
import { claimJob, runAttempt } from './run-attempt.ts'

/** The columns of jobs that write one file. */
export type FileJobTable = {
  id: Generated<string>
  status: JobStatus
  recovery_count: Generated<number>
  recovery_error: string | null
  started_at: Date | null
  last_activity_at: Date | null
  processed_records: BigintColumn
  /** Storage key of the file. Each attempt writes a separate file, so the key also identifies the current attempt. */
  file_key: string | null
}

export const fileSeen = ['id', 'status', 'file_key'] as const
export type FileSeen = (typeof fileSeen)[number]

/** Returns the progress of a job, for people who wait for its file. */
export function readProgress(row: Selectable<FileJobTable>) {
  return {
    status: row.status === 'completed' ? 'completed' : row.status === 'rejected' ? 'failed' : 'running',
    reason: row.status === 'rejected' ? row.recovery_error : null,
    records: Number(row.processed_records),
    recoveryCount: row.recovery_count,
  } as const
}

/** A job that an attempt has claimed, with the key of the file that it writes. */
export type Claimed<Row> = Row & { file_key: string }

type FileJob<Row> = {
  table: JobTable<FileJobTable, FileSeen>
  read: () => Promise<Row | undefined>
  /** Initial values of further columns that show progress. */
  noProgress?: Record<string, unknown>
  /** Writes the file, and completes the job. */
  work: (row: Claimed<Row>) => Promise<void>
  explain: (error: unknown) => FailureReason
  /** Called in the transaction that rejects the job. */
  onRejected: (tx: Db, row: Row) => Promise<void>
}

type Deps = { database: Database; storage: Storage; log: Logger }

/**
 * Makes one attempt at a job that writes a file, from the beginning every time: a dead worker leaves nothing visible.
 * After failures of the system, at most five more attempts follow, also after a full disk if there is room again as soon
 * as the attempt has ended: then it was the attempt that filled it.
 */
export async function runFileAttempt<Row extends Selectable<FileJobTable>>(
  deps: Deps,
  account: AccountId,
  job: FileJob<Row>,
  signal: AbortSignal,
  attempt?: JobAttempt,
): Promise<void> {
  const { database, log } = deps
  const { table, read, work, explain, onRejected } = job
  const untouched = { processed_records: 0, ...job.noProgress }
  // All columns of the row, though the type of the table has only those shared by all kinds.
  const change = (db: Db, row: Row, columns: object) =>
    updateJobRow(db, account, table, row, columns) as Promise<Row | undefined>

  const claim = () =>
    claimJob<Row, Claimed<Row>>(attempt, read, async (before, claimed) => {
      const now = new Date()
      const row = await change(database.db, before, {
        ...claimed,
        ...untouched,
        file_key: `${account}/${table.name}/${crypto.randomUUID()}`,
        last_activity_at: now,
        ...(claimed.status === 'processing' && { started_at: now }),
      })
      if (row && before.file_key) await removeFile(deps, before.file_key)
      return row as Claimed<Row> | undefined
    })

  const onEnd = (row: Row, end: AttemptEnd) =>
    inTransaction(database.db, async (tx) => {
      const columns = {
        ...endColumns(row, end, attempt),
        ...(end.kind !== 'failed' && { file_key: null }),
        ...(end.kind === 'interrupted' && untouched),
      }
      const ended = await change(tx, row, columns)
      if (end.kind !== 'rejected') return ended !== undefined
      if (!end.isFinal) log.error({ err: end.error, account, [table.name]: row.id }, 'a job has no recovery left')
      if (ended) await onRejected(tx, ended)
      return ended !== undefined
    })

  await runAttempt<Claimed<Row>>(
    {
      claim,
      work: async (row) => {
        requireNotCancelled(row)
        const spent = spentReason(row, row.recovery_error ?? 'The worker stopped every time.')
        if (spent !== null) throw new JobRefused(spent)
        await work(row)
      },
      explain,
      recoveries: (row) => row.recovery_count,
      hasFilledDisk: (error, row) => hasRoomAgain(deps, error, row.file_key),
      onEnd,
      cleanUp: (row) => removeUnlessCompleted(deps, row, read),
    },
    signal,
  )
}

/** The database may commit the completion of a job and then lose the connection: then the file is kept. */
async function removeUnlessCompleted(
  deps: Deps,
  { file_key: key }: { file_key: string },
  read: () => Promise<Selectable<FileJobTable> | undefined>,
): Promise<void> {
  try {
    const now = await read()
    if (now?.status !== 'completed' || now.file_key !== key) await removeFile(deps, key)
  } catch (error) {
    // The next attempt, or the cleanup of abandoned files, removes it.
    deps.log.warn({ err: error, key }, 'file of a job was not removed')
  }
}

/** A leftover file is never visible: it deserves a line in the log, but not a failed job. */
async function removeFile({ storage, log }: Deps, key: string): Promise<void> {
  await storage.remove(key).catch((error: unknown) => log.warn({ err: error, key }, 'file of a job was not removed'))
}
