import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/kit/database.ts'
import { type Database, openDatabase } from './database.ts'
import { createLog } from './log.ts'
import { createSharedCounts, type SharedCounts } from './shared-counts.ts'

const minuteMs = 60_000
const log = createLog({ level: 'silent' })
let database: Database
let drop: () => Promise<void>
const opened: SharedCounts[] = []

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  database = openDatabase(created.url, log)
})
afterAll(async () => {
  for (const counts of opened) await counts.close()
  await database.close()
  await drop()
})

/** Returns the counts of another process, whose clock is off by `offsetMs`. */
function process(offsetMs = 0): SharedCounts {
  const counts = createSharedCounts(database.db, log, () => Date.now() + offsetMs)
  opened.push(counts)
  return counts
}

/** A key whose window does not end during the test. */
const hourMs = 60 * minuteMs

test('processes share their counts without losing or doubling any', async () => {
  const [one, other] = [process(), process()]
  expect(one.add('a', hourMs)).toBe(1)
  expect(one.add('a', hourMs, 4)).toBe(5)
  expect(other.add('a', hourMs)).toBe(1)
  await one.share()
  await other.share()
  expect(other.get('a', hourMs)).toBe(6)
  expect(one.add('a', hourMs)).toBe(6)
  await one.share()
  expect(one.get('a', hourMs)).toBe(7)
  expect(one.get('b', hourMs)).toBe(0)
})

test('calls counted during sharing are kept', async () => {
  const counts = process()
  counts.add('busy', hourMs, 10)
  const sharing = counts.share()
  expect(counts.add('busy', hourMs)).toBe(11)
  await sharing
  expect(counts.get('busy', hourMs)).toBe(11)
  await counts.share()
  expect(counts.get('busy', hourMs)).toBe(11)
})

test('a window expires, and its row is deleted', async () => {
  let now = Date.now()
  const counts = createSharedCounts(database.db, log, () => now)
  opened.push(counts)
  counts.add('short', 50, 3)
  await counts.share()
  now += 100
  expect(counts.get('short', 50)).toBe(0)
  const left = async () => {
    counts.add('tick', hourMs)
    await counts.share()
    const { rows } = await database.pool.query(`SELECT FROM portico.call_counts WHERE key = 'short'`)
    return rows.length
  }
  await expect.poll(left).toBe(0)
})

test('windows follow the clock of the database, even if that of a process is wrong', async () => {
  const [right, wrong] = [process(), process(90 * minuteMs)]
  right.add('clock', hourMs, 2)
  wrong.add('first call learns the time', hourMs)
  await right.share()
  await wrong.share()
  expect(wrong.add('clock', hourMs)).toBe(1)
  await wrong.share()
  expect(wrong.get('clock', hourMs)).toBe(3)
})

test('the oldest keys are evicted beyond 100,000', () => {
  const counts = createSharedCounts(database.db, log)
  for (let at = 0; at <= 100_000; at++) counts.add(`key ${at}`, hourMs)
  expect(counts.get('key 0', hourMs)).toBe(0)
  expect(counts.get('key 100000', hourMs)).toBe(1)
})
