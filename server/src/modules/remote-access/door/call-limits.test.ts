import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'
import { createSharedCounts, type SharedCounts } from '#platform/shared-counts.ts'
import { createTestDatabase } from '#test/kit/database.ts'
import { countMiss, limitAddress } from './call-limits.ts'

const limits = { perAddress: 1e9, misses: 20 }
const log = createLog({ level: 'silent' })
const minute = 60
const hour = 60 * minute
const day = 24 * hour

let database: Database
let drop: () => Promise<void>
let counts: SharedCounts
/** Seconds since the start of a day. */
let clock = 0

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  database = openDatabase(created.url, log)
  const midnight = Date.UTC(2026, 0, 1)
  counts = createSharedCounts(database.db, log, () => midnight + clock * 1000)
})
afterAll(async () => {
  await counts.close()
  await database.close()
  await drop()
})

/** Guesses at the next time the address may. Returns the seconds it must wait before that, or null. */
function guess(address: string): number | null {
  const wait = limitAddress(counts, address, limits)
  if (wait === null) countMiss(counts, address)
  else clock += wait
  return wait
}

test('an address that keeps guessing waits until the next minute, then ten minutes, an hour, a day', () => {
  const misses = { ofMinute: 0, ofTenMinutes: 0, ofHour: 0, ofDay: 0 }
  const waits: number[] = []
  while (clock < day) {
    const before = clock
    const wait = guess('203.0.113.9')
    if (wait !== null) waits.push(wait)
    else {
      misses.ofDay++
      if (before < minute) misses.ofMinute++
      if (before < 10 * minute) misses.ofTenMinutes++
      if (before < hour) misses.ofHour++
    }
  }
  expect(misses).toEqual({ ofMinute: 20, ofTenMinutes: 60, ofHour: 150, ofDay: 500 })
  expect(waits.slice(0, 3)).toEqual([minute, minute, 8 * minute])
  expect(waits.at(-1)).toBeGreaterThan(hour)
  // A new day has a new count.
  expect(guess('203.0.113.9')).toBeNull()
})
