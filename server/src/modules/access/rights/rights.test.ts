import type { EffectiveRights, RightHolder, RightHolders } from '@portico/contract/rights'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enter } from '#test/kit/administration.ts'
import { makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { identityOf, limit, memberWith } from '#test/resources/access.ts'

let portal: TestPortal
let account: number
let asker: Member

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account('Rights')
  asker = await portal.member(account)
})
afterAll(() => portal.close())

const ask = (client: Client, email: string): Promise<Answer> =>
  client.get(`/identity/v1/rights?${new URLSearchParams({ email }).toString()}`)
/** Each policy of `by` in place of its number. */
const resolved = <Given extends { by: RightHolder['by'] }>(given: Given, policies: EffectiveRights['policies']) => ({
  ...given,
  by: given.by.map(({ policy, action }) => ({ ...policies[policy], action })),
})
const rightsOf = async (client: Client, email: string) => {
  const { rights, policies, ...more } = (await ask(client, email)).json<EffectiveRights>()
  return { ...more, rights: rights.map((right) => resolved(right, policies)) }
}
const rightTo = ({ rights }: Pick<Awaited<ReturnType<typeof rightsOf>>, 'rights'>, action: string) =>
  rights.find((right) => right.action === action)
const holders = async (client: Client, action: string) => {
  const answer = await client.get(`/identity/v1/rights/holders?action=${action}`)
  const { holders: found, policies } = answer.json<RightHolders>()
  return found.map((holder) => resolved(holder, policies))
}

test('lists each action with the policies that give it, their conditions and the limits', async () => {
  const conditions = ['body::delimiter::eq::csv']
  const member = await memberWith(
    portal,
    account,
    { name: 'Reading', actions: ['*::*::get'] },
    { name: 'Exporting', actions: ['contact-service::exports::*'], conditions },
  )
  await limit(portal, await identityOf(portal, member), { days: ['sat', 'sun'], daysEffect: 'in', cidr: '10.0.0.0/8' })
  const rights = await rightsOf(asker, member.email)
  expect(rights).toMatchObject({
    email: member.email,
    role: 'member',
    hasHiddenPolicies: false,
    identities: [{ aid: account, refusal: null, limits: ['Saturday to Sunday (UTC)', '10.0.0.0/8'], rowRule: null }],
  })
  expect(rightTo(rights, 'contact-service::offers::get')).toMatchObject({
    may: 'always',
    by: [{ policy: 'Reading', aid: account, action: '*::*::get', text: { conditions: [] } }],
  })
  expect(rightTo(rights, 'contact-service::exports::get')?.by.map(({ policy }) => policy)).toEqual([
    'Exporting',
    'Reading',
  ])
  expect(rightTo(rights, 'contact-service::exports::post')).toMatchObject({
    may: 'conditions',
    by: [{ policy: 'Exporting', action: 'contact-service::exports::*', text: { conditions, conditionLogic: 'and' } }],
  })
  expect(rightTo(rights, 'contact-service::offers::delete')).toMatchObject({ may: 'never', by: [] })
  // It covers the action, but only administrators may make these calls.
  expect(rightTo(rights, 'identity::identities::get')).toMatchObject({ may: 'never', by: [] })
})

test('a disabled identity gives nothing, and says so', async () => {
  const member = await memberWith(portal, account, { actions: ['*::*::get'] })
  await limit(portal, await identityOf(portal, member), { isDisabled: true })
  const rights = await rightsOf(asker, member.email)
  expect(rights.identities).toMatchObject([{ refusal: 'Gives nothing here unless: The identity is not disabled.' }])
  expect(rights.rights.every(({ may, by }) => may === 'never' && by.length === 0)).toBe(true)
})

test('a power user may do what administrators of an account may, and nothing of power admins', async () => {
  const rights = await rightsOf(asker, asker.email)
  expect(rights).toMatchObject({ role: 'power-user' })
  expect(rightTo(rights, 'identity::identities::get')).toMatchObject({ may: 'always' })
  expect(rightTo(rights, 'identity::policies::put')).toMatchObject({ may: 'never' })
})

test('what a global identity gives is for power admins only', async () => {
  const admin = await portal.powerAdmin()
  expect(await ask(asker, admin.email)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  const rights = await rightsOf(admin, admin.email)
  expect(rights).toMatchObject({ role: 'power-admin' })
  expect(rightTo(rights, 'identity::policies::put')).toMatchObject({ may: 'always', by: [{ aid: '*' }] })
})

test('rights are for callers who may read identities without conditions', async () => {
  const member = await memberWith(portal, account, { name: 'Shown text', actions: ['bi::*::get'] })
  const admin = await portal.powerAdmin()
  const known = { policy: 'Shown text', action: 'bi::*::get', text: { conditions: [] } }
  expect(rightTo(await rightsOf(admin, member.email), 'bi::dashboards::get')).toMatchObject({
    may: 'always',
    by: [known],
  })
  for (const condition of ['query::isAdmin::eq::true', 'query::isAdmin::neq::true']) {
    const limited = await makeLimitedAdmin(portal, admin, { actions: ['*::*::get'], conditions: [condition] })
    expect(await ask(limited, member.email)).toMatchObject({ status: 403 })
  }
})

test('lists who may do something, with the policies and limits, by email', async () => {
  const own = await portal.account('Holders')
  const chief = await portal.member(own)
  const always = await memberWith(portal, own, { name: 'Deleting', actions: ['contact-service::offers::*'] })
  const conditions = ['body::name::sw::Test']
  const sometimes = await memberWith(portal, own, { name: 'Some deletes', actions: ['*::*::delete'], conditions })
  await limit(portal, await identityOf(portal, sometimes), { hours: [9], hoursEffect: 'in' })
  const disabled = await memberWith(portal, own, { actions: ['*::*::*'] })
  await limit(portal, await identityOf(portal, disabled), { isDisabled: true })
  await memberWith(portal, own, { actions: ['*::*::get'] })
  const found = await holders(chief, 'contact-service::offers::DELETE')
  expect(found.map(({ email }) => email)).toEqual(
    [chief, always, sometimes].map(({ email }) => email).toSorted((one, other) => one.localeCompare(other, 'en')),
  )
  expect(found.find(({ email }) => email === chief.email)).toMatchObject({ may: 'always', role: 'power-user' })
  expect(found.find(({ email }) => email === sometimes.email)).toMatchObject({
    kind: 'person',
    may: 'conditions',
    identities: [{ aid: own, limits: ['09:00 to 10:00 (UTC)'] }],
    by: [{ policy: 'Some deletes', action: '*::*::delete', text: { conditions } }],
  })
  for (const { email, may, by } of found) {
    const right = rightTo(await rightsOf(chief, email), 'contact-service::offers::delete')
    expect(right).toMatchObject({ may, by })
  }
  const admin = await portal.powerAdmin()
  expect(found.map(({ email }) => email)).not.toContain(admin.email)
  expect((await holders(admin, 'contact-service::offers::delete')).map(({ email }) => email)).toContain(admin.email)
  expect((await holders(admin, 'identity::policies::put')).every(({ role }) => role === 'power-admin')).toBe(true)
})

test('people of a parent account with access to all sub-accounts are listed for power admins only', async () => {
  const parent = await portal.account('Holding parent')
  const child = await portal.account('Holding child', parent)
  const above = await portal.member(parent)
  await portal.parts.database.pool.query(
    'UPDATE portico.identities SET access_to_all_sub_accounts = true WHERE account_id = $1',
    [parent],
  )
  const chief = await portal.member(child)
  const action = 'contact-service::offers::get'
  expect((await holders(chief, action)).map(({ email }) => email)).toEqual([chief.email])
  const adminInChild = await enter(portal, await portal.powerAdmin(), child)
  expect((await holders(adminInChild, action)).map(({ email }) => email)).toContain(above.email)
})

test('is refused without the right, and knows no one of another account', async () => {
  const plain = await portal.member(account, 'contact-service::imports::get')
  expect(await ask(plain, asker.email)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
  const path = '/identity/v1/rights/holders?action='
  expect(await plain.get(`${path}bi::dashboards::get`)).toMatchObject({ status: 403 })
  for (const action of ['*::*::get', 'bi::dashboards', 'nothing::at::all'])
    expect(await asker.get(path + action)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
  const stranger = await portal.member(await portal.account('Rights elsewhere'))
  expect(await ask(stranger, asker.email)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  const seen = (await holders(stranger, 'bi::dashboards::get')).map(({ email }) => email)
  expect(seen).toEqual([stranger.email])
  expect(await ask(asker, '')).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
})
