import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { createAccount } from '#accounts'
import { accountSchema } from '#platform/database.ts'
import { onDatabase } from '#test/kit/cluster.ts'
import { createTestDatabase } from '#test/kit/database.ts'
import { startPortal } from '#test/kit/portal.ts'
import { dumpRows, dumpSchema, dumpTables, runAllMigrations, schemaFile } from '#test/kit/schema-dump.ts'

test('server/schema.sql matches the migrations (updated by npm run schema)', async () => {
  const { url, drop } = await createTestDatabase()
  try {
    expect(await dumpSchema(url)).toBe(await readFile(schemaFile, 'utf8'))
  } finally {
    await drop()
  }
})

test('a new account has the same tables and rows as one that ran all migrations', async () => {
  const portal = await startPortal()
  try {
    const created = await createAccount(portal.parts.database, { name: 'new', parent: null })
    const old = created + 1
    await onDatabase(portal.parts.database.url, async (client) => {
      await runAllMigrations(client, old)
      const [one, other] = [accountSchema(created), accountSchema(old)]
      expect(await dumpTables(client, one)).toBe(await dumpTables(client, other))
      expect(await dumpRows(client, one)).toBe(await dumpRows(client, other))
      expect(await migrationsOf(client, one)).toEqual(await migrationsOf(client, other))
    })
  } finally {
    await portal.close()
  }
})

test('the accounts of tests have the same tables, rows and audit entries as others', async () => {
  const portal = await startPortal()
  try {
    const parent = await portal.account()
    const ofTest = await portal.account('Of a test', parent)
    const other = await createAccount(portal.parts.database, { name: 'Other', parent })
    await onDatabase(portal.parts.database.url, async (client) => {
      const [one, two] = [accountSchema(ofTest), accountSchema(other)]
      expect(await dumpTables(client, one)).toBe(await dumpTables(client, two))
      expect(await dumpRows(client, one)).toBe(await dumpRows(client, two))
      expect(await migrationsOf(client, one)).toEqual(await migrationsOf(client, two))
      expect(await rowsOf(client, ofTest, 'Of a test')).toEqual(await rowsOf(client, other, 'Other'))
    })
  } finally {
    await portal.close()
  }
})

/** Returns an account's row and audit entries without what differs by its name and time. */
async function rowsOf(client: pg.Client, account: number, name: string): Promise<unknown> {
  const { rows: accounts } = await client.query('SELECT * FROM portico.accounts WHERE id = $1', [account])
  const { rows: entries } = await client.query('SELECT * FROM portico.audit_log WHERE account_id = $1', [account])
  expect(accounts).toHaveLength(1)
  expect(accounts[0]).toMatchObject({ name, name_key: name.toLowerCase() })
  expect(entries).toMatchObject([{ subject: name }])
  const unlike = { id: null, name: null, name_key: null, created_at: null, at: null, account_id: null, subject: null }
  return [...accounts, ...entries].map((row: object) => ({ ...row, ...unlike }))
}

async function migrationsOf(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations ORDER BY name`)
  return rows.map(({ name }) => name)
}
