import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { AppError } from '#platform/app-error.ts'
import { type Db, isCancelled } from '#platform/database.ts'
import { invalidFilter } from './filter-field.ts'

/** For whom a query runs: its connection, and a signal that is aborted when nobody waits for the answer any more. */
export type Asker = { db: Db; signal?: AbortSignal }

const maxMs = 30_000

/**
 * Runs reading queries that a user worded: in a transaction that cannot write, each stopped after 30 seconds, and
 * cancelled in the database when the client goes away.
 * @throws timed_out; invalid_filter for a regular expression that the database cannot read, or a number it cannot hold
 */
export async function userQuery<T>({ db, signal }: Asker, work: (tx: Db) => Promise<T>): Promise<T> {
  // For as long as the transaction lasts this tells its connection from all others.
  const name = `portico ${randomUUID()}`
  return new Promise<T>((resolve, reject) => {
    const run = db.connection().execute(async (connection) => {
      // All in one message: three would cost more than a short query does.
      await sql
        .raw(
          `START TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${maxMs}; SET LOCAL application_name = '${name}'`,
        )
        .execute(connection)
      try {
        // Nobody waits for the end of a transaction that has changed nothing.
        resolve(await cancellable(db, name, signal, () => work(connection)))
        await sql`COMMIT`.execute(connection)
      } catch (error) {
        // What went wrong before is what counts; a connection that cannot even do this is closed by itself.
        await sql`ROLLBACK`.execute(connection).catch(() => {})
        throw error
      }
    })
    run.catch((error: unknown) => reject(toUserError(error)))
  })
}

/** Cancels what the connection of that name does when `signal` is aborted. */
async function cancellable<T>(
  db: Db,
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  let cancelled: Promise<unknown> | undefined
  const cancel = () => {
    const query = sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = ${name}`
    cancelled = query.execute(db).catch(() => {})
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
  if (sqlStateOf(error) === outOfRange) return invalidFilter('A number that the filter works out is too large.')
  return error
}

const invalidRegularExpression = '2201B'
const outOfRange = '22003'

function sqlStateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
