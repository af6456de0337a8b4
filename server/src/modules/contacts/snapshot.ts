import type { AccountId } from '@portico/contract/accounts'
import type { Kysely } from 'kysely'
import type { PoolClient } from 'pg'
import { listContactFields } from './fields.service.ts'
import { accountSchema, type Database, processOf, queriesOn } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'

/** A connection that sees the contacts of an account as of one moment, regardless of how long it reads. */
export type Snapshot = {
  client: PoolClient
  /** Queries on this connection. */
  db: Kysely<object>
}

/** Runs `work` in a snapshot. When `stop` is aborted, the connection is terminated at once, and `work` fails. */
export async function withSnapshot<T>(
  { database, log }: { database: Database; log: Logger },
  account: AccountId,
  stop: AbortSignal,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const fields = await listContactFields(database.db, account)
  const tables = new Set(['contacts', ...fields.map(({ table }) => table)])
  const client = await database.pool.connect()
  // A broken connection also fails its query; without a listener, this event would end the process.
  client.on('error', ignore)
  const end = () => void endBackend({ database, log }, client)
  stop.addEventListener('abort', end, { once: true })
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    // Users of the snapshot set their own limits.
    await client.query('SET LOCAL statement_timeout = 0')
    // Locked before the first read: a concurrent change of a column's type would make the table look empty. With Citus,
    // only on the coordinator, which such changes lock as well: locks on every server would need every server.
    await client.query('SET LOCAL citus.enable_ddl_propagation = off')
    for (const table of tables) {
      await client.query(`LOCK TABLE ${accountSchema(account)}.${table} IN ACCESS SHARE MODE`)
    }
    stop.throwIfAborted()
    const answer = await work({ client, db: queriesOn(client) })
    await client.query('COMMIT')
    // Destroyed instead of returned to the pool while the backend is being terminated.
    client.release(stop.aborted)
    return answer
  } catch (error) {
    // The output of an aborted COPY is not read; only closing the connection ends it.
    client.connection.stream.destroy()
    client.release(true)
    throw error
  } finally {
    client.off('error', ignore)
    stop.removeEventListener('abort', end)
  }
}

function ignore(): void {}

/**
 * Terminates the backend instead of cancelling its query: a backend that waits for its reader ignores a cancel request.
 * If that fails, closing our end makes the work fail too; the backend notices when it next writes.
 */
async function endBackend({ database, log }: { database: Database; log: Logger }, client: PoolClient): Promise<void> {
  try {
    // Without the type, Citus reads the number as text.
    await database.pool.query('SELECT pg_terminate_backend($1::int)', [processOf(client)])
  } catch (error) {
    log.warn({ err: error }, 'the connection of a snapshot could not be terminated')
    client.connection.stream.destroy()
  }
}
