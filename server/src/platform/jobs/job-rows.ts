import type { AccountId } from '@portico/contract/accounts'
import type { JobStatus } from '@portico/contract/jobs'
import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import { accountTable, type Db, inTransaction } from '../database.ts'
import { type AttemptEnd, AttemptLost, cancelledByUser, JobRefused, uncounted } from './job-runs.ts'
import type { JobAttempt } from './jobs.ts'

/**
 * A table of an account with a row for each job. The queue decides when a job runs; the row records its progress, and
 * wins where the two differ. The states, in the column `status`:
 *
 * - `waiting`: inserted together with the queue's job, in one transaction. A cancelled job ends here at once.
 * - `processing`: claimed by a worker (`claimJob`), for the first time.
 * - `recovery`: an attempt failed or its worker died. The next attempt is due or has begun; each one adds to
 *   `recovery_count`.
 * - `completed`: done. Written in the transaction that makes the result visible.
 * - `rejected`: ended without success, with a reason for users: cancelled, a failure that would repeat, or no recovery
 *   left.
 *
 * An attempt that the worker interrupted cleanly does not count. `completed` and `rejected` are final, unless a user
 * asks for the same job again. Kinds of jobs that have other states (indexes are `building`) or fewer (deletes do not
 * wait, and are never in `recovery`) keep the same rules: a row changes only from a state that the writer has seen, so
 * of two workers one finds nothing to change.
 */
export type JobTable<Columns, Seen extends keyof Selectable<Columns>> = {
  name: string
  /** The id, the state, and the columns that differ between any two attempts at a job. */
  seen: readonly (Seen & string)[]
  /** Never set; carries the type. */
  columns?: Columns
}

/**
 * Changes the row of a job, unless it has changed since it was read as `before`. Returns the changed row, or undefined
 * if it was not changed.
 */
export async function updateJobRow<Columns extends object, Seen extends keyof Selectable<Columns>>(
  db: Db,
  account: AccountId,
  { name, seen }: JobTable<Columns, Seen>,
  before: Pick<Selectable<Columns>, Seen>,
  change: Updateable<Columns>,
): Promise<Selectable<Columns> | undefined> {
  const isUnchanged = seen.map((column) => matches(column, before[column]))
  const { rows } = await sql<Selectable<Columns>>`
    UPDATE ${accountTable(account, name)} SET ${assignments(change)}
    WHERE ${sql.join(isUnchanged, sql` AND `)} RETURNING *`.execute(db)
  return rows[0]
}

/** The columns that the rows of most kinds of jobs share. */
type JobColumns = {
  status: JobStatus
  recovery_error: string | null
  last_activity_at: Date | null
}

/**
 * Completes a job.
 * @throws JobRefused if a user has cancelled it in the meantime, AttemptLost if another worker has claimed it
 */
export async function completeJobRow<Columns extends JobColumns, Seen extends keyof Selectable<Columns>>(
  db: Db,
  account: AccountId,
  table: JobTable<Columns, Seen>,
  row: Selectable<Columns>,
  change: Updateable<Columns>,
): Promise<Selectable<Columns>> {
  const done = { status: 'completed', recovery_error: null, last_activity_at: new Date() }
  return inTransaction(db, async (tx) => {
    const completed = await updateJobRow(tx, account, table, row, { ...change, ...done })
    if (!completed) throw new AttemptLost()
    // The transaction is rolled back.
    requireNotCancelled(completed)
    return completed
  })
}

/** @throws JobRefused if a user has cancelled the job */
export function requireNotCancelled(row: object): void {
  if ('cancel_requested' in row && row.cancel_requested === true) throw new JobRefused(cancelledByUser)
}

/** Returns the columns that record how an attempt ended without success. */
export function endColumns(
  row: { status: JobStatus; recovery_count: number },
  end: AttemptEnd,
  attempt: JobAttempt | undefined,
): { status: JobStatus; recovery_count?: number; recovery_error?: string; last_activity_at?: Date } {
  const now = new Date()
  switch (end.kind) {
    case 'interrupted':
      return { status: 'waiting', recovery_count: uncounted(row, attempt) }
    case 'rejected':
      return { status: 'rejected', recovery_error: end.reason, last_activity_at: now }
    case 'failed': {
      const failed = { status: 'recovery' as const, recovery_error: end.failure, last_activity_at: now }
      return end.counts ? failed : { ...failed, recovery_count: uncounted(row, attempt) }
    }
  }
}

/**
 * Requests the cancellation of a job. A waiting job is rejected at once, a running one by its worker; `also` sets
 * further columns. Returns the changed row, or undefined if the job has ended.
 */
export async function cancelJobRow<Columns extends object>(
  db: Db,
  account: AccountId,
  { name }: Pick<JobTable<Columns, never>, 'name' | 'columns'>,
  id: string | number,
  also: Record<string, RawBuilder<unknown>> = {},
): Promise<Selectable<Columns> | undefined> {
  const change = {
    cancel_requested: true,
    status: sql`CASE WHEN status = 'waiting' THEN 'rejected' ELSE status END`,
    recovery_error: sql`CASE WHEN status = 'waiting' THEN ${cancelledByUser} ELSE recovery_error END`,
    last_activity_at: new Date(),
    ...also,
  }
  const { rows } = await sql<Selectable<Columns>>`
    UPDATE ${accountTable(account, name)} SET ${assignments(change)}
    WHERE id = ${id} AND status IN ('waiting', 'processing', 'recovery') RETURNING *`.execute(db)
  return rows[0]
}

/** Records the size of a job's file, as reported by the storage. */
export const fileSizeUpdate =
  ({ name }: { name: string }) =>
  async (db: Db, account: AccountId, id: string, bytes: number): Promise<void> => {
    await sql`UPDATE ${accountTable(account, name)} SET file_size = ${bytes} WHERE id = ${id}::bigint`.execute(db)
  }

/** Records that a job's file was removed from the storage. */
export const fileRemovedUpdate =
  ({ name }: { name: string }) =>
  async (db: Db, account: AccountId, id: string, now: Date): Promise<void> => {
    await sql`UPDATE ${accountTable(account, name)} SET file_removed_at = ${now} WHERE id = ${id}::bigint`.execute(db)
  }

function matches(column: string, value: unknown): RawBuilder<unknown> {
  return value === null ? sql`${sql.id(column)} IS NULL` : sql`${sql.id(column)} = ${value}`
}

function assignments(change: object): RawBuilder<unknown> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  return sql.join(entries.map(([column, value]) => sql`${sql.id(column)} = ${value}`))
}
