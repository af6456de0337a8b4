import type { AccountId } from '@portico/contract/accounts'
import type { Kysely } from 'kysely'
import type { PoolClient } from 'pg'
import { listContactFields } from '#contacts'
import { accountSchema, type Database, processOf, queriesOn } from '#platform/database.ts'

/** A connection that sees the contacts of an account as they were at one moment, however long it reads. */
export type Snapshot = {
  client: PoolClient
  /** Queries on this very connection. */
  db: Kysely<object>
}

/**
 * Runs `work` in a snapshot. When `stop` is aborted the connection is ended, whatever it is doing, and `work` fails.
 */
export async function withSnapshot<T>(
  database: Database,
  account: AccountId,
  stop: AbortSignal,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const fields = await listContactFields(database.db, account)
  const tables = new Set(['contacts', ...fields.map(({ table }) => table)])
  const client = await database.pool.connect()
  // A connection that breaks fails its query as well; without a listener it would end the process besides.
  client.on('error', ignore)
  const end = () => void endBackend(database, client)
  stop.addEventListener('abort', end, { once: true })
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query('SET LOCAL statement_timeout = 0')
    // Locked before the first read: a column that changes its type meanwhile would leave the table empty for us.
    for (const table of tables) {
      await client.query(`LOCK TABLE ${accountSchema(account)}.${table} IN ACCESS SHARE MODE`)
    }
    stop.throwIfAborted()
    const answer = await work({ client, db: queriesOn(client) })
    await client.query('COMMIT')
    // Not given back when its end is on the way.
    client.release(stop.aborted)
    return answer
  } catch (error) {
    // No one reads what a COPY that was cut short still sends; only a closed connection ends it.
    client.connection.stream.destroy()
    client.release(true)
    throw error
  } finally {
    client.off('error', ignore)
    stop.removeEventListener('abort', end)
  }
}

function ignore(): void {}

/** Terminates rather than cancels: a backend that waits for us to read hears nothing else. */
async function endBackend(database: Database, client: PoolClient): Promise<void> {
  await database.pool.query('SELECT pg_terminate_backend($1)', [processOf(client)]).catch(ignore)
}
