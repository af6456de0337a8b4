import { createIdentityWithPassword } from './provisioning/identity-with-password.service.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

type SignedIn = { isTwoFactor: boolean; token: string; user: User; accounts: AccountEntry[] }

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ company: 'Example Company', product: 'Example' })
})
afterAll(() => portal.close())

/** A person with a password and an identity in the account, who has not signed in. */
async function addPerson(email: string, account: number | null, powerUser = false): Promise<void> {
  await createIdentityWithPassword(portal.parts.database.db, { email, account, powerUser, password: testPassword })
}

function signIn(email: string, password = testPassword, remoteAddress = '127.0.0.1') {
  return portal.app.inject({
    method: 'POST',
    url: '/api/identity/v1/login',
    payload: { email, password },
    remoteAddress,
  })
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
}

describe('login', () => {
  test('returns a token without an account, the person and their accounts by name', async () => {
    const zebra = await portal.account('zebra')
    const apple = await portal.account('Apple')
    await portal.account('Somebody else')
    await addPerson('ada@example.com', zebra)
    await addPerson('ada@example.com', apple).catch(() => {})
    await createIdentityWithPassword(portal.parts.database.db, {
      email: 'ADA@example.com',
      account: apple,
      powerUser: true,
    })
    const reply = await signIn('ada@example.com')
    expect(reply.statusCode).toBe(200)
    const { isTwoFactor, token, user, accounts } = reply.json<SignedIn>()
    expect(isTwoFactor).toBe(false)
    expect(accounts).toEqual([
      { Key: apple, Value: 'Apple' },
      { Key: zebra, Value: 'zebra' },
    ])
    expect(user).toMatchObject({ email: 'ada@example.com', account: null, isPowerAdmin: false, policies: [] })
    expect(claimsOf(token)).toMatchObject({ aid: null, paid: null, pa: false, pu: false, email: 'ada@example.com' })
  })

  test('accepts the email in any letter case', async () => {
    await addPerson('Bob@Example.com', await portal.account())
    expect((await signIn(' bOB@eXAMPLE.COM ')).statusCode).toBe(200)
  })

  test('returns the same error for every cause', async () => {
    const account = await portal.account()
    await addPerson('carol@example.com', account)
    const { pool } = portal.parts.database
    await pool.query(
      `INSERT INTO portico.persons (id, email, email_key) VALUES (gen_random_uuid(), 'invited@example.com', 'invited@example.com')`,
    )
    const wrongPassword = await signIn('carol@example.com', 'wrong')
    const nobody = await signIn('nobody@example.com', 'wrong')
    const noPasswordYet = await signIn('invited@example.com', 'wrong')
    for (const reply of [wrongPassword, nobody, noPasswordYet]) {
      expect(reply.statusCode).toBe(401)
      expect(reply.json()).toEqual({
        error: { code: 'wrong_credentials', message: 'The email or password is wrong.' },
      })
    }
  })

  test('returns a specific error to a person without accounts', async () => {
    const account = await portal.account()
    await addPerson('dora@example.com', account)
    await portal.parts.database.pool.query(
      `DELETE FROM portico.identities USING portico.persons p WHERE p.id = person_id AND p.email = 'dora@example.com'`,
    )
    const reply = await signIn('dora@example.com')
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toMatchObject({
      error: { code: 'no_account', message: 'No dashboard account is associated with the user' },
    })
  })

  test('lists every account for a power admin', async () => {
    await addPerson('root@example.com', null)
    const account = await portal.account()
    const { user, accounts } = (await signIn('root@example.com')).json<SignedIn>()
    expect(user.isPowerAdmin).toBe(true)
    expect(accounts.map(({ Key }) => Key)).toContain(account)
  })

  test('names each missing or unknown field', async () => {
    const missing = await portal.anonymous.post('/identity/v1/login', { email: 'x@example.com' })
    expect(missing.status).toBe(400)
    expect(missing.body).toMatchObject({ error: { details: [{ field: 'password', message: 'Value is required!' }] } })
    const unknown = await portal.anonymous.post('/identity/v1/login', { email: 'a', password: 'b', remember: true })
    expect(unknown.body).toMatchObject({ error: { details: [{ field: 'remember' }] } })
  })

  test('refuses the character NUL, which no text can hold', async () => {
    expect((await signIn('ada\u0000@example.com')).statusCode).toBe(400)
    const member = await portal.member(await portal.account())
    // No one has such an email.
    const reply = await member.get(`/identity/v1/identities/a%00b/${member.account}/*?justPolicies=true`)
    expect(reply.status).toBe(404)
  })

  test('accepts paths without the /api prefix and in any letter case, as older clients send them', async () => {
    await addPerson('eve@example.com', await portal.account())
    const payload = { email: 'eve@example.com', password: testPassword }
    const reply = await portal.app.inject({ method: 'POST', url: '/Identity/v1/Login', payload })
    expect(reply.statusCode).toBe(200)
  })

  test('works while the browser still sends an invalid token', async () => {
    await addPerson('fay@example.com', await portal.account())
    const reply = await portal
      .holder('a.b.c')
      .post('/identity/v1/login', { email: 'fay@example.com', password: testPassword })
    expect(reply.status).toBe(200)
  })
})

describe('too many failed attempts', () => {
  async function fail(times: number, email: string, address?: string): Promise<void> {
    for (let count = 0; count < times; count++) {
      expect((await signIn(email, 'wrong', address)).statusCode).toBe(401)
    }
  }

  async function letMinutesPass(email: string, minutes: number): Promise<void> {
    await portal.parts.database.pool.query(
      'UPDATE portico.login_failures SET failed_at = failed_at - make_interval(mins => $2) WHERE email = $1',
      [email, minutes],
    )
  }

  beforeAll(async () => {
    const account = await portal.account('Lockout')
    for (const name of ['gus', 'hal', 'ida', 'jon', 'kim']) await addPerson(`${name}@example.com`, account)
  })

  test('lock the email at that address, even for the right password', async () => {
    await fail(10, 'gus@example.com')
    const locked = await signIn('GUS@example.com')
    expect(locked.statusCode).toBe(429)
    expect(locked.json()).toMatchObject({ error: { code: 'too_many_attempts' } })
    expect((await signIn('gus@example.com', testPassword, '10.0.0.9')).statusCode).toBe(200)
    expect((await signIn('hal@example.com')).statusCode).toBe(200)
  })

  test('lock for 15 minutes from the last failure, not extended by attempts in between', async () => {
    await fail(10, 'ida@example.com')
    await letMinutesPass('ida@example.com', 14)
    expect((await signIn('ida@example.com')).statusCode).toBe(429)
    await letMinutesPass('ida@example.com', 1)
    await fail(1, 'ida@example.com')
    expect((await signIn('ida@example.com')).statusCode).toBe(200)
  })

  test('count only within 15 minutes, and start over after a success', async () => {
    await fail(5, 'jon@example.com')
    await letMinutesPass('jon@example.com', 16)
    await fail(9, 'jon@example.com')
    expect((await signIn('jon@example.com')).statusCode).toBe(200)
    await fail(9, 'jon@example.com')
    expect((await signIn('jon@example.com')).statusCode).toBe(200)
  })

  test('lock an unknown email in the same way', async () => {
    await fail(10, 'ghost@example.com')
    expect((await signIn('ghost@example.com')).statusCode).toBe(429)
  })

  test('cannot be bypassed by many concurrent attempts', async () => {
    const replies = await Promise.all(Array.from({ length: 25 }, () => signIn('kim@example.com', 'wrong')))
    expect(replies.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10)
    expect((await signIn('kim@example.com')).statusCode).toBe(429)
  })
})

describe('entering an account', () => {
  test('returns a token for it, the person in it and the preferences', async () => {
    const parent = await portal.account('Parent')
    const account = await portal.account('Child', parent)
    await addPerson('lea@example.com', account, true)
    const { token: halfToken } = (await signIn('lea@example.com')).json<SignedIn>()
    const entered = await portal.holder(halfToken).get(`/identity/v1/login/${account}`)
    expect(entered.status).toBe(200)
    const { token, user, preferences } = entered.json<{ token: string; user: User; preferences: unknown }>()
    expect(user).toMatchObject({ account, parent, isPowerAdmin: false, isPowerUser: true })
    expect(user.policies).toContain('Full access')
    expect(user.policies).toContain('contact-imports-create')
    expect(preferences).toEqual({
      menus: {
        home: [],
        dashboards: [],
        campaigns: [],
        assets: [],
        crm: [],
        marketintel: [],
        contactservice: [],
        settings: [],
      },
      timeout: 30,
    })
    expect(user.preferences).toEqual(preferences)
    const claims = claimsOf(token)
    expect(claims).toMatchObject({ aid: account, paid: parent, pa: false, pu: true, email: 'lea@example.com' })
    expect(claims['sid']).toBe(claimsOf(halfToken)['sid'])
    expect(Number(claims['exp']) - Date.now() / 1000).toBeCloseTo(12 * 3600, -2)
  })

  test('is refused alike for an account of others and for one that does not exist', async () => {
    const mine = await portal.account()
    const theirs = await portal.account()
    const member = await portal.member(mine)
    for (const account of [theirs, 999_999]) {
      const reply = await member.get(`/identity/v1/login/${account}`)
      expect(reply.status).toBe(404)
      expect(reply.body).toMatchObject({ error: { code: 'not_found' } })
    }
    expect((await member.get('/identity/v1/login/zero')).status).toBe(400)
  })

  test('is open to power admins everywhere', async () => {
    const account = await portal.account()
    const admin = await portal.powerAdmin()
    const { user } = (await admin.get(`/identity/v1/login/${account}`)).json<{ user: User }>()
    expect(user).toMatchObject({ account, isPowerAdmin: true, isPowerUser: false })
  })

  test('of a parent does not open its sub-accounts, unless the identity has access to all of them', async () => {
    const parent = await portal.account()
    const child = await portal.account(undefined, parent)
    const member = await portal.member(parent)
    const accounts = async () => (await member.get('/identity/v1/accounts')).json<AccountEntry[]>()
    expect((await member.get(`/identity/v1/login/${child}`)).status).toBe(404)
    expect((await accounts()).map(({ Key }) => Key)).toEqual([parent])
    await portal.parts.database.pool.query(
      'UPDATE portico.identities SET access_to_all_sub_accounts = true WHERE account_id = $1',
      [parent],
    )
    const { user } = (await member.get(`/identity/v1/login/${child}`)).json<{ user: User }>()
    expect(user).toMatchObject({ account: child, parent, isPowerUser: true })
    expect((await accounts()).map(({ Key }) => Key)).toEqual([parent, child])
    expect((await accounts()).map((entry) => entry.parent)).toEqual([undefined, parent])
  })

  test('of a sub-account does not open its parent', async () => {
    const parent = await portal.account()
    const member = await portal.member(await portal.account(undefined, parent))
    expect((await member.get(`/identity/v1/login/${parent}`)).status).toBe(404)
  })

  test('is refused for a disabled identity', async () => {
    const account = await portal.account()
    await addPerson('mia@example.com', account)
    await portal.parts.database.pool.query('UPDATE portico.identities SET is_disabled = true WHERE account_id = $1', [
      account,
    ])
    expect((await signIn('mia@example.com')).json()).toMatchObject({ error: { code: 'no_account' } })
  })
})

describe('policies', () => {
  const path = (email: string, account: number, parent = '*') =>
    `/identity/v1/identities/${encodeURIComponent(email)}/${account}/${parent}?justPolicies=true`

  test('of the caller are the names held and the features they grant', async () => {
    const member = await portal.member(await portal.account(), 'contact-service::imports::get')
    const reply = await member.get(path(member.email.toUpperCase(), member.account))
    expect(reply.status).toBe(200)
    expect(reply.json<string[]>()).toEqual([expect.stringMatching(/^granted/), 'contact-import-list'])
  })

  test('of others are visible only to power users of the account and to power admins', async () => {
    const account = await portal.account()
    const member = await portal.member(account, 'contact-service::exports::get')
    const powerUser = await portal.member(account)
    const admin = await portal.powerAdmin()
    const stranger = await portal.member(await portal.account())
    expect((await powerUser.get(path(member.email, account))).body).toContain('contact-export-list')
    expect((await admin.get(path(member.email, account))).body).toContain('contact-export-list')
    expect((await member.get(path(powerUser.email, account))).status).toBe(404)
    expect((await stranger.get(path(member.email, account))).status).toBe(404)
    expect((await powerUser.get(path(stranger.email, account))).status).toBe(404)
    expect((await powerUser.get(path('nobody@example.com', account))).status).toBe(404)
  })

  test('of the group everyone are those of the parent account, or else the global ones', async () => {
    const { pool } = portal.parts.database
    const parent = await portal.account()
    const child = await portal.account(undefined, parent)
    const member = await portal.member(child, 'bi::dashboards::get')
    const policies = async () => (await member.get(path(member.email, child))).json<string[]>()
    const [globalPolicy, parentPolicy, parentGroup] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    await pool.query(
      `INSERT INTO portico.policies (id, account_id, name, actions)
       VALUES ($1, NULL, 'For all', '{contact-service::exports::get}'), ($2, $3, 'For ours', '{contact-service::imports::get}')`,
      [globalPolicy, parentPolicy, parent],
    )
    await pool.query(
      `INSERT INTO portico.group_policies SELECT id, $1 FROM portico.groups WHERE name = 'everyone' AND account_id IS NULL`,
      [globalPolicy],
    )
    expect(await policies()).toContain('contact-export-list')
    await pool.query(
      `INSERT INTO portico.groups (id, account_id, name, name_key) VALUES ($1, $2, 'Everyone', 'everyone')`,
      [parentGroup, parent],
    )
    await pool.query('INSERT INTO portico.group_policies VALUES ($1, $2)', [parentGroup, parentPolicy])
    expect(await policies()).toContain('contact-import-list')
    expect(await policies()).not.toContain('contact-export-list')
    await pool.query('DELETE FROM portico.group_policies WHERE policy_id = $1', [globalPolicy])
  })
})

test('deployment returns the name of the installation to the sign-in page', async () => {
  const reply = await portal.anonymous.get('/identity/v1/deployment')
  expect(reply.body).toMatchObject({ company: 'Example Company', product: 'Example' })
})
