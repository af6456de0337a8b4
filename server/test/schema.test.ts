import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
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
    const created = await portal.account()
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

async function migrationsOf(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations ORDER BY name`)
  return rows.map(({ name }) => name)
}
