import type { AccountId } from '@portico/contract/accounts'
import pg from 'pg'
import { AppError } from '../app-error.ts'
import { isCancelled, wireTypes } from '../database.ts'
import type { Logger } from '../log.ts'
import { createHoldings } from '../waits/holdings.ts'
import { createShares } from '../waits/shares.ts'
import { createLockedAccounts, StatementStopped } from './locked-accounts.ts'

/**
 * A statement that is prepared under its name, once per connection. The text of a name must never change. `ofAccount`:
 * it reads tables of the account, which the account's own work may lock.
 */
export type PreparedStatement = { name: string; text: string; values: unknown[]; ofAccount?: true }

/**
 * Short reads caused by strangers, on separate connections: a flood of them does not affect the portal's own. The
 * statements of one call share a round trip. They are read-only and time out after a second. An account holds at most a
 * third of the connections, and nearly none while its tables are locked.
 */
export type Lookups = {
  /**
   * Returns the rows of each statement as values in column order, dates as ISO 8601 in UTC.
   * @throws StatementStopped for those that take too long; unavailable without a connection in time
   */
  read: (account: AccountId, statements: readonly PreparedStatement[]) => Promise<unknown[][][]>
  close: () => Promise<void>
}

const connections = 8
// With more, calls would wait longer than their senders do.
const mostWaiting = 400
const mostOfAccount = Math.ceil(connections / 3)
// A burst of calls of one account is served in order.
const waitMs = 5000
// Of all accounts whose tables are locked.
const tries = 2

// Each statement looks up a key, so one plan suits all values. A full scan would cost too much for strangers; the
// indexes that their reads need always exist.
const options =
  '-c datestyle=ISO,MDY -c timezone=UTC -c default_transaction_read_only=on -c statement_timeout=1s ' +
  // Ends before the statement, which tells locked tables from slow statements.
  '-c lock_timeout=800ms ' +
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

export function openLookups(url: string, log: Logger): Lookups {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    pipeline: true,
    options,
    application_name: 'portico lookups',
    connectionTimeoutMillis: 2000,
    // A connection's prepared statements end with it.
    maxLifetimeSeconds: 300,
    allowExitOnIdle: true,
  })
  pool.on('error', (error) => log.warn({ err: error }, 'database connection lost'))
  pool.on('connect', (client) => client.on('error', () => {}))
  const calls = createHoldings()
  const shares = createShares({ most: mostOfAccount, waitMs })
  const locked = createLockedAccounts({ tries })
  return {
    async read(account, statements) {
      const party = String(account)
      const end = calls.take([{ party, most: mostWaiting, refusal: () => new AppError('unavailable') }])
      try {
        const free = await shares.take(party, undefined)
        const readNow = (): Promise<unknown[][][]> => readOn(pool, statements)
        const isOfAccount = statements.some(({ ofAccount }) => ofAccount)
        return await (isOfAccount ? locked.run(account, readNow) : readNow()).finally(free)
      } finally {
        end()
      }
    },
    close: () => pool.end(),
  }
}

async function readOn(pool: pg.Pool, statements: readonly PreparedStatement[]): Promise<unknown[][][]> {
  if (pool.waitingCount >= mostWaiting) throw new AppError('unavailable')
  const client = await pool.connect()
  const { stream } = client.connection
  // A single write, which wakes the database only once for all statements.
  stream.cork()
  const pending = statements.map(({ name, text, values }) =>
    client.query<unknown[]>({ name, text, values, rowMode: 'array', types: wireTypes }),
  )
  stream.uncork()
  const results = await Promise.allSettled(pending)
  const failed = results.find((result) => result.status === 'rejected')
  const isBroken = failed !== undefined && !(failed.reason instanceof pg.DatabaseError)
  client.release(isBroken)
  // Timed out after its second: the database is too busy for more.
  if (isCancelled(failed?.reason)) throw new StatementStopped(failed?.reason)
  if (failed) throw failed.reason
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.rows] : []))
}
