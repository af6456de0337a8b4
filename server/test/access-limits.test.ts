import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { farHours, grant, identityOf, limit, memberWith, type TestLimits } from '#test/resources/access.ts'
import { type Answer, type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let account: number

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account('Limited')
})
afterAll(() => portal.close())

const imports = '/contact-service/v1/imports'
const today = () => new Date().toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' }).toLowerCase()

const refusalOf = (answer: Answer) => answer.json<{ error: { code: string; message: string } }>().error

function signIn(email: string, address = '127.0.0.1'): Promise<Answer> {
  return portal.asking({}, address).post('/identity/v1/login', { email, password: testPassword })
}

/** Returns the member with the same token, from another address. */
const from = ({ token }: Member, address: string): Client =>
  portal.asking({ authorization: `Bearer ${token}` }, address)

async function limited(limits: TestLimits): Promise<Member> {
  const member = await portal.member(account)
  await limit(portal, await identityOf(portal, member), limits)
  return member
}

describe('an identity outside its limits is refused at sign-in and at every call', () => {
  test.each<[string, () => TestLimits, RegExp]>([
    [
      'days',
      () => ({ days: [today()], daysEffect: 'nin' }),
      /^You may work here only within this limit: not \w+day \(UTC\)\.$/,
    ],
    ['hours', () => ({ hours: farHours(), hoursEffect: 'in' }), /within this limit: .*\d\d:00 to \d\d:00.* \(UTC\)\.$/],
    ['cidr', () => ({ cidr: '10.0.0.0/8' }), /within this limit: 10\.0\.0\.0\/8\. Your address is 127\.0\.0\.1\.$/],
  ])('%s', async (_name, limits, message) => {
    const member = await portal.member(account)
    const halfToken = await portal.signIn(member.email)
    expect((await member.get(imports)).status).toBe(200)
    await limit(portal, await identityOf(portal, member), limits())
    const answers = [
      await member.get(imports),
      await member.get('/identity/v1/user'),
      await signIn(member.email),
      await portal.holder(halfToken).get(`/identity/v1/login/${account}`),
      await portal.holder(halfToken).get('/identity/v1/accounts'),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(refusalOf(answer)).toMatchObject({ code: 'outside_limits', message: expect.stringMatching(message) })
    }
    await limit(portal, await identityOf(portal, member), {})
    expect((await member.get(imports)).status).toBe(200)
  })

  test('but not within them', async () => {
    const member = await limited({
      days: [today()],
      daysEffect: 'in',
      hours: farHours(),
      hoursEffect: 'nin',
      cidr: '127.0.0.0/8',
    })
    expect((await member.get(imports)).status).toBe(200)
    expect((await signIn(member.email)).status).toBe(200)
  })

  test('with a reason only if the password is right', async () => {
    const member = await limited({ cidr: '10.0.0.0/8' })
    const answer = await portal.anonymous.post('/identity/v1/login', { email: member.email, password: 'wrong' })
    expect(refusalOf(answer).code).toBe('wrong_credentials')
  })
})

test('limits by day and hour use the time zone of the account', async () => {
  const far = await portal.account('Far away')
  const { pool } = portal.parts.database
  await pool.query("UPDATE portico.accounts SET time_zone = 'Pacific/Kiritimati' WHERE id = $1", [far])
  const member = await portal.member(far)
  const hour = Number(
    new Date().toLocaleString('en', { hour: '2-digit', hourCycle: 'h23', timeZone: 'Pacific/Kiritimati' }),
  )
  const hours = [hour, (hour + 1) % 24]
  await limit(portal, await identityOf(portal, member), { hours, hoursEffect: 'in' })
  expect((await member.get(imports)).status).toBe(200)
  await pool.query("UPDATE portico.accounts SET time_zone = 'Pacific/Pago_Pago' WHERE id = $1", [far])
  // 25 hours earlier in local time.
  expect(refusalOf(await member.get(imports)).message).toContain('(Pacific/Pago_Pago)')
})

describe('an address', () => {
  test.each([
    ['10.0.0.0/8', '10.1.2.3', '11.1.2.3'],
    ['10.1.2.3', '10.1.2.3', '10.1.2.4'],
    ['2001:db8::/32', '2001:db8::7', '2001:db9::7'],
    ['10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:11.1.2.3'],
  ])('is checked against %s: %s is inside, %s is not', async (cidr, inside, outside) => {
    const member = await limited({ cidr })
    expect((await from(member, inside).get(imports)).status).toBe(200)
    expect((await from(member, outside).get(imports)).status).toBe(401)
    expect((await signIn(member.email, inside)).status).toBe(200)
    expect((await signIn(member.email, outside)).status).toBe(401)
  })

  test('is that of the connection, regardless of headers', async () => {
    const member = await limited({ cidr: '10.0.0.0/8' })
    const headers = { authorization: member.token, 'x-forwarded-for': '10.1.2.3', forwarded: 'for=10.1.2.3' }
    expect((await portal.asking(headers, '203.0.113.7').get(imports)).status).toBe(401)
  })

  test('is taken from headers only if a trusted proxy sends them', async () => {
    const behind = await startPortal({ trustedProxies: ['192.0.2.1', '2001:db8::/32'] })
    const member = await behind.member(await behind.account())
    await limit(behind, await identityOf(behind, member), { cidr: '10.0.0.0/8' })
    const ask = async (forwarded: string, proxy: string) =>
      (await behind.asking({ authorization: member.token, 'x-forwarded-for': forwarded }, proxy).get(imports)).status
    expect(await ask('10.1.2.3', '192.0.2.1')).toBe(200)
    expect(await ask('10.1.2.3', '2001:db8::5')).toBe(200)
    expect(await ask('203.0.113.7', '192.0.2.1')).toBe(401)
    expect(await ask('10.1.2.3', '192.0.2.2')).toBe(401)
    // An address added by the client itself, before the one that the proxy saw.
    expect(await ask('10.1.2.3, 203.0.113.7', '192.0.2.1')).toBe(401)
    expect(await ask('nonsense', '192.0.2.1')).toBe(401)
    await behind.close()
  })
})

describe('several identities of a person', () => {
  /** Returns a person with an identity in an account and one in its parent, with access to all sub-accounts. */
  async function twofold(): Promise<{ member: Member; own: string; parents: string }> {
    const parent = await portal.account()
    const child = await portal.account(undefined, parent)
    const member = await memberWith(portal, child, { name: 'From here', actions: ['contact-service::exports::*'] })
    const { rows } = await portal.parts.database.pool.query<{ id: string }>(
      `INSERT INTO portico.identities (id, person_id, account_id, access_to_all_sub_accounts, accepted_at)
       SELECT gen_random_uuid(), id, $2, true, now() FROM portico.persons WHERE email = $1 RETURNING id`,
      [member.email, parent],
    )
    const parents = rows[0]?.id ?? ''
    await grant(portal, parents, { name: 'From above', actions: ['contact-service::imports::*'] })
    return { member, parents, own: await identityOf(portal, member) }
  }
  const held = async (member: Member) => (await member.get('/identity/v1/user')).json<User>().policies

  test('combine their rights', async () => {
    const { member } = await twofold()
    expect(await held(member)).toEqual(expect.arrayContaining(['From above', 'From here']))
    expect((await member.get(imports)).status).toBe(200)
  })

  test('are each subject to their own limits', async () => {
    const { member, own, parents } = await twofold()
    await limit(portal, parents, { cidr: '10.0.0.0/8' })
    expect(await held(member)).not.toContain('From above')
    expect((await member.get(imports)).status).toBe(403)
    expect((await member.get('/contact-service/v1/exports')).status).toBe(200)
    expect((await from(member, '10.1.2.3').get(imports)).status).toBe(200)
    await limit(portal, own, { hours: farHours(), hoursEffect: 'in' })
    const refused = refusalOf(await member.get(imports))
    expect(refused.code).toBe('outside_limits')
    expect(refused.message).toMatch(/UTC\)\. .*10\.0\.0\.0\/8/)
  })

  test('give no access if they are disabled', async () => {
    const { member, own, parents } = await twofold()
    await limit(portal, parents, { isDisabled: true })
    expect((await member.get(imports)).status).toBe(403)
    await limit(portal, own, { isDisabled: true })
    expect(refusalOf(await member.get(imports))).toEqual({
      code: 'not_signed_in',
      message: 'You no longer have access to this account. Please sign in again.',
    })
  })

  test('are entered one by one, and only accounts that are open now are listed', async () => {
    const { member, own } = await twofold()
    const { pool } = portal.parts.database
    const { rows } = await pool.query<{ id: number }>('SELECT parent_id AS id FROM portico.accounts WHERE id = $1', [
      member.account,
    ])
    const elsewhere = await portal.account('Open elsewhere')
    await pool.query(
      `INSERT INTO portico.identities (id, person_id, account_id, accepted_at, cidr)
       SELECT gen_random_uuid(), id, $2, now(), '10.0.0.0/8' FROM portico.persons WHERE email = $1`,
      [member.email, elsewhere],
    )
    await limit(portal, own, { cidr: '10.0.0.0/8' })
    const listed = async (address: string) =>
      (await signIn(member.email, address)).json<{ accounts: AccountEntry[] }>().accounts.map(({ Key }) => Key)
    expect(new Set(await listed('127.0.0.1'))).toEqual(new Set([rows[0]?.id, member.account]))
    expect(await listed('10.1.2.3')).toContain(elsewhere)
  })
})

describe('a suspended account', () => {
  test('is closed immediately to all but power admins', async () => {
    const suspended = await portal.account('Suspended')
    const member = await portal.member(suspended)
    const admin = await portal.powerAdmin()
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [
      suspended,
    ])
    const halfToken = (await signIn(admin.email)).json<{ token: string }>().token
    for (const answer of [await member.get(imports), await signIn(member.email)]) {
      expect(answer.status).toBe(401)
      expect(refusalOf(answer)).toEqual({ code: 'outside_limits', message: 'This account is suspended.' })
    }
    const entered = await portal.holder(halfToken).get(`/identity/v1/login/${suspended}`)
    expect(entered.status).toBe(200)
    const { token } = entered.json<{ token: string }>()
    expect((await portal.holder(token).get(imports)).status).toBe(200)
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = NULL WHERE id = $1', [suspended])
    expect((await member.get(imports)).status).toBe(200)
  })

  test('cannot be entered from another account either', async () => {
    const suspended = await portal.account('Suspended too')
    const member = await portal.member(suspended)
    await portal.parts.database.pool.query(
      'INSERT INTO portico.identities (id, person_id, account_id, accepted_at) SELECT gen_random_uuid(), id, $2, now() FROM portico.persons WHERE email = $1',
      [member.email, account],
    )
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [
      suspended,
    ])
    const signedIn = await signIn(member.email)
    expect(signedIn.json<{ accounts: AccountEntry[] }>().accounts.map(({ Key }) => Key)).toEqual([account])
    const client = portal.holder(signedIn.json<{ token: string }>().token)
    const answer = await client.get(`/identity/v1/login/${suspended}`)
    expect(answer.status).toBe(401)
    expect(refusalOf(answer).message).toBe('This account is suspended.')
  })
})
