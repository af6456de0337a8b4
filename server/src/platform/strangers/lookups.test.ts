import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/kit/database.ts'
import { createLog } from '../log.ts'
import { type Lookups, openLookups } from './lookups.ts'

let lookups: Lookups
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  lookups = openLookups(created.url, createLog({ level: 'silent' }))
})
afterAll(async () => {
  await lookups.close()
  await drop()
})

const one = { name: 'one', text: 'SELECT 1, $1::text', values: ['a'] }

test('the results of one call are in the order of its statements', async () => {
  const two = { name: 'two', text: "SELECT timestamptz '2026-01-31 09:30+01' AS moment", values: [] }
  expect(await lookups.read(1, [one, two])).toEqual([[[1, 'a']], [['2026-01-31T08:30:00.000Z']]])
})

test('a statement that takes longer than a second is canceled, and the next call works', async () => {
  const slow = { name: 'slow', text: 'SELECT pg_sleep(20)', values: [] }
  const started = performance.now()
  await expect(lookups.read(1, [one, slow])).rejects.toMatchObject({ code: 'unavailable' })
  expect(performance.now() - started).toBeLessThan(10_000)
  expect(await lookups.read(1, [one])).toEqual([[[1, 'a']]])
})

test('writes are refused', async () => {
  const write = { name: 'write', text: 'CREATE TABLE written (n int)', values: [] }
  await expect(lookups.read(1, [write])).rejects.toMatchObject({ code: '25006' })
})
