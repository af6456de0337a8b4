import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/kit/database.ts'
import { beginReading, type CallReading, limitReading } from './reading-limits.ts'
import { mostReplyBytes } from './reply-limit.ts'
import { markFor } from './shares.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
  // Emitted when the limits close a connection.
  pool.on('error', () => {})
  limitReading(pool, { most: mostReplyBytes })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** Begins a call of a person. */
function callOf(person: string): CallReading {
  const { signal } = new AbortController()
  markFor(signal, { person, account: null })
  return beginReading(signal)
}

const read = (call: CallReading) => call.run(() => pool.query("SELECT repeat('x', 40000000) AS large"))

test('the calls of one person together hold at most 100 MB until their replies are sent', async () => {
  const calls = [callOf('ada'), callOf('ada')]
  for (const call of calls) await read(call)
  const third = callOf('ada')
  await expect(read(third)).rejects.toMatchObject({ code: 'too_many_requests' })
  third.end()
  const other = callOf('bob')
  await read(other)
  for (const call of [...calls, other]) call.end()
  const later = callOf('ada')
  await read(later)
  later.end()
})
