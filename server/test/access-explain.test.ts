import type { Explanation } from '@portico/contract/explain'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIdentityWithPassword, enter } from '#test/kit/administration.ts'
import { farHours, identityOf, limit, memberWith, reachSubAccounts } from '#test/resources/access.ts'
import { setRowRule } from '#test/resources/row-rules.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { randomIdentity, randomRequest } from '#test/oracles/random-access.ts'

let portal: TestPortal
let account: number
let asker: Member

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account('Explained')
  asker = await portal.member(account)
})
afterAll(() => portal.close())

type Question = { email: string; action?: string } & Record<string, unknown>

/** Requests an explanation as the member; values that are not text are sent as JSON. */
function why(member: Client, { action = 'contact-service::imports::get', ...rest }: Question): Promise<Answer> {
  const query = new URLSearchParams({ action })
  for (const [name, value] of Object.entries(rest)) {
    query.set(name, typeof value === 'string' && name !== 'body' ? value : JSON.stringify(value))
  }
  return member.get(`/identity/v1/explain?${query.toString()}`)
}
const explanation = async (question: Question) => (await why(asker, question)).json<Explanation>()

describe('explain', () => {
  test('names the policy, action and group that allow an action', async () => {
    const { email } = await memberWith(portal, account, { name: 'Reading', actions: ['contact-service::*::get'] })
    expect(await explanation({ email: email.toUpperCase() })).toMatchObject({
      email,
      account,
      action: 'contact-service::imports::get',
      features: ['contact-import-list'],
      isAllowed: true,
      reason: expect.stringMatching(
        /^Allowed: the policy "Reading", held through "Given \d+", has the action contact-service::\*::get\.$/,
      ),
      address: '127.0.0.1',
      identities: [{ aid: account, counts: true }],
    })
    expect(await explanation({ email, action: 'contact-service::imports::post' })).toMatchObject({
      isAllowed: false,
      reason: `Refused: ${email} holds no policy with an action that matches contact-service::imports::post.`,
    })
  })

  test('names the condition that refuses, given the parts of the request', async () => {
    const conditions = ['query::limit::eq::5', 'param::0::eq::7', 'body::name::sw::Spring']
    const { email } = await memberWith(portal, account, { name: 'Springtime', actions: ['*::imports::*'], conditions })
    const parts = { params: ['7'], query: { limit: '5' }, body: { name: 'Spring leads' } }
    expect(await explanation({ email, ...parts })).toMatchObject({ isAllowed: true })
    const refused = await explanation({ email, ...parts, params: ['8'] })
    expect(refused.reason).toBe(
      'Refused: the policy "Springtime" has the action *::imports::*, but its condition "param::0::eq::7" (for "8") does not hold.',
    )
    expect(refused.identities[0]?.policies.find(({ policy }) => policy === 'Springtime')).toMatchObject({
      outcome: 'condition',
      conditions: [{ isMet: true }, { condition: 'param::0::eq::7', isMet: false }, { isMet: true }],
    })
  })

  test('names the limit that refuses, at any moment and from any address', async () => {
    const member = await portal.member(account)
    const { email } = member
    await portal.parts.database.pool.query("UPDATE portico.accounts SET time_zone = 'Europe/Zurich' WHERE id = $1", [
      account,
    ])
    await limit(portal, await identityOf(portal, member), { hours: [9], hoursEffect: 'in', cidr: '10.0.0.0/8' })
    const at = async (time: string, address: string) => (await explanation({ email, at: time, address })).isAllowed
    // Nine o'clock in winter, in summer, and on the day of the change.
    expect(await at('2026-01-15T08:30:00Z', '10.1.2.3')).toBe(true)
    expect(await at('2026-07-15T07:30:00Z', '10.1.2.3')).toBe(true)
    expect(await at('2026-03-29T07:30:00Z', '10.1.2.3')).toBe(true)
    expect(await at('2026-03-29T08:30:00Z', '10.1.2.3')).toBe(false)
    expect(await at('2026-01-15T08:30:00Z', '2001:db8::1')).toBe(false)
    const refused = await explanation({ email, at: '2026-01-15T12:00:00Z', address: '10.1.2.3' })
    expect(refused.reason).toContain('09:00 to 10:00 (Europe/Zurich)')
    expect(refused.identities[0]?.limits).toMatchObject([
      { limit: 'account', isMet: true },
      { limit: 'identity', isMet: true },
      { limit: 'hours', rule: '09:00 to 10:00 (Europe/Zurich)', isMet: false },
      { limit: 'cidr', rule: '10.0.0.0/8', isMet: true },
    ])
    await portal.parts.database.pool.query("UPDATE portico.accounts SET time_zone = 'UTC' WHERE id = $1", [account])
  })

  test('names disabled identities and suspended accounts', async () => {
    const member = await portal.member(account)
    await limit(portal, await identityOf(portal, member), { isDisabled: true })
    expect((await explanation({ email: member.email })).identities[0]?.limits).toContainEqual({
      limit: 'identity',
      rule: 'The identity is not disabled',
      isMet: false,
    })
    const suspended = await portal.account()
    const inside = await portal.member(suspended)
    const admin = await portal.powerAdmin()
    const { token } = (await admin.get(`/identity/v1/login/${suspended}`)).json<{ token: string }>()
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [
      suspended,
    ])
    const answer = await why({ ...inside, ...portal.holder(token) }, { email: inside.email })
    expect(answer.json<Explanation>()).toMatchObject({
      isAllowed: false,
      reason: expect.stringContaining('This account is suspended.'),
    })
    expect((await why({ ...admin, ...portal.holder(token) }, { email: admin.email })).body).toMatchObject({
      isAllowed: true,
      identities: [{ aid: '*', counts: true }],
    })
  })

  test('is for power admins and power users, about persons with an identity in their account', async () => {
    const reader = await portal.member(account, 'contact-service::imports::get')
    const admin = await portal.powerAdmin()
    expect((await why(reader, { email: reader.email })).status).toBe(403)
    const elsewhere = await portal.member(await portal.account())
    for (const email of [elsewhere.email, 'nobody@example.com', admin.email]) {
      expect((await why(asker, { email })).status).toBe(404)
    }
    expect((await why(admin, { email: admin.email })).status).toBe(200)
  })

  test('does not judge global identities for power users, but mentions them', async () => {
    const admin = await portal.powerAdmin()
    await createIdentityWithPassword(portal.parts.database.db, { email: admin.email, account, powerUser: false })
    const seen = await explanation({ email: admin.email })
    expect(seen).toMatchObject({ isAllowed: false, hasHiddenPolicies: true, identities: [{ aid: account }] })
    expect(seen.identities).toHaveLength(1)
    expect(seen.reason).toContain('Policies held outside this account (visible to power admins) may still allow it.')
    expect(JSON.stringify(seen)).not.toContain('Administration')
    const inside = await enter(portal, admin, account)
    expect((await why({ ...admin, ...inside }, { email: admin.email })).body).toMatchObject({
      isAllowed: true,
      hasHiddenPolicies: false,
    })
    // They are also missing from the policies that the call for a client lists.
    const policies = `/identity/v1/identities/${admin.email}/${account}/x?justPolicies=true`
    expect((await asker.get(policies)).body).not.toContain('Administration')
    expect((await inside.get(policies)).body).toContain('Administration')
  })

  test('does not judge identities of the parent account for power users', async () => {
    const parent = await portal.account()
    const child = await portal.account(undefined, parent)
    const above = await portal.member(parent)
    const identity = await identityOf(portal, above)
    await reachSubAccounts(portal, above)
    await setRowRule(portal, identity, [{ $match: { Email: 'secret@x' } }])
    const chief = await portal.member(child)
    const rights = `/identity/v1/rights?email=${encodeURIComponent(above.email)}`
    expect((await why(chief, { email: above.email })).status).toBe(404)
    expect((await chief.get(rights)).status).toBe(404)
    const admin = await enter(portal, await portal.powerAdmin(), child)
    expect((await why(admin, { email: above.email })).body).toMatchObject({ identities: [{ aid: parent }] })
    // Another identity in the account does not open those of the parent.
    await createIdentityWithPassword(portal.parts.database.db, { email: above.email, account: child, powerUser: false })
    for (const answer of [await why(chief, { email: above.email }), await chief.get(rights)]) {
      expect(answer).toMatchObject({ status: 200, body: { hasHiddenPolicies: true, identities: [{ aid: child }] } })
      expect(JSON.stringify(answer.body)).not.toContain('secret@x')
    }
  })

  test.each([
    [{ action: 'imports' }, 'action'],
    [{ action: '*::*::*' }, 'action'],
    [{ params: { a: 1 } }, 'params'],
    [{ at: 'today' }, 'at'],
    [{ address: '10.1' }, 'address'],
    [{ verb: 'get' }, 'verb'],
  ])('refuses %j', async (wrong, field) => {
    const answer = await why(asker, { email: asker.email, ...wrong } as Question)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: expect.stringContaining(field) }] } },
    })
  })
})

test('explain and the server agree on 300 random requests', async () => {
  const { pool } = portal.parts.database
  const member = await memberWith(portal, account)
  const identity = await identityOf(portal, member)
  const policyId = crypto.randomUUID()
  const groupId = crypto.randomUUID()
  await pool.query(`INSERT INTO portico.policies (id, account_id, name, actions) VALUES ($1, $2, 'Random', '{}')`, [
    policyId,
    account,
  ])
  await pool.query(`INSERT INTO portico.groups (id, account_id, name) VALUES ($1, $2, 'Random')`, [groupId, account])
  await pool.query('INSERT INTO portico.group_policies VALUES ($1, $2)', [groupId, policyId])
  await pool.query('INSERT INTO portico.identity_groups VALUES ($1, $2)', [identity, groupId])
  const seen = { 200: 0, 401: 0, 403: 0 }
  const situations = fc.sample(fc.tuple(randomIdentity, randomRequest), { numRuns: 300, seed: 20_261_121 })
  for (const [made, request] of situations) {
    const [policy] = made.policies
    await pool.query('UPDATE portico.policies SET actions = $2, conditions = $3, condition_logic = $4 WHERE id = $1', [
      policyId,
      policy ? [...policy.actions, 'contact-service::imports::put'] : [],
      policy?.conditions ?? [],
      policy?.conditionLogic ?? 'and',
    ])
    // All hours, or none near the current one: the test must not depend on the time of day.
    const hours = made.hours.length > 0 ? { hours: farHours(), hoursEffect: made.hoursEffect } : {}
    await limit(portal, identity, { ...hours, cidr: made.cidr, isDisabled: made.isDisabled })
    const { address, body } = request
    const id = request.params[0] ?? '1'
    const query = new URLSearchParams(
      Object.entries(request.query).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      ),
    )
    const client = portal.asking({ authorization: member.token }, address)
    const answer = await client.put(`/contact-service/v1/imports/${encodeURIComponent(id)}?${query.toString()}`, body)
    const told = await explanation({
      email: member.email,
      action: 'contact-service::imports::put',
      params: [id],
      query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
      body,
      address,
    })
    expect(told.isAllowed).toBe(answer.status !== 401 && answer.status !== 403)
    expect(told.identities[0]?.counts).toBe(answer.status !== 401)
    seen[told.isAllowed ? 200 : answer.status === 401 ? 401 : 403] += 1
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(30)
})
