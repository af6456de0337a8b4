import type { AccountId } from '@portico/contract/accounts'
import type { Dashboard } from '@portico/contract/dashboards'
import type { OwnedItem } from '@portico/contract/people'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityOf, memberWith, reachSubAccounts, setConditions } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons } from '#test/resources/crons.ts'
import { addIdentity, createDashboard, dashboardsPath, definition, pie } from '#test/resources/dashboards.ts'
import { exportDraft } from '#test/resources/exports.ts'
import { addPasskey, createAuthenticator } from '#test/stand-ins/passkey-device.ts'
import { createIdentityWithPassword, enter, groupId, logOf, personIdOf } from '#test/kit/administration.ts'
import { exceeding, makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const rdls = '/contact-service/v1/rdls'

let portal: TestPortal
let main: AccountId
let sub: AccountId
let admin: Member
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  main = await portal.account('Main')
  sub = await portal.account('Sub', main)
  admin = await portal.powerAdmin()
  powerUser = await portal.member(main)
  await reachSubAccounts(portal, powerUser)
  const fields = { City: 'string', Salary: 'number' } as const
  await addContacts(portal.parts.database, sub, fields, [{ City: 'Rome', Salary: 1 }])
})
afterAll(() => portal.close())

const everything = { actions: ['*::*::*'] }

const pathOf = async (member: Pick<Member, 'email'>): Promise<string> =>
  `/identity/v1/people/${await personIdOf(portal, member)}/hand-over`

/** A member of the sub-account with a dashboard, a cron and a saved filter, of which the last two have salaries. */
async function giver(): Promise<Member & { path: string; dashboard: Dashboard; cron: string; filter: string }> {
  const member = await memberWith(portal, sub, everything)
  const dashboard = await createDashboard(member, {
    name: 'Own figures',
    definition: definition([{ id: 'first', cols: 12, chart: pie('Cities') }]),
  })
  const instruction = exportDraft(['Salary'])
  const { _id: cron } = await addCron(member, { name: `Of ${member.email}`, instruction })
  const aggregateQuery = JSON.stringify([{ $match: { Salary: 1 } }])
  const saved = await member.post(rdls, { name: `Of ${member.email}`, aggregateQuery })
  const filter = saved.json<{ _id: string }>()._id
  return { ...member, path: await pathOf(member), dashboard, cron, filter }
}

async function previewOf(by: Client, path: string, email: string): Promise<OwnedItem[]> {
  const answer = await by.post(`${path}/preview`, { email })
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<OwnedItem[]>()
}
const idsOf = (items: OwnedItem[]): string[] => items.map(({ _id }) => _id)
const authorOf = async (by: Client, id: string) =>
  (await by.get(`${dashboardsPath}/${id}`)).json<{ author?: string }>().author

test('moves what a person owns after a list of it, which then acts by the rights of the receiver', async () => {
  const from = await giver()
  const to = await memberWith(portal, sub, everything)
  const items = await previewOf(powerUser, from.path, to.email)
  expect(items).toMatchObject([
    { kind: 'dashboard', _id: from.dashboard._id, name: 'Own figures', account: { Key: sub }, refusal: null },
    { kind: 'cron', _id: from.cron, refusal: null },
    { kind: 'saved-filter', _id: from.filter, refusal: null },
  ])
  // Nothing has moved yet.
  expect(await authorOf(from, from.dashboard._id)).toBe(from.email)
  expect(await powerUser.post(from.path, { email: to.email, items: idsOf(items) })).toMatchObject({
    status: 200,
    body: { moved: items, stayed: [] },
  })
  expect(await authorOf(to, from.dashboard._id)).toBe(to.email)
  expect((await to.get(`${crons}/${from.cron}`)).json()).toMatchObject({ author: to.email })
  const holder = `identity ${await identityOf(portal, to)}`
  const { rows } = await portal.parts.database.pool.query(
    `SELECT holder FROM portico.crons WHERE id = $1
     UNION ALL SELECT holder FROM portico.saved_filters WHERE id = $2
     UNION ALL SELECT holder FROM portico.dashboard_versions WHERE dashboard_id = $3 AND version = 2`,
    [from.cron, from.filter, from.dashboard._id],
  )
  expect(rows).toEqual(Array.from({ length: 3 }, () => ({ holder: expect.stringContaining(holder) as string })))
  const details = expect.objectContaining({ from: from.email, to: to.email }) as Record<string, unknown>
  expect(await logOf(portal, 'Own figures')).toContainEqual(
    expect.objectContaining({ actor: powerUser.email, action: 'dashboard handed over', details }),
  )
  expect((await logOf(portal, `Of ${from.email}`)).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['cron handed over', 'saved filter handed over']),
  )
  expect(await previewOf(powerUser, from.path, to.email)).toEqual([])
})

test('lists what the receiver could not save, and leaves it', async () => {
  const from = await giver()
  const to = await memberWith(portal, sub, everything)
  await setConditions(portal, to, ['body::instruction.exportFields::nct::salary', 'body::aggregateQuery::nct::salary'])
  const items = await previewOf(admin, from.path, to.email)
  expect(items.map(({ kind, refusal }) => [kind, refusal === null])).toEqual([
    ['dashboard', true],
    ['cron', false],
    ['saved-filter', false],
  ])
  const answer = await admin.post(from.path, { email: to.email, items: idsOf(items) })
  expect(answer).toMatchObject({ status: 200, body: { moved: [{ kind: 'dashboard' }] } })
  expect(answer.json<{ stayed: OwnedItem[] }>().stayed.map(({ _id }) => _id)).toEqual([from.cron, from.filter])
  expect((await from.get(`${crons}/${from.cron}`)).json()).toMatchObject({ author: from.email })
})

test('moves only what was chosen', async () => {
  const from = await giver()
  const to = await memberWith(portal, sub, everything)
  const body = { email: to.email, items: [from.filter] }
  expect(await admin.post(from.path, body)).toMatchObject({ body: { moved: [{ kind: 'saved-filter' }], stayed: [] } })
  expect(await authorOf(from, from.dashboard._id)).toBe(from.email)
})

test('a power user hands over only work that acts by an accepted identity within their reach', async () => {
  const chief = { ...(await portal.powerAdmin()), account: sub }
  const globally: Member = { ...chief, ...(await enter(portal, chief, sub)) }
  const dashboard = await createDashboard(globally, { name: 'Of a power admin' })
  const { _id: cron } = await addCron(globally, { name: 'Cron of a power admin' })
  const aggregateQuery = JSON.stringify([{ $match: { City: 'Rome' } }])
  const saved = await globally.post(rdls, { name: 'Filter of a power admin', aggregateQuery })
  const all = [dashboard._id, cron, saved.json<{ _id: string }>()._id]
  const path = await pathOf(chief)
  const to = await memberWith(portal, sub, everything)
  expect(await powerUser.post(`${path}/preview`, { email: to.email })).toMatchObject({ status: 404 })
  // An invitation that was not accepted.
  const inSub = await enter(portal, powerUser, sub)
  const invited = await inSub.post('/identity/v1/identities', {
    email: chief.email,
    groups: [await groupId(inSub, 'Power users')],
  })
  expect(invited).toMatchObject({ status: 201 })
  expect(await previewOf(powerUser, path, to.email)).toEqual([])
  const body = { email: to.email, items: all }
  expect(await powerUser.post(path, body)).toMatchObject({ body: { moved: [], stayed: [] } })
  await portal.parts.database.pool.query(
    `UPDATE portico.identities SET accepted_at = now() WHERE account_id = $1 AND person_id = $2`,
    [sub, await personIdOf(portal, chief)],
  )
  expect(await previewOf(powerUser, path, to.email)).toEqual([])
  expect(idsOf(await previewOf(admin, path, to.email))).toEqual(all)
})

test('a dashboard stays if the receiver could not share it as it is', async () => {
  const from = await memberWith(portal, sub, everything)
  const to = await memberWith(portal, sub, everything)
  const shared = (aids: number[] | 'all') => ({ paids: 'all', aids, users: 'all' })
  const { pool } = portal.parts.database
  for (const [name, aids] of [
    ['In all', null],
    ['In main', [sub, main]],
    ['In sub', [sub]],
  ] as const) {
    const { _id } = await createDashboard(from, { name, sharedWith: shared([sub]) })
    await pool.query('UPDATE portico.dashboards SET shared_accounts = $2 WHERE id = $1', [_id, aids])
  }
  const items = await previewOf(admin, await pathOf(from), to.email)
  expect(items.map(({ name, refusal }) => [name, refusal])).toEqual([
    ['In all', 'It is shared with all accounts, which only power admins can do.'],
    ['In main', 'It is shared with accounts that they may not enter.'],
    ['In sub', null],
  ])
  // Someone who may enter both accounts, if from another network.
  const wide = await portal.member(main)
  await reachSubAccounts(portal, wide)
  await pool.query(`UPDATE portico.identities SET cidr = '{192.0.2.0/24}' WHERE id = $1`, [
    await identityOf(portal, wide),
  ])
  const forWide = await previewOf(admin, await pathOf(from), wide.email)
  expect(forWide.map(({ refusal }) => refusal === null)).toEqual([false, true, true])
})

test('a dashboard stays if it is shared with an account that the administrator lacks a second factor for', async () => {
  const strict = await portal.account('Strict', main)
  const member = await memberWith(portal, main, everything)
  await addIdentity(portal, member, strict)
  const sharedWith = { paids: 'all', aids: [main, strict], users: 'all' } as const
  const { _id } = await createDashboard(member, { name: 'In both', sharedWith })
  const to = await portal.member(main)
  await reachSubAccounts(portal, to)
  // They cannot enter the account with their password alone.
  await addPasskey(to, createAuthenticator())
  await portal.parts.database.pool.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [
    strict,
  ])
  const half = { ...to, token: await portal.signIn(to.email) }
  const alone = await enter(portal, half, main)
  const path = await pathOf(member)
  const refusal = 'It is shared with an account that requires two-factor authentication, which you have not shown.'
  expect(await previewOf(alone, path, to.email)).toMatchObject([{ _id, refusal }])
  expect((await alone.post(path, { email: to.email, items: [_id] })).body).toMatchObject({
    moved: [],
    stayed: [{ _id }],
  })
  expect(await authorOf(member, _id)).toBe(member.email)
})

test('lists what a person owns page by page, and moves items of a later page', async () => {
  const from = await memberWith(portal, sub, everything)
  const to = await memberWith(portal, sub, everything)
  const { _id } = await createDashboard(from, { name: 'A 000' })
  const { pool } = portal.parts.database
  // More than a page.
  await pool.query(
    `WITH copies AS (
       INSERT INTO portico.dashboards SELECT (jsonb_populate_record(d,
         jsonb_build_object('id', gen_random_uuid(), 'name', 'A ' || to_char(n, 'fm000')))).*
       FROM portico.dashboards d, generate_series(1, 501) n WHERE d.id = $1 RETURNING id)
     INSERT INTO portico.dashboard_versions SELECT (jsonb_populate_record(v, jsonb_build_object('dashboard_id', c.id))).*
     FROM portico.dashboard_versions v, copies c WHERE v.dashboard_id = $1`,
    [_id],
  )
  const path = await pathOf(from)
  const page = await powerUser.post(`${path}/preview`, { email: to.email, skip: 500 })
  const items = page.json<OwnedItem[]>()
  expect(items.map(({ name }) => name)).toEqual(['A 500', 'A 501'])
  expect(await powerUser.post(path, { email: to.email, items: [...idsOf(items), 'unknown'] })).toMatchObject({
    status: 200,
    body: { moved: items, stayed: [] },
  })
  expect(await powerUser.post(`${path}/preview`, { email: to.email, skip: -1 })).toMatchObject({ status: 400 })
})

test('moves dashboards of more than 50 MB together', async () => {
  const from = await memberWith(portal, sub, everything)
  const to = await memberWith(portal, sub, everything)
  for (let made = 0; made < 4; made++) await createDashboard(from, { name: `Large ${made}` })
  // White space, as the largest definitions take long to be judged.
  await portal.parts.database.pool.query(
    `UPDATE portico.dashboard_versions v SET definition = v.definition || repeat(' ', 15000000)
     FROM portico.dashboards d WHERE d.id = v.dashboard_id AND d.name LIKE 'Large %'`,
  )
  const path = await pathOf(from)
  const items = await previewOf(powerUser, path, to.email)
  expect(await powerUser.post(path, { email: to.email, items: idsOf(items) })).toMatchObject({
    status: 200,
    body: { moved: items, stayed: [] },
  })
  expect(items).toHaveLength(4)
})

test('needs an identity of the receiver within reach, in the account of each item', async () => {
  const from = await giver()
  const foreign = await portal.account('Foreign')
  const stranger = await portal.member(foreign)
  const elsewhere = await portal.member(main)
  const unknown = { status: 400, body: { error: { details: [{ field: 'email' }] } } }
  expect(await powerUser.post(`${from.path}/preview`, { email: stranger.email })).toMatchObject(unknown)
  expect(await powerUser.post(`${from.path}/preview`, { email: 'no.one@example.com' })).toMatchObject(unknown)
  expect(await powerUser.post(`${from.path}/preview`, { email: from.email })).toMatchObject(unknown)
  for (const { refusal } of await previewOf(powerUser, from.path, elsewhere.email))
    expect(refusal).toContain('no access to this account')
  // A person of the family who is a power admin too takes nothing on by that right.
  const chief = await portal.powerAdmin()
  const { db } = portal.parts.database
  await createIdentityWithPassword(db, { email: chief.email, account: main, powerUser: false })
  for (const { refusal } of await previewOf(powerUser, from.path, chief.email))
    expect(refusal).toContain('no access to this account')
})

test('is refused to others: another company, members, and administrators who hold less', async () => {
  const from = await giver()
  const to = await memberWith(portal, sub, everything)
  const body = { email: to.email, items: [from.filter] }
  const stranger = await portal.member(await portal.account())
  expect(await stranger.post(from.path, body)).toMatchObject({ status: 404 })
  expect(await to.post(from.path, body)).toMatchObject({ status: 403 })
  const limited = await makeLimitedAdmin(portal, admin, { actions: ['*::*::get', '*::*::put'] })
  expect(await limited.post(from.path, body)).toMatchObject(exceeding())
  // Work of someone with few rights does not act by more than the administrator holds.
  const few = await portal.member(sub, 'contact-service::offers::get', 'contact-service::rdls::post')
  const query = { name: `Few of ${few.email}`, aggregateQuery: '[{"$match":{"City":"Rome"}}]' }
  expect(await few.post(rdls, query)).toMatchObject({ status: 201 })
  const judge = await makeLimitedAdmin(portal, admin, {
    actions: ['*::*::get', '*::*::put', 'contact-service::rdls::*'],
  })
  const items = await previewOf(judge, await pathOf(few), to.email)
  expect(items.map(({ refusal }) => refusal)).toEqual([expect.stringContaining('rights here that you do not hold')])
})
