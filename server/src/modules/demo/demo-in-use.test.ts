import type { AccountEntry } from '@portico/contract/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootstrap } from '#sign-in'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { hasDemo, loadDemo, startDemo } from './demo.service.ts'

// An installation that is in use gets no demo.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await bootstrap(portal.parts.database, { ...portal.config, adminPassword: 'long enough' })
})
afterAll(() => portal.close())

test('an installation in use gets no demo while the demo is off', async () => {
  await startDemo({ ...portal.parts, config: { ...portal.config, demo: false } })()
  expect(await hasDemo({ ...portal.parts, config: { ...portal.config, demo: false } })).toBe(false)
  const { rows } = await portal.parts.database.pool.query('SELECT FROM portico.demo')
  expect(rows).toHaveLength(0)
})

test('an installation in use gets no demo, not even after its accounts are deleted', async () => {
  const config = { ...portal.config, demo: true }
  await portal.account('A real customer')
  expect(await hasDemo({ ...portal.parts, config })).toBe(true)
  expect(await loadDemo(portal.parts, new AbortController().signal)).toBe('declined')
  expect(await hasDemo({ ...portal.parts, config })).toBe(false)
  await portal.parts.database.pool.query(`DROP SCHEMA account_2 CASCADE`)
  await portal.parts.database.pool.query(`DELETE FROM portico.accounts WHERE name = 'A real customer'`)
  expect(await loadDemo(portal.parts, new AbortController().signal)).toBe('declined')
  const admin = await portal.powerAdmin()
  const accounts = (await admin.get('/identity/v1/accounts')).json<AccountEntry[]>()
  expect(accounts.map(({ Value }) => Value)).toEqual(['Portico'])
})
