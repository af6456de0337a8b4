import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import { accountTable, type Db } from '../database.ts'
import { cancelledByUser } from './job-runs.ts'

/**
 * A table of an account with a row for each job. The queue says when a job runs; the row says how far it is, and wins
 * where the two differ. Its life, in the column `status`:
 *
 * - `waiting`: inserted together with the queue's job, in one transaction. A cancelled job ends here at once.
 * - `processing`: claimed by a worker (`claimOf`), for the first time.
 * - `recovery`: an attempt failed or its worker died. Either it waits for the next attempt or that has begun; each one
 *   adds to `recovery_count`.
 * - `completed`: done. Written in the transaction that makes the result visible.
 * - `rejected`: ended without success, with a reason for users: cancelled, a failure that would repeat, or no recovery
 *   left.
 *
 * An attempt that the worker interrupted in good order goes back to where it was claimed from, and does not count.
 * `completed` and `rejected` are final, unless a user asks for the same job again. Kinds of jobs that have other states
 * (indexes are `building`) or fewer (deletes do not wait, and are never in `recovery`) keep the same rules: a row changes
 * only from a state that the writer has seen, so of two workers one finds nothing to change.
 */
export type JobTable<Columns> = {
  name: string
  /** Never there; carries the type. */
  columns?: Columns
}

/** The states in which an attempt may be under way. */
export const runningStates = ['processing', 'recovery'] as const

/** Values that a row must have for a change to happen; a list means any of its values. */
type Expected<Columns> = {
  [Name in keyof Selectable<Columns>]?: Selectable<Columns>[Name] | readonly Selectable<Columns>[Name][]
}

/** Changes the row of a job if it is as expected. Returns the changed row, or undefined when it was not. */
export async function updateJobRow<Columns extends object>(
  db: Db,
  account: AccountId,
  table: JobTable<Columns>,
  expected: Expected<Columns>,
  change: Updateable<Columns>,
): Promise<Selectable<Columns> | undefined> {
  const conditions = Object.entries(expected).map(([column, value]) => matches(column, value))
  const { rows } = await sql<Selectable<Columns>>`
    UPDATE ${accountTable(account, table.name)} SET ${assignments(change)}
    WHERE ${sql.join(conditions, sql` AND `)} RETURNING *`.execute(db)
  return rows[0]
}

/**
 * Requests the cancellation of a job. A waiting job is rejected at once, a running one by its worker; `also` sets further
 * columns. Returns the changed row, or undefined if the job has ended.
 */
export async function cancelJobRow<Columns extends object>(
  db: Db,
  account: AccountId,
  table: JobTable<Columns>,
  id: string | number,
  now: Date,
  also: Record<string, RawBuilder<unknown>> = {},
): Promise<Selectable<Columns> | undefined> {
  const change = {
    cancel_requested: true,
    status: sql`CASE WHEN status = 'waiting' THEN 'rejected' ELSE status END`,
    recovery_error: sql`CASE WHEN status = 'waiting' THEN ${cancelledByUser} ELSE recovery_error END`,
    last_activity_at: now,
    ...also,
  }
  const { rows } = await sql<Selectable<Columns>>`
    UPDATE ${accountTable(account, table.name)} SET ${assignments(change)}
    WHERE id = ${id} AND ${matches('status', ['waiting', ...runningStates])} RETURNING *`.execute(db)
  return rows[0]
}

/** Records the size of a job's file, as the storage has it. */
export const fileSizeUpdate =
  ({ name }: JobTable<unknown>) =>
  async (db: Db, account: AccountId, id: string, bytes: number): Promise<void> => {
    await sql`UPDATE ${accountTable(account, name)} SET file_size = ${bytes} WHERE id = ${id}::bigint`.execute(db)
  }

/** Records that a job's file was removed from the storage. */
export const fileRemovedUpdate =
  ({ name }: JobTable<unknown>) =>
  async (db: Db, account: AccountId, id: string, now: Date): Promise<void> => {
    await sql`UPDATE ${accountTable(account, name)} SET file_removed_at = ${now} WHERE id = ${id}::bigint`.execute(db)
  }

function matches(column: string, value: unknown): RawBuilder<unknown> {
  if (value === null) return sql`${sql.id(column)} IS NULL`
  return Array.isArray(value) ? sql`${sql.id(column)} IN (${sql.join(value)})` : sql`${sql.id(column)} = ${value}`
}

function assignments(change: object): RawBuilder<unknown> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  return sql.join(entries.map(([column, value]) => sql`${sql.id(column)} = ${value}`))
}
