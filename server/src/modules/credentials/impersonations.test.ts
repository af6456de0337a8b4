import type { Impersonation } from '@portico/contract/impersonation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enter, groupId, logOf, makeGroup, makeIdentity, makePolicy } from '#test/kit/administration.ts'
import { type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'
import { chosenPolicies } from './impersonations.service.ts'

const links = '/identity/v1/impersonations'
// The address from which tests send requests.
const here = '127.0.0.1'
const hour = 3600

let portal: TestPortal
let admin: Member
let adminElsewhere: Client
let powerUser: Member
let stranger: Member
let nobody: Member

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
  admin = await portal.powerAdmin()
  stranger = await portal.member(await portal.account())
  adminElsewhere = await enter(portal, admin, stranger.account)
  nobody = await portal.member(powerUser.account, 'contact-service::imports::get')
})
afterAll(() => portal.close())

const ask = (client: Client, ...parts: (string | number)[]) =>
  client.get(`/identity/v1/login/${parts.map((part) => encodeURIComponent(part)).join('/')}`)

async function start(client: Client, ...parts: (string | number)[]): Promise<Client> {
  const answer = await ask(client, ...parts)
  expect(answer).toMatchObject({ status: 200, body: { token: expect.any(String) } })
  return portal.holder(answer.json<{ token: string }>().token)
}

const list = async (client: Client): Promise<Impersonation[]> => (await client.get(links)).json<Impersonation[]>()

describe('a link', () => {
  test('grants all rights of its creator except administration', async () => {
    const link = await start(powerUser, here, hour)
    expect(await link.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    expect(await link.get('/identity/v1/identities')).toMatchObject({ status: 403 })
    expect(await ask(link, here, hour)).toMatchObject({ status: 403 })
    expect((await logOf(portal, powerUser.email)).at(-1)).toMatchObject({
      actor: powerUser.email,
      action: 'impersonation created',
    })
  })

  test('grants only the chosen policies and features', async () => {
    const link = await start(powerUser, here, hour, 'contact-offers-list,no-workflows,no-blueprints')
    expect(await link.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    expect(await link.get('/contact-service/v1/imports')).toMatchObject({ status: 403 })
    const [newest] = await list(powerUser)
    expect(newest).toMatchObject({
      creator: powerUser.email,
      ip: here,
      policies: ['contact-offers-list', 'no-workflows', 'no-blueprints'],
    })
  })

  test('accepts policy names with commas, and many names', async () => {
    const name = 'Reading, writing, arithmetic'
    const group = await makeGroup(admin, 'With commas', [await makePolicy(admin, name)])
    const identities = await powerUser.get('/identity/v1/identities')
    const own = identities.json<{ _id: string; email: string }[]>().find((one) => one.email === powerUser.email)
    const groups = [group._id, await groupId(powerUser, 'Power users')]
    await powerUser.put(`/identity/v1/identities/${own?._id}`, { email: powerUser.email, groups })
    await start(powerUser, here, hour, `contact-import-list,${name},no-workflows`)
    expect((await list(powerUser))[0]?.policies).toEqual(['contact-import-list', name, 'no-workflows'])
    expect(await ask(powerUser, here, hour, 'Reading%2C writing%2C arithmetic')).toMatchObject({ status: 200 })
    expect((await list(powerUser))[0]?.policies).toEqual([name])
    const many = Array.from({ length: 400 }, () => 'contact-offers-list').join(',')
    expect(await ask(powerUser, here, hour, many)).toMatchObject({ status: 200 })
    expect((await list(powerUser))[0]?.policies).toEqual(['contact-offers-list'])
  })

  test.each([
    ['Read,Write', ['Read', 'Write']],
    ['Read%2cWrite', ['Read,Write']],
    ['Read%2CWrite,read', ['Read,Write', 'read']],
    ['50%25 off,Read', ['50% off', 'Read']],
    // Lists as older clients write them.
    ['50% off,One, two', ['50% off', 'One, two']],
  ])('with the list %j grants %j', (entries, names) => {
    expect(chosenPolicies(entries, ['Read', 'Write', 'Read,Write', '50% off', 'One, two'])).toEqual(names)
  })

  test('parses a list quickly, even with many commas in the list and the names', () => {
    const held = ['Sales, Marketing', ...Array.from({ length: 50 }, (_, count) => `P${','.repeat(count)}`)]
    expect(chosenPolicies(Array(400).fill('Sales, Marketing').join(','), held)).toEqual(['Sales, Marketing'])
    expect(() => chosenPolicies(`Sales${','.repeat(900)}`, held)).toThrow('You do not hold "Sales".')
    expect(() => chosenPolicies(','.repeat(11_000), held)).toThrow('Choose at most 1000 policies.')
  })

  test.each([
    [['10.0.0.1', 59], 'expirySeconds'],
    [['10.0.0.1', 48 * hour + 1], 'expirySeconds'],
    [['10.0.0.256', hour], 'ip'],
    [['2001:db8::1', hour], 'ip'],
    [['example.com', hour], 'ip'],
    [['10.0.0.1', hour, 'not-a-policy-of-mine'], 'policies'],
    [['10.0.0.1', hour, 'contact-offers-list,Administration'], 'policies'],
  ])('for %j is refused', async (parts, field) => {
    const answer = await ask(powerUser, ...parts)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input', details: [{ field }] } } })
  })

  test('lasts from one minute to 48 hours', async () => {
    await start(powerUser, '::1', 60)
    await start(powerUser, '10.0.0.1', 48 * hour)
    const [longest] = await list(powerUser)
    expect(Date.parse(longest?.expiresAt ?? '') - Date.parse(longest?.createdAt ?? '')).toBe(48 * hour * 1000)
  })

  test('requires a password entered within 15 minutes to create', async () => {
    const maker = await portal.member(powerUser.account)
    const { pool } = portal.parts.database
    await pool.query(
      `UPDATE portico.sessions SET password_given_at = now() - interval '16 minutes'
      WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
      [maker.email],
    )
    const needed = { status: 403, body: { error: { code: 'password_needed' } } }
    expect(await ask(maker, here, hour)).toMatchObject(needed)
    expect(await ask(maker, here, hour, 'contact-offers-list')).toMatchObject(needed)
    await maker.post('/identity/v1/profile/given-password', { password: testPassword })
    await start(maker, here, hour)
  })

  test('can be created by power admins and power users only', async () => {
    await start(admin, here, hour)
    for (const client of [nobody, portal.anonymous]) expect((await ask(client, here, hour)).status).toBeGreaterThan(400)
  })
})

describe('links of an account', () => {
  test('are visible to its power users and to power admins in it', async () => {
    await start(stranger, '10.9.9.9', hour)
    await start(admin, '10.8.8.8', hour)
    const addresses = async (client: Client) => (await list(client)).map(({ ip }) => ip)
    expect(await addresses(stranger)).toEqual(['10.9.9.9'])
    expect(await addresses(adminElsewhere)).toEqual(['10.9.9.9'])
    expect(await addresses(powerUser)).toContain('10.8.8.8')
    expect(await addresses(powerUser)).not.toContain('10.9.9.9')
    expect(await nobody.get(links)).toMatchObject({ status: 403 })
  })

  test('are not listed after they expire', async () => {
    await start(stranger, '10.7.7.7', hour)
    const { pool } = portal.parts.database
    await pool.query(
      `UPDATE portico.impersonations SET expires_at = now() - interval '1 second' WHERE address = '10.7.7.7'`,
    )
    expect((await list(stranger)).map(({ ip }) => ip)).not.toContain('10.7.7.7')
  })

  test('can be revoked with immediate effect, in their own account only', async () => {
    const link = await start(powerUser, here, hour)
    const [newest] = await list(powerUser)
    const at = `${links}/${newest?._id}`
    expect(await stranger.delete(at)).toMatchObject({ status: 404 })
    expect(await adminElsewhere.delete(at)).toMatchObject({ status: 404 })
    expect(await nobody.delete(at)).toMatchObject({ status: 403 })
    expect(await link.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    expect(await admin.delete(at)).toMatchObject({ status: 204 })
    expect(await link.get('/contact-service/v1/offers')).toMatchObject({ status: 401 })
    expect(await admin.delete(at)).toMatchObject({ status: 404 })
    expect(await admin.delete(`${links}/x`)).toMatchObject({ status: 404 })
  })

  test('end when the identity of their creator is deleted', async () => {
    const maker = await portal.member(powerUser.account)
    const link = await start(maker, here, hour)
    const identities = (await powerUser.get('/identity/v1/identities')).json<{ _id: string; email: string }[]>()
    const id = identities.find(({ email }) => email === maker.email)?._id
    await powerUser.delete(`/identity/v1/identities/${id}`)
    expect(await link.get('/contact-service/v1/offers')).toMatchObject({ status: 401 })
    expect((await list(powerUser)).map(({ creator }) => creator)).not.toContain(maker.email)
    // Getting another identity does not restore them.
    await makeIdentity(powerUser, { email: maker.email, groups: [await groupId(powerUser, 'Power users')] })
    expect(await link.get('/contact-service/v1/offers')).toMatchObject({ status: 401 })
  })
})
