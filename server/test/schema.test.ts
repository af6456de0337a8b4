import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { dumpSchema, schemaFile } from './schema-dump.ts'

test('server/schema.sql is what the migrations make; "npm run schema" writes it', async () => {
  const { url, drop } = await createTestDatabase()
  try {
    expect(await dumpSchema(url)).toBe(await readFile(schemaFile, 'utf8'))
  } finally {
    await drop()
  }
})
