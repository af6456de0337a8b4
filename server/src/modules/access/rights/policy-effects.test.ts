import type { PolicyEffect } from '@portico/contract/rights'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeGroup, makePolicy } from '#test/kit/administration.ts'
import { makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { identityOf, memberWith } from '#test/resources/access.ts'

let portal: TestPortal
let admin: Member

beforeAll(async () => {
  portal = await startPortal()
  admin = await portal.powerAdmin()
})
afterAll(() => portal.close())

type Draft = { actions: readonly string[] } & { conditions?: readonly string[] }
const preview = (client: Client, id: string, draft: Draft): Promise<Answer> =>
  client.post(`/identity/v1/policies/${id}/effects`, draft)
const effectsOf = async (id: string, draft: Draft): Promise<PolicyEffect[]> =>
  (await preview(admin, id, draft)).json<PolicyEffect[]>()

/** Creates a global policy with these actions in a group with these identities; returns its id. */
async function held(name: string, actions: string[], ...identities: string[]): Promise<string> {
  const policy = await makePolicy(admin, name, { actions })
  const group = await makeGroup(admin, name, [policy])
  await portal.parts.database.pool.query(
    'INSERT INTO portico.identity_groups (identity_id, group_id) SELECT unnest($1::uuid[]), $2',
    [identities, group._id],
  )
  return policy._id
}

const member = 'member' as const
const isSame = { before: member, after: member }
const viewImports = 'contact-service::imports::get'
const viewExports = 'contact-service::exports::get'

test('those who gain and lose the same are listed together, over all accounts', async () => {
  const [one, other] = [await portal.account('Effects'), await portal.account('Effects elsewhere')]
  const first = await memberWith(portal, one, { actions: ['bi::reports::get'] })
  const second = await memberWith(portal, other, { actions: ['bi::reports::get'] })
  // Another policy gives the same, so this one loses and gains nothing.
  const both = await memberWith(portal, one, { actions: ['contact-service::*::get'] })
  const identities = await Promise.all([first, second, both].map((each) => identityOf(portal, each)))
  const id = await held('Seeing imports', [viewImports], ...identities)
  const effects = await effectsOf(id, { actions: [viewExports] })
  expect(effects).toEqual([
    {
      role: isSame,
      changes: [
        { action: viewImports, before: 'always', after: 'never' },
        { action: viewExports, before: 'never', after: 'always' },
      ],
      count: 2,
      holders: expect.arrayContaining([
        { email: first.email, userName: null, kind: 'person', account: one },
        { email: second.email, userName: null, kind: 'person', account: other },
      ]),
    },
  ])
  // Nothing was saved.
  expect(await effectsOf(id, { actions: [viewImports] })).toEqual([])
  // The answer is what the evaluator says once the policy is saved.
  const { version, name } = (await admin.get(`/identity/v1/policies/${id}`)).json<{ version: number; name: string }>()
  await admin.put(`/identity/v1/policies/${id}`, { name, actions: [viewExports], version })
  for (const [action, before] of [
    [viewImports, 'always'],
    [viewExports, 'never'],
  ] as const) {
    const query = new URLSearchParams({ email: first.email }).toString()
    const enterer = await portal.member(one)
    const { rights } = (await enterer.get(`/identity/v1/rights?${query}`)).json<{
      rights: { action: string; may: string }[]
    }>()
    expect(rights.find((right) => right.action === action)?.may).not.toBe(before)
  }
})

test('new conditions are shown as less, other conditions as changed, and roles as gained and lost', async () => {
  const account = await portal.account('Effects of conditions')
  const holder = await memberWith(portal, account)
  const id = await held('Under terms', [viewImports], await identityOf(portal, holder))
  const conditions = ['query::limit::eq::10']
  expect(await effectsOf(id, { actions: [viewImports], conditions })).toMatchObject([
    { count: 1, changes: [{ action: viewImports, before: 'always', after: 'conditions' }] },
  ])
  await portal.parts.database.pool.query('UPDATE portico.policies SET conditions = $2 WHERE id = $1', [id, conditions])
  expect(await effectsOf(id, { actions: [viewImports], conditions })).toEqual([])
  expect(await effectsOf(id, { actions: [viewImports], conditions: ['query::limit::eq::20'] })).toMatchObject([
    { changes: [{ action: viewImports, before: 'conditions', after: 'conditions' }] },
  ])
  const [effect] = await effectsOf(id, { actions: ['*::*::*'] })
  expect(effect).toMatchObject({
    role: { before: 'member', after: 'power-user' },
    holders: [{ email: holder.email }],
  })
  expect(effect?.changes).toContainEqual({ action: 'identity::identities::get', before: 'never', after: 'always' })
})

test('a disabled identity loses nothing, and a service identity is named', async () => {
  const account = await portal.account('Effects on services')
  const holder = await memberWith(portal, account)
  const identity = await identityOf(portal, holder)
  const { pool } = portal.parts.database
  const service = crypto.randomUUID()
  await pool.query(
    `INSERT INTO portico.identities (id, account_id, service_name, service_name_key, accepted_at)
     VALUES ($1, $2, 'Nightly sync', 'nightly sync', now())`,
    [service, account],
  )
  const id = await held('Held by a service', [viewImports], identity, service)
  await pool.query('UPDATE portico.identities SET is_disabled = true WHERE id = $1', [identity])
  expect(await effectsOf(id, { actions: ['bi::reports::get'] })).toMatchObject([
    { count: 1, holders: [{ email: 'service:Nightly sync', kind: 'service', account }] },
  ])
})

test('is for power admins who may read identities and the policy, and checks the draft', async () => {
  const policy = await makePolicy(admin, 'Effects unseen')
  const draft = { actions: [viewImports] }
  const powerUser = await portal.member(await portal.account('Effects refused'))
  expect(await preview(powerUser, policy._id, draft)).toMatchObject({ status: 403 })
  const limited = await makeLimitedAdmin(portal, admin, {
    actions: ['*::*::get'],
    conditions: ['query::isAdmin::eq::true'],
  })
  expect(await preview(limited, policy._id, draft)).toMatchObject({ status: 403 })
  const ofAnother = await portal.parts.database.pool.query<{ id: string }>(
    `INSERT INTO portico.policies (id, account_id, name, actions, conditions, condition_logic)
     VALUES (gen_random_uuid(), $1, 'Of another account', '{bi::reports::get}', '{}', 'and') RETURNING id`,
    [powerUser.account],
  )
  for (const id of [ofAnother.rows[0]?.id ?? '', crypto.randomUUID()]) {
    expect(await preview(admin, id, draft)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  }
  for (const [body, field] of [
    [{ actions: [] }, 'actions'],
    [{ ...draft, conditions: ['query::limit::regex::('] }, 'conditions.0'],
  ] as const) {
    expect(await preview(admin, policy._id, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input', details: [{ field }] } },
    })
  }
})

test('people of accounts that the caller may not enter are counted, not named', async () => {
  const [open, closed] = [await portal.account('Effects open'), await portal.account('Effects closed')]
  const named = await memberWith(portal, open, { actions: ['bi::reports::get'] })
  const hidden = await memberWith(portal, closed, { actions: ['bi::reports::get'] })
  const identities = await Promise.all([named, hidden].map((each) => identityOf(portal, each)))
  const id = await held('Seeing exports', [viewExports], ...identities)
  const { pool } = portal.parts.database
  await pool.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [closed])
  await pool.query('UPDATE portico.persons SET two_factor_since = now() WHERE email = $1', [hidden.email])
  const effects = await effectsOf(id, { actions: [viewImports] })
  expect(effects.reduce((sum, { count }) => sum + count, 0)).toBe(2)
  expect(effects.flatMap(({ holders }) => holders.map(({ email }) => email))).toEqual([named.email])
})
