import type { AccountId } from '@portico/contract/accounts'
import type { Writable } from 'node:stream'
import {
  type ColumnType,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { copyErrorState, isAccountMoving } from './citus/citus-errors.ts'
import type { Logger } from './log.ts'
import { limitReading } from './waits/reading-limits.ts'
import { mostReplyBytes } from './waits/reply-limit.ts'
import { type PoolUsage, watchPool } from './waits/pool-usage.ts'

/** A connection or an open transaction. It is the first argument of queries, so which one is used is always visible. */
export type Db = Kysely<object> | Transaction<object>

type PoolName = 'changing' | 'reading'

/** The database of this process: `db` for queries, a client of `pool` for COPY streams. */
export type Database = {
  db: Kysely<object>
  pool: pg.Pool
  url: string
  /** Use of the connections of `db` and `pool`, and of those for queries written by users. */
  usage: Record<PoolName, PoolUsage>
  /** Cancels statements of `pool` that have run for a second or longer. */
  cancelLong: () => Promise<void>
  close: () => Promise<void>
}

// The driver returns int8 as strings. Ids stay strings, also in the API; queries cast counts to int or float. So no
// parser is changed here, and no value silently loses digits.

/** A bigint column with a default: written as a number, read as text. */
export type BigintColumn = ColumnType<string, number | undefined, number>

/** The use of a pool: for requests, whose clients give up after a while, or for jobs, which may take hours. */
type PoolUse = 'requests' | 'jobs'

// A request must not wait forever: it fails with `unavailable`, and its connection serves the next one.
const requestOptions = '-c lock_timeout=10s -c statement_timeout=60s -c idle_in_transaction_session_timeout=60s'

// Maximum wait for a new connection, or for a free one of the pool.
export const connectMs = 10_000
// Equals the time after which a portal without free connections stops reporting ready. Each step of a request may wait.
const requestConnectMs = 5000

/** Opens a pool. Dates are read as ISO text in UTC, regardless of the server's settings. */
export function openDatabase(url: string, log: Logger, options: { max?: number; use?: PoolUse } = {}): Database {
  const calendar = '-c datestyle=ISO,MDY -c timezone=UTC'
  const settings = {
    connectionString: url,
    max: options.max ?? 20,
    // Connecting takes several times as long as most queries, so some connections stay open.
    min: 2,
    // A connection caches metadata of the tables of each account it served: tens of megabytes for hundreds of accounts.
    maxLifetimeSeconds: 30 * 60,
    // Dates mean the same on every server: M/d/yyyy for input, UTC for moments without a time zone.
    options: options.use === 'requests' ? `${calendar} ${requestOptions}` : calendar,
    application_name: 'portico',
    connectionTimeoutMillis: connectMs,
  }
  const pool = new pg.Pool(
    options.use === 'requests' ? { ...settings, connectionTimeoutMillis: requestConnectMs } : settings,
  )
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  const reading = new pg.Pool({ ...settings, pipeline: true, options: `${calendar} ${readingOptions}` })
  readingPools.set(db, reading)
  drivers.set(db, pool)
  const usage = { changing: watchPool(pool), reading: watchPool(reading) }
  limitReading(pool, { most: mostReplyBytes, waitMs: pool.options.connectionTimeoutMillis ?? connectMs })
  // Queries written by users have quotas and a limit of their own (`reading.ts`): their bytes are only added up here.
  limitReading(reading, { most: Infinity })
  let isClosing = false
  for (const each of [pool, reading]) {
    // Without a listener, a connection that breaks while idle would end the process.
    each.on('error', (error) => {
      if (!isClosing) log.warn({ err: error }, 'database connection lost')
    })
    // The same for one that breaks between two statements of a transaction; the next statement fails.
    each.on('connect', (client) => client.on('error', () => {}))
  }
  const close = async (): Promise<void> => {
    isClosing = true
    await Promise.all([db.destroy(), reading.end()])
  }
  return { db, pool, url, usage, cancelLong: longStatementsOf(pool), close }
}

function longStatementsOf(pool: pg.Pool): () => Promise<void> {
  const ours = new Set<number>()
  pool.on('connect', (client) => ours.add(processOf(client)))
  pool.on('remove', (client) => ours.delete(processOf(client)))
  return async () => {
    await pool.query(
      `SELECT pg_cancel_backend(pid) FROM pg_catalog.pg_stat_activity
       WHERE pid = ANY($1) AND state = 'active' AND query_start < now() - interval '1 second'`,
      [[...ours]],
    )
  }
}

/** Returns a separate connection, not yet connected. A statement that loses it fails, but never ends the process. */
export function openClient(url: string, name: string): pg.Client {
  const client = new pg.Client({ connectionString: url, application_name: name, connectionTimeoutMillis: connectMs })
  client.on('error', () => {})
  return client
}

/** Separate connections for queries written by users: read-only, and with a timeout. */
const readingPools = new WeakMap<Db, pg.Pool>()
const readingOptions = '-c default_transaction_read_only=on -c statement_timeout=30s'

/** Returns the pool for queries written by users; none for a transaction. */
export const readingPoolOf = (db: Db): pg.Pool | undefined => readingPools.get(db)

/** Returns the process id of a connection on the server. */
export function processOf(client: pg.PoolClient): number {
  // Missing from the types of pg.
  return (client as pg.PoolClient & { processID: number }).processID
}

/** Schema of the tables that span accounts. */
export const controlSchema = 'portico'

/** The control tables, as the calling module declares them. Each query on them must name its `account_id`. */
export function control<Tables>(db: Db): Kysely<Tables> {
  return (db as unknown as Kysely<Tables>).withSchema(controlSchema)
}

/** Returns the name of an account's schema. */
export function accountSchema(account: AccountId): string {
  // The only place where an account becomes part of SQL text; anything but a positive integer is a bug.
  if (!Number.isSafeInteger(account) || account < 1) throw new Error(`not an account: ${String(account)}`)
  return `account_${account}`
}

/** The tables of one account, as the calling module declares them. */
export function inAccount<Tables>(db: Db, account: AccountId): Kysely<Tables> {
  return (db as unknown as Kysely<Tables>).withSchema(accountSchema(account))
}

/** Returns a schema-qualified table of one account for hand-written SQL. */
export function accountTable(account: AccountId, table: string): RawBuilder<unknown> {
  return sql.id(accountSchema(account), table)
}

/** The driver of a `Db` (its pool or its connection), for statements that Kysely cannot express. */
const drivers = new WeakMap<Db, pg.Pool | pg.ClientBase>()

/**
 * Returns rows as values in column order, moments as ISO 8601 in UTC. For pages of contacts with all their fields,
 * where creating objects and `Date`s would waste time.
 */
export async function selectValues(db: Db, query: RawBuilder<unknown>): Promise<unknown[][]> {
  const { sql: text, parameters } = query.compile(db)
  return selectCompiledValues(db, { text, values: [...parameters] })
}

/** The same for a statement with placeholders `$1`, `$2` … */
export async function selectCompiledValues(
  db: Db,
  { text, values }: { text: string; values: unknown[] },
): Promise<unknown[][]> {
  const driver = drivers.get(db)
  if (!driver) throw new Error('Values cannot be selected in a transaction.')
  const result = await driver.query<unknown[]>({ text, values, rowMode: 'array', types: wireTypes })
  return result.rows
}

// A date without a time stays text, `2026-01-31`: a `Date` would be midnight in the time zone of this process.
pg.types.setTypeParser(pg.types.builtins.DATE, String)

const timestamptz = pg.types.builtins.TIMESTAMPTZ
const parseDate = pg.types.getTypeParser(timestamptz)
/** Type parsers that read moments as ISO 8601 in UTC. */
export const wireTypes = {
  getTypeParser: ((type: number, format?: 'text') =>
    type === timestamptz ? toIsoDate : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
}

/** Converts `2026-02-08 05:00:00+00` to `2026-02-08T05:00:00.000Z`; null for infinity. */
function toIsoDate(text: string): string | null {
  // Anything else has a fraction, a year of more than four digits, or is BC.
  const isPlain = text.length === 22 && text.endsWith('+00')
  if (isPlain) return `${text.slice(0, 10)}T${text.slice(11, 19)}.000Z`
  const date = parseDate(text)
  return date instanceof Date ? date.toISOString() : null
}

/** Runs `work` in a transaction, or in the one that is already open. */
export function inTransaction<T>(db: Db, work: (tx: Transaction<object>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Transaction<object>) : (db as Kysely<object>).transaction().execute(work)
}

/** Changes a server setting until the end of the transaction `tx`. */
export async function setLocally(tx: Db, setting: string, value: string): Promise<void> {
  await sql`SELECT set_config(${setting}, ${value}, true)`.execute(tx)
}

/** Runs statements in parallel, or sequentially if `db` is a transaction. Returns their results in order. */
export async function inParallel<T>(db: Db, statements: (() => Promise<T>)[]): Promise<T[]> {
  if (!db.isTransaction) return Promise.all(statements.map((run) => run()))
  const results: T[] = []
  for (const run of statements) results.push(await run())
  return results
}

/** Returns the code of an error of the database or of the operating system. */
function sqlState(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return null
  return copyErrorState(error) ?? error.code
}

/** Returns whether a unique index refused the row. On account tables, Citus may omit the constraint's name. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505'
}

/** Returns whether a text contains the NUL character, which PostgreSQL cannot store or compare. */
export function isUnstorableText(error: unknown): boolean {
  const state = sqlState(error)
  // In plain text, and in JSON.
  return state === '22021' || state === '22P05'
}

/** Returns whether a statement was cancelled, by its timeout or because its result was no longer needed. */
export function isCancelled(error: unknown): boolean {
  return sqlState(error) === '57014'
}

/** Returns whether a statement waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** Returns whether the database ended a transaction because it and another one waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error) === '40P01'
}

/** Returns whether a value exceeds a limit of the server, such as the maximum size of an index entry. */
export function isTooLarge(error: unknown): boolean {
  return sqlState(error) === '54000'
}

/** Returns whether a file or the database could not grow, which may change at any time. */
export function isDiskFull(error: unknown): boolean {
  const causes = error instanceof Error ? [error, error.cause] : []
  return causes.some((each) => /^(53100|ENOSPC|EDQUOT)$/.test(sqlState(each) ?? ''))
}

/** Returns whether the disk of the database is full, not that of the storage of files. */
export function isDatabaseFull(error: unknown): boolean {
  return sqlState(error) === '53100'
}

/** Returns whether a statement would take more temporary files than the server's `temp_file_limit`. */
export function isOverTemporaryFiles(error: unknown): boolean {
  return sqlState(error) === '53400'
}

/** Returns whether the server is out of disk (53100), out of memory (53200) or over a configured limit (53400). */
export function isOutOfResources(error: unknown): boolean {
  return sqlState(error)?.startsWith('53') ?? false
}

/** Returns whether a statement or the code around it is wrong: the portal is at fault, not the connection or the data. */
export function isPortalFault(error: unknown): boolean {
  return /^(42|0A)/.test(sqlState(error) ?? '') || error instanceof TypeError
}

/**
 * Returns whether the database could not be reached, stopped, had no free connection, or is moving the account: a retry
 * shortly after may succeed.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isConnectionLost(error) || isAccountMoving(error)) return true
  // Too many connections; socket errors.
  return /^(53300|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/.test(sqlState(error) ?? '')
}

/**
 * Returns whether the connection to the database ended, or the database reports that it is stopping, starting or has
 * crashed, or that it ended a transaction that took too long.
 */
export function isConnectionLost(error: unknown): boolean {
  if (/^(08|57P0[123]|25P0[34])/.test(sqlState(error) ?? '')) return true
  return error instanceof Error && driverFailures.test(error.message)
}

const driverFailures =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/**
 * Returns whether a statement came after the pool was closed: the portal is stopping and has disconnected its clients.
 */
export function isDatabaseClosed(error: unknown): boolean {
  return error instanceof Error && /^(driver has already been destroyed|Cannot use a pool after)/.test(error.message)
}

/** Runs `work` with a separate connection, for a transaction that mixes COPY streams and queries. */
export async function withConnection<T>(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let failure: Error | undefined
  // A connection that breaks during a stream also emits this event; without a listener, the process would end.
  const onError = (error: Error) => (failure = error)
  client.on('error', onError)
  try {
    return await work({
      db: queriesOn(client),
      client,
      copyFrom: (statement) => client.query(copyFrom(statement.compile(db).sql)),
    })
  } catch (error) {
    // The connection may be in a transaction or a COPY, so it is closed instead of reused.
    failure = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.off('error', onError)
    client.release(failure)
  }
}

/** One connection: `db` runs queries on it, `copyFrom` sends the rows of a COPY … FROM STDIN. */
export type Connection = {
  db: Kysely<object>
  client: pg.PoolClient
  copyFrom: (statement: RawBuilder<unknown>) => Writable
}

const runners = new WeakMap<pg.ClientBase, Kysely<object>>()

/** Runs queries on this connection without ever closing or releasing it. */
export function queriesOn(client: pg.ClientBase): Kysely<object> {
  const known = runners.get(client)
  if (known) return known
  const runner = new Kysely<object>({ dialect: new PostgresDialect({ pool: onlyThis(client) }) })
  runners.set(client, runner)
  drivers.set(runner, client)
  return runner
}

/** Returns a pool of only this client, which makes Kysely's transactions run on the connection that COPY uses. */
function onlyThis(client: pg.ClientBase): PostgresPool {
  const borrowed = { query: client.query.bind(client), release: () => {} } as PostgresPoolClient
  return { connect: async () => borrowed, end: async () => {}, options: {} }
}
