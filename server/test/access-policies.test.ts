import { api } from '@portico/contract/api'
import { features } from '@portico/contract/features'
import type { User } from '@portico/contract/sign-in'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grant, identityOf, memberWith, type TestPolicy } from '#test/resources/access.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let account: number

beforeAll(async () => {
  portal = await startPortal({ moduleUrls: { assets: 'https://assets.example.com' } })
  account = await portal.account('Policies')
})
afterAll(() => portal.close())

const imports = '/contact-service/v1/imports'
/** Returns whether a call was allowed, whether or not its input is valid. */
const isLet = ({ status }: Answer): boolean => {
  expect(status).not.toBe(401)
  expect(status).not.toBe(500)
  return status !== 403
}

const holding = (...conditions: string[]): Promise<Member> =>
  memberWith(portal, account, { actions: ['contact-service::imports::*'], conditions })

describe('a condition', () => {
  test.each([
    ['query::limit::eq::5', '?limit=5', '?limit=6'],
    ['query::limit::neq::5', '?limit=6', '?limit=5.0'],
    ['query::sort::ct::name', '?sort={"Name":1}', '?sort={"City":1}'],
    ['query::sort::nct::name', '?sort={"City":1}', '?sort={"NAME":1}'],
    ['query::sort::sw::{"c', '?sort={"City":1}', '?sort={"Name":1}'],
    ['query::sort::nsw::{"c', '', '?sort={"City":1}'],
    ['query::sort::ew::-1}', '?sort={"City":-1}', '?sort={"City":1}'],
    ['query::sort::new::-1}', '?sort={"City":1}', '?sort={"City":-1}'],
    ['query::limit::in::5,10', '?limit=10', '?limit=15'],
    ['query::limit::nin::5,10', '?limit=15', '?limit=10'],
    ['query::limit::regex::^[1-9]$', '?limit=9', '?limit=10'],
    ['query::limit::in::5,10', '?limit=5', ''],
  ])('%s is met by %j and not by %j', async (condition, met, unmet) => {
    const member = await holding(condition)
    expect(isLet(await member.get(imports + encodeURI(met)))).toBe(true)
    expect(isLet(await member.get(imports + encodeURI(unmet)))).toBe(false)
  })

  test('reads the body, with dotted paths and lists', async () => {
    const member = await holding(
      'body::name::sw::Spring',
      'body::purlColumns::neq::Email',
      'body::columnMapping.City::eq::Town',
    )
    const body = { name: 'Spring leads', purlColumns: ['First Name'], columnMapping: { City: 'Town' } }
    expect(isLet(await member.post(imports, body))).toBe(true)
    expect(isLet(await member.post(imports, { ...body, name: 'Autumn leads' }))).toBe(false)
    expect(isLet(await member.post(imports, { ...body, purlColumns: ['First Name', 'email'] }))).toBe(false)
    expect(isLet(await member.post(imports, { ...body, columnMapping: {} }))).toBe(false)
    expect(isLet(await member.post(imports))).toBe(false)
  })

  test('reads a path parameter by its position', async () => {
    const member = await holding('param::0::in::7,9')
    expect(isLet(await member.get(`${imports}/7`))).toBe(true)
    expect(isLet(await member.get(`${imports}/8`))).toBe(false)
    expect(isLet(await member.get(imports))).toBe(false)
    const others = await holding('param::0::neq::7')
    expect(isLet(await others.get(`${imports}/8`))).toBe(true)
    // Texts that the server would read as 7.
    for (const id of ['7', '07', '7.0', '%207', '0x7']) expect(isLet(await others.get(`${imports}/${id}`))).toBe(false)
  })

  test.each<[TestPolicy['conditionLogic'], boolean[]]>([
    ['and', [true, false, false, false]],
    ['or', [true, true, true, false]],
  ])('is combined with others by %s', async (conditionLogic, expected) => {
    const conditions = ['query::limit::eq::5', 'query::skip::eq::1']
    const policy = { actions: ['contact-service::imports::get'], conditions, conditionLogic: conditionLogic ?? 'and' }
    const member = await memberWith(portal, account, policy)
    const asked = ['?limit=5&skip=1', '?limit=5&skip=2', '?limit=6&skip=1', '']
    expect(await Promise.all(asked.map(async (query) => isLet(await member.get(imports + query))))).toEqual(expected)
  })

  test('of one policy does not restrict another', async () => {
    const member = await holding('query::limit::eq::5')
    expect(isLet(await member.get(imports))).toBe(false)
    await grant(portal, await identityOf(portal, member), { actions: ['*::imports::get'] })
    expect(isLet(await member.get(imports))).toBe(true)
  })

  test('in a policy for everything prevents power user status', async () => {
    const member = await memberWith(portal, account, { actions: ['*::*::*'], conditions: ['query::limit::neq::5'] })
    expect((await member.get('/identity/v1/user')).json<User>().isPowerUser).toBe(false)
    expect((await member.get('/identity/v1/identities')).status).toBe(403)
    expect((await member.get(imports)).status).toBe(200)
  })

  test('that takes too long to evaluate refuses the call without blocking the portal', async () => {
    const member = await holding('query::sort::regex::^(a+)+$')
    const begin = performance.now()
    expect(isLet(await member.get(`${imports}?sort=${'a'.repeat(80)}!`))).toBe(false)
    expect(performance.now() - begin).toBeLessThan(3000)
    expect(isLet(await member.get(`${imports}?sort=aaa`))).toBe(true)
  })
})

describe('rights', () => {
  test('change immediately with policies, groups and memberships', async () => {
    const member = await holding()
    const { pool } = portal.parts.database
    const identity = await identityOf(portal, member)
    const policy = await grant(portal, identity, { actions: ['contact-service::exports::get'] })
    const mayExport = async () => isLet(await member.get('/contact-service/v1/exports'))
    expect(await mayExport()).toBe(true)
    await pool.query(`UPDATE portico.policies SET conditions = '{query::limit::eq::1}' WHERE id = $1`, [policy])
    expect(await mayExport()).toBe(false)
    await pool.query(`UPDATE portico.policies SET conditions = '{}' WHERE id = $1`, [policy])
    expect(await mayExport()).toBe(true)
    await pool.query('DELETE FROM portico.group_policies WHERE policy_id = $1', [policy])
    expect(await mayExport()).toBe(false)
    await grant(portal, identity, { actions: ['contact-service::exports::get'] })
    expect(await mayExport()).toBe(true)
    await pool.query('DELETE FROM portico.identity_groups WHERE identity_id = $1', [identity])
    expect(await mayExport()).toBe(false)
  })

  test('include those of the group everyone of the parent account, or else of the global one', async () => {
    const { pool } = portal.parts.database
    const parent = await portal.account()
    const child = await portal.account(undefined, parent)
    const member = await memberWith(portal, child)
    const ofParent = await memberWith(portal, parent)
    const mayImport = async (who: Member) => isLet(await who.get(imports))
    const give = async (owner: number | null) => {
      const [policy, group] = [crypto.randomUUID(), crypto.randomUUID()]
      await pool.query(
        `INSERT INTO portico.policies (id, account_id, name, actions) VALUES ($1, $2, 'For everyone', '{contact-service::imports::get}')`,
        [policy, owner],
      )
      await pool.query(
        `INSERT INTO portico.groups (id, account_id, name, name_key) VALUES ($1, $2, 'Everyone', 'everyone')
         ON CONFLICT DO NOTHING`,
        [group, owner],
      )
      await pool.query(
        `INSERT INTO portico.group_policies SELECT id, $1 FROM portico.groups
         WHERE name_key = 'everyone' AND account_id IS NOT DISTINCT FROM $2`,
        [policy, owner],
      )
      return () => pool.query('DELETE FROM portico.group_policies WHERE policy_id = $1', [policy])
    }
    expect(await mayImport(member)).toBe(false)
    const takeFromAll = await give(null)
    expect([await mayImport(member), await mayImport(ofParent)]).toEqual([true, true])
    await takeFromAll()
    const takeFromParent = await give(parent)
    expect([await mayImport(member), await mayImport(ofParent)]).toEqual([true, false])
    await pool.query('UPDATE portico.identities SET is_disabled = true WHERE account_id = $1', [child])
    expect((await member.get(imports)).status).toBe(401)
    await takeFromParent()
  })

  test('that are only named like a feature show its button, but do not allow its calls', async () => {
    const member = await memberWith(portal, account, { name: 'contact-imports-create', actions: ['bi::reports::get'] })
    expect((await member.get('/identity/v1/user')).json<User>().policies).toContain('contact-imports-create')
    expect(isLet(await member.post(imports, {}))).toBe(false)
  })
})

describe('a refusal names the missing right', () => {
  const needed = (Object.entries(api) as [string, Route][]).filter(([, { access }]) => access.includes('::'))

  test.each(needed)('%s', async (_name, { method, path, access }) => {
    if (!portal.app.hasRoute({ method, url: `/api${path}` })) return
    const member = await nobody()
    const ask = { GET: member.get, POST: member.post, PUT: member.put, DELETE: member.delete }[method]
    const answer = await ask(path.replaceAll(/:\w+/g, '1'), method === 'GET' ? undefined : {})
    const missing = Object.entries(features).flatMap(([feature, action]) => (action === access ? [feature] : []))
    const named = missing.map((feature) => `"${feature}"`).join(' or ')
    const needs = missing.length > 0 ? `${named} (${access})` : `the action ${access}`
    expect(answer.body).toEqual({
      error: {
        code: 'not_allowed',
        message: `You may not do this: it needs ${needs}. Contact your admin to see how you can get this feature.`,
        details: { action: access, features: missing },
      },
    })
  })

  let known: Promise<Member> | undefined
  const nobody = () => (known ??= portal.member(account, 'nothing::at::all'))
})

test('a page can read its current user and the URLs of framed pages', async () => {
  const member = await holding()
  expect((await member.get('/identity/v1/user')).body).toMatchObject({
    email: member.email,
    account,
    parent: null,
    timeZone: 'UTC',
    isPowerAdmin: false,
    isPowerUser: false,
    isImpersonated: false,
    impersonatedUntil: null,
    policies: [
      expect.stringMatching(/^Given/),
      expect.stringMatching(/^granted/),
      'contact-import-list',
      'contact-imports-create',
      'contact-imports-undo',
    ],
    preferences: { timeout: 30 },
  })
  expect((await member.get('/identity/v1/modules')).body).toEqual({ assets: 'https://assets.example.com' })
})
