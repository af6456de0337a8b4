import type { Activity } from '@portico/contract/activity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { submit } from '#test/resources/imports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/activity'
const file = 'Name\nAda\nBob\n'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const activity = async (client: Client, query = ''): Promise<Activity[]> => {
  const answer = await client.get(path + query)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<Activity[]>()
}

test('lists imports and exports, including waiting ones, latest activity first', async () => {
  expect(await activity(owner)).toEqual([])
  await submit(portal, owner, file, { name: 'First import' })
  await submit(portal, owner, file, { name: 'Second import' })
  const wanted = { name: 'An export', delimiter: 'csv', exportFields: ['_id'] }
  expect(await owner.post('/contact-service/v1/exports', wanted)).toMatchObject({ status: 201 })
  const { account } = owner
  const { pool } = portal.parts.database
  await pool.query(`UPDATE account_${account}.imports SET status = 'rejected', recovery_error = 'No header',
    last_activity_at = now() + interval '1 minute', processed_records = 7 WHERE name = 'First import'`)
  expect(await activity(owner)).toMatchObject([
    { kind: 'import', name: 'First import', status: 'rejected', reason: 'No header', creator: owner.email, records: 7 },
    { kind: 'export', name: 'An export', status: 'waiting', reason: null },
    { kind: 'import', name: 'Second import', status: 'waiting' },
  ])
  expect((await activity(owner, '?limit=2')).map(({ name }) => name)).toEqual(['First import', 'An export'])
})

test('lists only kinds of jobs that the caller can list', async () => {
  const exporter = await portal.member(owner.account, 'contact-service::exports::get')
  const importer = await portal.member(owner.account, 'contact-service::imports::get')
  const neither = await portal.member(owner.account, 'contact-service::offers::get')
  expect((await activity(exporter)).map(({ kind }) => kind)).toEqual(['export'])
  expect((await activity(importer)).map(({ kind }) => kind)).toEqual(['import', 'import'])
  expect(await activity(neither)).toEqual([])
})

test('lists nothing from other accounts and requires a session', async () => {
  expect(await activity(await portal.member(await portal.account()))).toEqual([])
  expect(await portal.anonymous.get(path)).toMatchObject({ status: 401 })
  for (const limit of ['0', '51', 'x']) expect(await owner.get(`${path}?limit=${limit}`)).toMatchObject({ status: 400 })
})
