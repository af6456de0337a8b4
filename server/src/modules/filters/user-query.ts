import { sql, type Transaction } from 'kysely'
import { AppError } from '#platform/app-error.ts'
import { type Db, isCancelled } from '#platform/database.ts'
import { invalidFilter } from './filter-field.ts'

/** For whom a query runs: its connection, and a signal that is aborted when nobody waits for the answer any more. */
export type Asker = { db: Db; signal?: AbortSignal }

const maxMs = 30_000

/**
 * Runs reading queries that a user worded: in a transaction that cannot write, each stopped after 30 seconds, and
 * cancelled in the database when the client goes away.
 * @throws timed_out; invalid_filter for a regular expression that the database cannot read
 */
export async function userQuery<T>({ db, signal }: Asker, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  try {
    return await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`
          SELECT pg_backend_pid() AS pid, set_config('statement_timeout', ${String(maxMs)}, true)`.execute(tx)
        return cancellable(db, rows[0]?.pid ?? 0, signal, () => work(tx))
      })
  } catch (error) {
    throw toUserError(error)
  }
}

/**
 * Cancels what the backend `pid` does when `signal` is aborted. Kysely's own way fails in a transaction: its rollback
 * takes the place of the query that was to be cancelled (0.29.9).
 */
async function cancellable<T>(
  db: Db,
  pid: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  let cancelled: Promise<unknown> | undefined
  const cancel = () => {
    cancelled = sql`SELECT pg_cancel_backend(${pid})`.execute(db).catch(() => {})
  }
  signal?.throwIfAborted()
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await work()
  } finally {
    signal?.removeEventListener('abort', cancel)
    // The connection must not be given to somebody else while its cancellation is on the way.
    await cancelled
  }
}

/** Errors of the database that are the filter's fault, in words for people; any other as it is. */
export function toUserError(error: unknown): unknown {
  const isGone = error instanceof Error && error.name === 'AbortError'
  if (isGone || isCancelled(error)) return new AppError('timed_out')
  if (sqlStateOf(error) === invalidRegularExpression && error instanceof Error) {
    return invalidFilter(`The filter is not valid: ${error.message}.`)
  }
  return error
}

const invalidRegularExpression = '2201B'

function sqlStateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
