import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { accountSchema } from '#platform/database.ts'
import { startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { migrate, migrateAccount } from '#platform/migrations.ts'
import { onDatabase } from './cluster.ts'

/** File of the dump, for readers and for comparison. */
export const schemaFile = join(import.meta.dirname, '../../schema.sql')

const introduction = `-- The tables of a portal as the migrations make them. Written by "npm run schema".
-- Schema portico holds what accounts share. Each account has a schema of its own, account_1 and so on, here called
-- ":account": those of new accounts are made by the statements below, and so do not run the migrations (decision 0111).
-- The tables contacts_2 and so on, for further fields of contacts, are made when they are needed.
`

/** Returns the dump of a new portal, made with a temporary embedded PostgreSQL. */
export async function dumpNewPortal(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-schema-'))
  const server = await startEmbeddedPostgres(folder, { info: () => {} }, { durable: false })
  try {
    await migrate(server.url)
    return await dumpSchema(server.url)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the control schema and that of an account as SQL, by table. The account runs all migrations first. */
export async function dumpSchema(url: string): Promise<string> {
  return onDatabase(url, async (client) => {
    await runAllMigrations(client, 1)
    const control = await dumpTables(client, 'portico')
    const account = await dumpTables(client, 'account_1')
    return [introduction, control, account, await dumpRows(client, 'account_1')].join('\n')
  })
}

/** Creates an account's schema like that of an old account, which has run each migration. */
export async function runAllMigrations(client: pg.Client, account: AccountId): Promise<void> {
  const schema = accountSchema(account)
  await client.query(`CREATE SCHEMA ${schema}`)
  await client.query(`CREATE TABLE ${schema}.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)`)
  await migrateAccount(client, account)
}

/** Returns the tables of a schema as SQL. The schema of an account is called `:account`. */
export async function dumpTables(client: pg.Client, schema: string): Promise<string> {
  // Otherwise names of schemas in the user's search path are not qualified.
  await client.query(`SET search_path TO ''`)
  const dump = (await tablesOf(client, schema)).join('\n')
  return dump.replaceAll(/\baccount_\d+\./g, ':account.').replaceAll('timestamp with time zone', 'timestamptz')
}

/** Returns the rows in the tables of a new account, except for its migrations, as SQL. */
export async function dumpRows(client: pg.Client, schema: string): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'
     AND relname <> 'migrations' ORDER BY relname COLLATE "C"`,
    [schema],
  )
  const lines: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query<object>(`SELECT * FROM ${schema}.${name} ORDER BY 1`)
    for (const row of rows) {
      const values = Object.values(row).map((value) => (value === null ? 'NULL' : client.escapeLiteral(String(value))))
      lines.push(`INSERT INTO :account.${name} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')});\n`)
    }
  }
  return lines.join('')
}

type Definition = { table: string; definition: string }

async function tablesOf(client: pg.Client, schema: string): Promise<string[]> {
  const [columns, constraints, indexes] = [
    await definitions(client, schema, columnQuery),
    await definitions(client, schema, constraintQuery),
    await definitions(client, schema, indexQuery),
  ]
  return [...columns].map(([table, lines]) => {
    const body = [...lines, ...(constraints.get(table) ?? [])].map((line) => `  ${line}`).join(',\n')
    const after = (indexes.get(table) ?? []).map((index) => `${index};\n`).join('')
    return `CREATE TABLE ${schema}.${table} (\n${body}\n);\n${after}`
  })
}

async function definitions(client: pg.Client, schema: string, query: string): Promise<Map<string, string[]>> {
  const { rows } = await client.query<Definition>(query, [schema])
  const byTable = new Map<string, string[]>()
  for (const { table, definition } of rows) byTable.set(table, [...(byTable.get(table) ?? []), definition])
  return byTable
}

const columnQuery = `
  SELECT t.relname AS table, concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attcollation <> 0 AND a.attcollation <> y.typcollation THEN 'COLLATE ' || quote_ident(l.collname) END,
    CASE a.attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY' WHEN 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY' END,
    CASE WHEN a.attgenerated <> '' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
      WHEN d.oid IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
    CASE WHEN a.attnotnull THEN 'NOT NULL' END) AS definition
  FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid JOIN pg_type y ON y.oid = a.atttypid
  LEFT JOIN pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
  WHERE t.relnamespace = $1::regnamespace AND t.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY t.relname COLLATE "C", a.attnum`

/** Primary keys first. NOT NULL, a constraint since PostgreSQL 18, is dumped with its column. */
const constraintQuery = `
  SELECT t.relname AS table, 'CONSTRAINT ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid) AS definition
  FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
  WHERE c.connamespace = $1::regnamespace AND c.contype IN ('p', 'u', 'f', 'c', 'x')
  ORDER BY c.contype <> 'p', c.conname COLLATE "C"`

/** Indexes that do not belong to a constraint. */
const indexQuery = `
  SELECT t.relname AS table, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
  WHERE t.relnamespace = $1::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
  ORDER BY x.relname COLLATE "C"`
