import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { accountSchema, openClient } from './database.ts'

const folder = join(import.meta.dirname, '../../migrations')
// Any number; it only has to be the same in every process that migrates.
const migrationLock = 7_215_093

type Client = pg.Client | pg.PoolClient
type Migration = { name: string; statements: string[] }

/**
 * Brings the control schema and every account's schema up to date. Safe to run from several processes at once:
 * the first does the work while the others wait.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  await withMigrationLock(databaseUrl, async (client) => {
    await migrateControl(client)
    const { rows } = await client.query<{ id: number }>('SELECT id FROM portico.accounts ORDER BY id')
    for (const { id } of rows) await migrateAccount(client, id)
  })
}

/** Runs `work` on a separate connection while no other process changes tables. Must not be nested. */
export async function withMigrationLock<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = openClient(databaseUrl, 'portico migrations')
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    return await work(client)
  } finally {
    // Closing the connection releases the lock too.
    await client.end()
  }
}

/** True when nothing is left to migrate; asked by `/readyz`. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const names = (await readMigrations('control')).map(({ name }) => name)
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM portico.migrations')
  const done = new Set(rows.map(({ name }) => name))
  return names.every((name) => done.has(name))
}

async function migrateControl(client: Client): Promise<void> {
  await client.query('CREATE SCHEMA IF NOT EXISTS portico')
  await client.query(
    'CREATE TABLE IF NOT EXISTS portico.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  )
  const { rows } = await client.query<{ name: string }>('SELECT name FROM portico.migrations')
  const done = new Set(rows.map(({ name }) => name))
  for (const migration of await readMigrations('control')) {
    if (done.has(migration.name)) continue
    await applyTogether(client, migration.statements, 'INSERT INTO portico.migrations (name) VALUES ($1)', [
      migration.name,
    ])
  }
}

/**
 * Creates an account's schema, or brings it up to date. The only function that does so, because with Citus the schema has
 * to be created with sharding enabled (ADR 0004). Can be repeated at any time; returns whether there was anything to do.
 */
export async function migrateAccount(client: Client, account: AccountId): Promise<boolean> {
  const schema = accountSchema(account)
  await createAccountSchema(client, schema)
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)`,
  )
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations`)
  const done = new Set(rows.map(({ name }) => name))
  const missing = (await readMigrations('account')).filter(({ name }) => !done.has(name))
  if (missing.length === 0) return false
  const timeZone = client.escapeLiteral(await selectTimeZone(client, account))
  for (const migration of missing) {
    const statements = migration.statements.map((statement) =>
      statement.replaceAll(':account', schema).replaceAll(':timeZone', () => timeZone),
    )
    await applyTogether(client, statements, `INSERT INTO ${schema}.migrations (name, applied_at) VALUES ($1, $2)`, [
      migration.name,
      new Date(),
    ])
  }
  return true
}

/** The time zone of an account; UTC for one that is just being created. */
async function selectTimeZone(client: Client, account: AccountId): Promise<string> {
  const { rows } = await client.query<{ time_zone: string }>('SELECT time_zone FROM portico.accounts WHERE id = $1', [
    account,
  ])
  return rows[0]?.time_zone ?? 'UTC'
}

async function createAccountSchema(client: Client, schema: string): Promise<void> {
  const { rowCount: exists } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
  if (exists) return
  const { rowCount: hasCitus } = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  if (hasCitus) await client.query('SET citus.enable_schema_based_sharding TO on')
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  } finally {
    if (hasCitus) await client.query('RESET citus.enable_schema_based_sharding')
  }
}

async function applyTogether(client: Client, statements: string[], record: string, values: unknown[]): Promise<void> {
  await client.query('BEGIN')
  try {
    for (const statement of statements) await client.query(statement)
    await client.query(record, values)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

/** Statements end with a semicolon at the end of a line; a function body keeps its own inside `$$`. */
async function readMigrations(kind: 'control' | 'account'): Promise<Migration[]> {
  const names = (await readdir(join(folder, kind))).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => ({
      name,
      statements: splitStatements(await readFile(join(folder, kind, name), 'utf8')),
    })),
  )
}

function splitStatements(text: string): string[] {
  const statements: string[] = []
  let current = ''
  for (const line of text.split('\n')) {
    if (current === '' && /^\s*(--|$)/.test(line)) continue
    current += `${line}\n`
    const isInBody = (current.match(/\$\$/g)?.length ?? 0) % 2 === 1
    if (!isInBody && /;\s*(--.*)?$/.test(line)) {
      statements.push(current)
      current = ''
    }
  }
  if (current.trim() !== '') statements.push(current)
  return statements
}
