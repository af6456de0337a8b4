import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { type Migration, readAccountTables, readMigrations } from '#migrations/migration-files.ts'
import { type MigrationStep, steps } from '#migrations/steps.ts'
import { accountSchema, type Database, isLockTimeout, openClient } from './database.ts'
import { isServerAway } from './citus/server-away.ts'
import { portalLock } from './waits/lock-keys.ts'
import { lockBusy } from './waits/locks.ts'
import { createTurns } from './waits/turns.ts'

type Client = pg.Client | pg.PoolClient

/**
 * Brings the control schema and the schemas of all accounts up to date. Safe to run from several processes at once: the
 * first does the work while the others wait. Returns the accounts whose server is down; `migrateAccounts` updates them
 * later.
 */
export async function migrate(databaseUrl: string): Promise<AccountId[]> {
  return withMigrationLock(databaseUrl, async (client) => {
    await migrateControl(client)
    return migrateOutdated(client)
  })
}

/**
 * Completes accounts whose creation was interrupted, and updates those whose server was down when the portal started.
 * Cheap if there are none. Returns the accounts whose server is still down.
 */
export async function migrateAccounts({ pool, url }: Pick<Database, 'pool' | 'url'>): Promise<AccountId[]> {
  const outdated = await selectOutdated(pool)
  return outdated.length === 0 ? [] : withMigrationLock(url, migrateOutdated)
}

async function migrateOutdated(client: Client): Promise<AccountId[]> {
  const away: AccountId[] = []
  for (const account of await selectOutdated(client)) {
    try {
      await migrateAccount(client, account)
      await markWhole(client, account)
    } catch (error) {
      if (!isServerAway(error)) throw error
      away.push(account)
    }
  }
  return away
}

/**
 * Returns accounts without the last migration. Versions compare by number; a process of an earlier release finds none.
 */
async function selectOutdated(client: Client | pg.Pool): Promise<AccountId[]> {
  const { rows } = await client.query<{ id: AccountId }>(
    'SELECT id FROM portico.accounts WHERE schema_version IS NULL OR schema_version < $1 ORDER BY id',
    [await lastAccountMigration()],
  )
  return rows.map(({ id }) => id)
}

/** Records that an account's schema is complete: from now on the account is listed and can be entered. */
export async function markWhole(client: Client, account: AccountId): Promise<void> {
  await client.query('UPDATE portico.accounts SET schema_version = $1 WHERE id = $2', [
    await lastAccountMigration(),
    account,
  ])
}

async function lastAccountMigration(): Promise<string> {
  return (await readMigrations('account')).at(-1)?.name ?? ''
}

/**
 * Runs `work` on a separate connection while no other process changes tables. Must not be nested. Waits as long as
 * others take: a start must not fail because another process is migrating.
 */
async function withMigrationLock<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return onOwnConnection(databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [portalLock('migration')])
    return work(client)
  })
}

const waitMs = 10_000
const turns = createTurns()

/**
 * The same for a request, which waits for at most ten seconds, including the locks that `work` needs. All requests of a
 * process share one connection, and accounts and people take turns (`createTurns`).
 * @throws unavailable, too_many_requests
 */
export async function changingTables<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const until = performance.now() + waitMs
  const release = await turns.take(portalLock('migration'), waitMs, { isPortalWide: true })
  if (!release) throw lockBusy()
  try {
    return await onOwnConnection(databaseUrl, async (client) => {
      // Zero would mean no limit.
      await client.query(`SET lock_timeout = ${Math.max(1, Math.ceil(until - performance.now()))}`)
      await client.query('SELECT pg_advisory_lock($1)', [portalLock('migration')])
      await client.query(`SET lock_timeout = ${waitMs}`)
      return work(client)
    })
  } catch (error) {
    throw isLockTimeout(error) ? lockBusy(error) : error
  } finally {
    release()
  }
}

async function onOwnConnection<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = openClient(databaseUrl, 'portico migrations')
  await client.connect()
  try {
    return await work(client)
  } finally {
    // Closing the connection releases the lock too.
    await client.end()
  }
}

/** Returns whether all migrations have run; used by `/readyz`. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const names = (await readMigrations('control')).map(({ name }) => name)
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM portico.migrations')
  const done = new Set(rows.map(({ name }) => name))
  return names.every((name) => done.has(name))
}

async function migrateControl(client: Client): Promise<void> {
  // Checked first: even if the schema exists, Citus would send the command to all nodes, and fail while one is down.
  const { rowCount: hasSchema } = await client.query(`SELECT FROM pg_namespace WHERE nspname = 'portico'`)
  if (!hasSchema) await client.query('CREATE SCHEMA portico')
  await client.query(
    'CREATE TABLE IF NOT EXISTS portico.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  )
  const { rows } = await client.query<{ name: string }>('SELECT name FROM portico.migrations')
  const done = new Set(rows.map(({ name }) => name))
  for (const migration of await readMigrations('control')) {
    if (done.has(migration.name)) continue
    await inOneTransaction(client, async () => {
      for (const statement of migration.statements) await runStatement(client, 'portico', statement)
      await client.query('INSERT INTO portico.migrations (name) VALUES ($1)', [migration.name])
    })
  }
}

/** Brings an account's schema up to date, or creates it. Can be repeated at any time. */
export async function migrateAccount(client: Client, account: AccountId): Promise<void> {
  const schema = accountSchema(account)
  if (!(await hasMigrations(client, schema))) {
    await inOneTransaction(client, () => createAccountSchema(client, account))
    return
  }
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations`)
  const done = new Set(rows.map(({ name }) => name))
  const missing = (await readMigrations('account')).filter(({ name }) => !done.has(name))
  for (const migration of missing) await inOneTransaction(client, () => applyToAccount(client, account, migration))
}

/**
 * Creates the schema of a new account, as part of the transaction that `client` has open: all of it, or nothing. The
 * only function that does so, because Citus requires sharding to be enabled when the schema is created (ADR 0004).
 */
export async function createAccountSchema(client: Client, account: AccountId): Promise<void> {
  const schema = accountSchema(account)
  const { rowCount: hasCitus } = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  if (hasCitus) await client.query('SET LOCAL citus.enable_schema_based_sharding TO on')
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await client.query((await readAccountTables()).replaceAll(':account', schema))
  await client.query(
    `INSERT INTO ${schema}.migrations (name, applied_at) SELECT name, $2 FROM unnest($1::text[]) AS n (name)`,
    [(await readMigrations('account')).map(({ name }) => name), new Date()],
  )
}

async function hasMigrations(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    `${schema}.migrations`,
  ])
  return rows[0]?.found ?? false
}

async function applyToAccount(client: Client, account: AccountId, { name, statements }: Migration): Promise<void> {
  const schema = accountSchema(account)
  const timeZone = client.escapeLiteral(await selectTimeZone(client, account))
  for (const statement of statements) {
    const written = statement.replaceAll(':account', schema).replaceAll(':timeZone', () => timeZone)
    await runStatement(client, schema, written)
  }
  await client.query(`INSERT INTO ${schema}.migrations (name, applied_at) VALUES ($1, $2)`, [name, new Date()])
}

/** Runs SQL, or for `RUN name;` a step in TypeScript: what SQL cannot compute (`server/migrations/steps.ts`). */
async function runStatement(client: Client, schema: string, statement: string): Promise<void> {
  const name = /^RUN (\w+);/.exec(statement)?.[1]
  if (name === undefined) {
    await client.query(statement)
    return
  }
  const step: MigrationStep | undefined = steps[name]
  if (!step) throw new Error(`A migration runs the step "${name}", which does not exist.`)
  await step(client, schema)
}

/** Returns the time zone of an account; UTC for one that is just being created. */
async function selectTimeZone(client: Client, account: AccountId): Promise<string> {
  const { rows } = await client.query<{ time_zone: string }>('SELECT time_zone FROM portico.accounts WHERE id = $1', [
    account,
  ])
  return rows[0]?.time_zone ?? 'UTC'
}

async function inOneTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    // The connection may be lost as well.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
