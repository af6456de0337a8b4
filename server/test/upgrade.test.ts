import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { basic } from '#test/resources/access.ts'
import { createDashboard, dashboardsPath } from '#test/resources/dashboards.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A portal on the database of an earlier release, upgraded by the migrations.

const fixture = join(import.meta.dirname, 'fixtures/portal-2026-11.sql')
const [north, south] = [1, 2]
const [adminEmail, ownerEmail, readerEmail, southernEmail] = [
  'admin-1@example.com',
  'member-2@example.com',
  'member-3@example.com',
  'member-5@example.com',
]

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal({}, async (url) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('DROP SCHEMA portico CASCADE')
    await client.query(await readFile(fixture, 'utf8'))
    await client.end()
    await migrate(url)
  })
  owner = await enter(ownerEmail, north)
})
afterAll(() => portal.close())

/** Signs in with the password from the earlier release. */
async function enter(email: string, account: number): Promise<Member> {
  const halfToken = await portal.signIn(email)
  const entered = await portal.holder(halfToken).get(`/identity/v1/login/${account}`)
  expect(entered).toMatchObject({ status: 200 })
  const { token } = entered.json<{ token: string }>()
  return { email, account, token, ...portal.holder(token) }
}

const listed = async (client: Client, path: string) => {
  const answer = await client.get(path)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<Record<string, unknown>[]>()
}

test('the lists of an account are unchanged', async () => {
  expect(await listed(owner, '/contact-service/v1/imports')).toMatchObject([
    { name: 'Second leads', status: 'completed' },
    { name: 'First leads', status: 'completed', processedRecords: 40 },
  ])
  expect(await listed(owner, '/contact-service/v1/exports')).toMatchObject([{ name: 'All names', status: 'completed' }])
  expect(await listed(owner, '/contact-service/v1/exports/1/deliveries')).toHaveLength(1)
  expect(await listed(owner, '/contact-service/v1/downloads')).toHaveLength(2)
  expect(await listed(owner, '/contact-service/v1/activity')).toHaveLength(3)
  expect(await listed(owner, '/contact-service/v1/deletes')).toMatchObject([{ deletedRecords: 1, status: 'completed' }])
  expect(await listed(owner, '/contact-service/v1/rdls')).toMatchObject([{ name: 'Parisians' }])
  const indexes = await listed(owner, '/contact-service/v1/indexes/details')
  expect(indexes).toContainEqual(expect.objectContaining({ name: 'cIndex_City_1_Age_-1', state: 'ready' }))
})

test('dashboards can be created', async () => {
  expect(await listed(owner, dashboardsPath)).toEqual([])
  await createDashboard(owner)
  expect(await listed(owner, dashboardsPath)).toMatchObject([{ author: ownerEmail }])
})

test('contacts are found', async () => {
  expect(await contactsOf(owner)).toHaveLength(40)
  const find = encodeURIComponent(JSON.stringify([{ $match: { City: 'Paris', Age: { $gte: 50 } } }]))
  const found = await listed(owner, `/contact-service/v1/offers?find=${find}`)
  expect(found.map(({ Age }) => Age)).toEqual([51, 53, 55, 57])
  expect(await contactsOf(await enter(southernEmail, south))).toHaveLength(2)
})

test('rights, credentials and the audit log are unchanged', async () => {
  const reader = await enter(readerEmail, north)
  expect(await reader.get('/contact-service/v1/offers?limit=1')).toMatchObject({ status: 200 })
  expect(await reader.get('/contact-service/v1/imports')).toMatchObject({ status: 403 })
  const program = portal.asking({ authorization: basic('PKbeforetheupgrade', 'the secret of a program') })
  expect(await listed(program, '/contact-service/v1/imports')).toHaveLength(2)
  expect(await listed(owner, '/identity/v1/impersonations')).toHaveLength(1)

  const admin = await enter(adminEmail, north)
  expect(await listed(admin, '/identity/v1/policies')).toContainEqual(
    expect.objectContaining({ name: 'Spring imports' }),
  )
  expect(await listed(admin, '/identity/v1/groups')).toContainEqual(expect.objectContaining({ name: 'Importers' }))
  const identities = await listed(admin, '/identity/v1/identities')
  expect(identities.map(({ email }) => email)).toEqual(expect.arrayContaining([ownerEmail, 'invited@example.com']))
  const accounts = await listed(admin, '/identity/v1/accounts/details')
  expect(accounts).toMatchObject([{ Value: 'North' }, { Value: 'South' }])
  expect(await listed(admin, '/identity/v1/audit')).toContainEqual(expect.objectContaining({ subject: 'First leads' }))
})

test('an import adds to the existing contacts', async () => {
  await portal.startWorker()
  const rows =
    'First Name,Email,Age,City,Joined\nPerson 3,person3@example.com,99,Oslo,2024-01-01\nEve,eve@example.com,1,Rome,2024-01-01\n'
  const done = await importFile(portal, owner, rows, {
    name: 'Third leads',
    typeCasting: true,
    generatePURL: true,
    purlColumns: ['First Name'],
    dedupHashMatching: true,
    dedupColumns: ['Email'],
  })
  expect(done).toMatchObject({ status: 'completed', processedRecords: 2 })
  const contacts = await contactsOf(owner)
  expect(contacts).toHaveLength(41)
  expect(contacts).toContainEqual(expect.objectContaining({ Email: 'person3@example.com', City: 'Oslo', Age: 99 }))
})
