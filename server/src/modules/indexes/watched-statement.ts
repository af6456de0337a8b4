import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'

/** A connection that runs long statements, and its server process id. */
export type WatchedConnection = { db: Db; pid: number }

export async function watchedConnection(db: Db): Promise<WatchedConnection> {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db)
  return { db, pid: rows[0]?.pid ?? 0 }
}

const watchMs = 500

/**
 * Runs a long statement of the connection. Cancels it in the database, so that it fails, when `signal` is aborted or
 * `isWanted` returns false.
 * @param others connections other than the watched one
 * @param onTrouble called with the error when watching fails; the statement itself goes on
 */
export async function runWatched<T>(
  { pid }: WatchedConnection,
  others: Db,
  {
    signal,
    isWanted,
    onTrouble,
  }: {
    signal: AbortSignal
    isWanted: () => Promise<boolean>
    onTrouble: (error: unknown) => void
  },
  work: () => Promise<T>,
): Promise<T> {
  let pending: Promise<void> = Promise.resolve()
  const check = async () => {
    try {
      if (signal.aborted || !(await isWanted())) await sql`SELECT pg_cancel_backend(${pid}::int)`.execute(others)
    } catch (error) {
      onTrouble(error)
    }
  }
  const checkNext = () => {
    pending = pending.then(check)
  }
  const watch = setInterval(checkNext, watchMs)
  signal.addEventListener('abort', checkNext, { once: true })
  try {
    return await work()
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', checkNext)
    // A cancellation in flight must not hit the connection's next statement.
    await pending
  }
}
