import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'

/** A connection that runs long statements, and its number at the server. */
export type WatchedConnection = { db: Db; pid: number }

export async function watchedConnection(db: Db): Promise<WatchedConnection> {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db)
  return { db, pid: rows[0]?.pid ?? 0 }
}

const watchMs = 500

/**
 * Runs a long statement of the connection, which is cancelled in the database (and so fails) when `signal` is aborted or
 * `isWanted` says no.
 * @param others connections beside the watched one
 * @param onTrouble hears why it could not be watched; the statement itself may be well
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
  const look = async () => {
    try {
      if (signal.aborted || !(await isWanted())) await sql`SELECT pg_cancel_backend(${pid}::int)`.execute(others)
    } catch (error) {
      onTrouble(error)
    }
  }
  const lookNext = () => {
    pending = pending.then(look)
  }
  const watch = setInterval(lookNext, watchMs)
  signal.addEventListener('abort', lookNext, { once: true })
  try {
    return await work()
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', lookNext)
    // The connection must not run its next statement while a cancellation is on the way.
    await pending
  }
}
