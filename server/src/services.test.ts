import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '#platform/log.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { openServices } from './services.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

test('services close although a statement that belongs to no job takes longer than a stop may', async () => {
  const { url, pool } = portal.parts.database
  const services = await openServices(portal.config, url, createLog({ level: 'silent' }), 'jobs')
  const outcome = services.database.pool.query('SELECT pg_sleep(600)').catch((error: unknown) => error)
  const running = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'SELECT pg_sleep(600)' AND state = 'active'`
  await vi.waitUntil(async () => (await pool.query(running)).rowCount === 1, { timeout: 20_000 })
  await services.close()
  expect(await outcome).toMatchObject({ code: '57014' })
})
