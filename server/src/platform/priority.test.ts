import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase } from '#test/kit/database.ts'
import { openDatabase } from './database.ts'
import { createLog } from './log.ts'
import { lowerDatabasePriority } from './priority.ts'

const behind = Math.min(19, getPriority() + 10)
let database: Awaited<ReturnType<typeof createTestDatabase>>

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Returns the `nice` value of the process, and of its autogroup if Linux has these. */
function niceOf(id: number): number[] {
  const group = `/proc/${id}/autogroup`
  const session = existsSync(group) ? / nice (-?\d+)$/.exec(readFileSync(group, 'utf8').trim())?.[1] : undefined
  return [getPriority(id), Number(session ?? getPriority(id))]
}

it('the connections of a pool and their parallel workers get the lowest priority', async () => {
  const { pool, close } = openDatabase(database.url, createLog({ level: 'silent' }), { max: 2 })
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  lowerDatabasePriority(pool)

  const client = await pool.connect()
  const processIn = async (connection: pg.ClientBase): Promise<number> =>
    (await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0
  const connected = await processIn(client)
  await vi.waitFor(() => expect(niceOf(connected)).toEqual([behind, behind]), 5000)
  expect(niceOf(await processIn(other))).not.toContain(behind)

  // Makes PostgreSQL start a parallel worker for this statement, which runs until it is cancelled.
  await client.query('SET debug_parallel_query = on')
  const leader = await processIn(client)
  const sleeping = client.query('SELECT pg_sleep(60)').catch((error: unknown) => error)
  const helpers = async (): Promise<number[]> => {
    const asked = 'SELECT pid FROM pg_stat_activity WHERE leader_pid = $1 AND pid <> leader_pid'
    return (await other.query<{ pid: number }>(asked, [leader])).rows.map(({ pid }) => pid)
  }
  await vi.waitFor(async () => {
    const [helper] = await helpers()
    expect(helper).toBeDefined()
    expect(niceOf(helper ?? 0)).toEqual([behind, behind])
  }, 20_000)

  await other.query('SELECT pg_cancel_backend($1::int)', [leader])
  expect(await sleeping).toMatchObject({ code: '57014' })
  client.release()
  await Promise.all([other.end(), close()])
})
