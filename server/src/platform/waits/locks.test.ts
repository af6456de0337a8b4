import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/kit/database.ts'
import { type Database, openClient, openDatabase } from '#platform/database.ts'
import { withLock } from './locks.ts'
import { createLog } from '#platform/log.ts'

let database: Database
let other: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  database = openDatabase(created.url, log, { max: 4 })
  other = openDatabase(created.url, log, { max: 4 })
  drop = created.drop
})
afterAll(async () => {
  await Promise.all([database.close(), other.close()])
  await drop()
})

const key = 42n
const busy = expect.objectContaining({
  code: 'unavailable',
  message: expect.stringContaining('Others are making changes'),
})

/** Holds the lock on a connection unknown to every portal, until the returned function is called. */
async function holdLock(): Promise<() => Promise<void>> {
  const client = openClient(database.url, 'stranger')
  await client.connect()
  await client.query('SELECT pg_advisory_lock(42)')
  return () => client.end()
}

test('work under a lock runs one at a time, within one process and across several', async () => {
  let [running, most, done] = [0, 0, 0]
  const work = async () => {
    most = Math.max(most, ++running)
    await sleep(2)
    running--
    done++
  }
  await Promise.all(Array.from({ length: 40 }, (_, at) => withLock((at % 2 ? database : other).db, key, work)))
  expect({ most, done }).toEqual({ most: 1, done: 40 })
})

test('forty waiting calls use one connection, are refused in time, and leave nothing behind', async () => {
  const release = await holdLock()
  const began = performance.now()
  const limits = { waitMs: 1000, heldMs: 30_000 }
  const waiting = Array.from({ length: 40 }, () => withLock(database.db, key, async () => 'done', limits))
  const outcomes = Promise.allSettled(waiting)
  await sleep(300)
  const { open, idle } = database.usage.changing.now()
  expect(open - idle).toBe(1)
  expect((await database.pool.query('SELECT 1')).rowCount).toBe(1)
  expect((await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual(
    Array.from({ length: 40 }, () => busy),
  )
  expect(performance.now() - began).toBeLessThan(3000)
  await release()
  expect(await withLock(database.db, key, async () => 'done')).toBe('done')
})

test('few transactions wait with their connection, and the rest are refused immediately', async () => {
  const release = await holdLock()
  const limits = { waitMs: 500, heldMs: 30_000 }
  const nested = (from: Database) =>
    from.db.transaction().execute((tx) => withLock(tx, key, async () => 'done', limits))
  const began = performance.now()
  const outcomes = await Promise.allSettled([...Array(4)].flatMap(() => [nested(database), nested(other)]))
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  expect(performance.now() - began).toBeLessThan(2500)
  await release()
  expect(await nested(database)).toBe('done')
})

test('a lock can be taken again within its own transaction, but not outside it', async () => {
  const again = await withLock(database.db, key, (tx) => withLock(tx, key, async () => 'done'))
  expect(again).toBe('done')
  const outside = withLock(database.db, key, () => withLock(database.db, key, async () => 'done'))
  await expect(outside).rejects.toThrow('taken within itself')
})

test('work that never ends releases the lock', async () => {
  const limits = { waitMs: 10_000, heldMs: 300 }
  let calls = 0
  const recursing = async (db: Database['db']): Promise<never> => {
    calls++
    await sql`SELECT 1`.execute(db)
    return recursing(db)
  }
  const endless = withLock(database.db, key, recursing, limits)
  const next = withLock(other.db, key, async () => 'done')
  await expect(endless).rejects.toEqual(busy)
  expect(await next).toBe('done')
  const before = calls
  await sleep(50)
  expect(calls).toBe(before)
})

test('work that waits for something else has its lock released by the database', async () => {
  const limits = { waitMs: 10_000, heldMs: 300 }
  const idle = withLock(database.db, key, () => sleep(1500), limits).catch((error: unknown) => error)
  await sleep(100)
  const began = performance.now()
  expect(await withLock(other.db, key, async () => 'done')).toBe('done')
  expect(performance.now() - began).toBeLessThan(1200)
  expect(await idle).toBeInstanceOf(Error)
})
