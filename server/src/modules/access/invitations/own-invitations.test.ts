import type { AccountEntry } from '@portico/contract/accounts'
import type { Identity } from '@portico/contract/identities'
import type { OwnInvitation } from '@portico/contract/own-identities'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential } from '#test/resources/access.ts'
import { enter, findIdentity, groupId, listed, logOf, makeIdentity } from '#test/kit/administration.ts'
import { invite, secretIn, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

// An invitation to another account gives a person nothing there until they accept it.

const path = '/identity/v1/profile/invitations'
const notThere = { status: 404, body: { error: { code: 'not_found' } } }
const offers = '/contact-service/v1/offers'

let portal: TestPortal
let powerUser: Member
let fullAccess: string

beforeAll(async () => {
  portal = await startPortal({ publicUrl: 'https://portal.example.com', product: 'Example' })
  await portal.startWorker()
  powerUser = await portal.member(await portal.account('Inviting'))
  fullAccess = await groupId(powerUser, 'Power users')
})
afterAll(() => portal.close())

const invitationsOf = async (client: Client): Promise<OwnInvitation[]> =>
  (await client.get(path)).json<OwnInvitation[]>()

const accountsOf = async (client: Client): Promise<number[]> =>
  (await client.get('/identity/v1/accounts')).json<AccountEntry[]>().map(({ Key }) => Key)

/** A person of another account, invited by the power user. */
async function invitedMember(): Promise<{ member: Member; identity: string }> {
  const member = await portal.member(await portal.account())
  const { _id } = await makeIdentity(powerUser, { email: member.email, groups: [fullAccess] })
  return { member, identity: _id }
}

test('an account invites a person at most five times an hour by any call', async () => {
  const [first, second] = [await portal.member(await portal.account()), await portal.member(await portal.account())]
  const identities = '/identity/v1/identities'
  const draft = (email: string) => ({ email, groups: [fullAccess] })
  const { _id } = await makeIdentity(powerUser, draft(first.email))
  const ways = [
    () => powerUser.post(`${identities}/${_id}/invitation`),
    () => powerUser.put(`${identities}/${_id}`, draft(second.email)),
    () => powerUser.put(`${identities}/${_id}`, draft(first.email)),
    // Saved without an email.
    () => powerUser.put(`${identities}/${_id}`, { ...draft(first.email), userName: 'First' }),
    () => powerUser.post(`${identities}/${_id}/invitation`),
    () => powerUser.post(`${identities}/${_id}/invitation`),
  ]
  for (const way of ways) expect((await way()).status).toBeLessThan(300)
  const message = `${first.email} was invited 5 times within an hour. Try again later.`
  const refused = { status: 429, body: { error: { code: 'too_many_requests', message } } }
  expect(await powerUser.post(`${identities}/${_id}/invitation`)).toMatchObject(refused)
  expect((await powerUser.put(`${identities}/${_id}`, draft(second.email))).status).toBe(200)
  expect(await powerUser.put(`${identities}/${_id}`, draft(first.email))).toMatchObject(refused)
  expect(await powerUser.post(identities, draft(first.email))).toMatchObject(refused)
  // Other accounts have invitation limits of their own.
  const other = await portal.member(await portal.account())
  await makeIdentity(other, draft(first.email))
})

test('an account sends at most 200 invitations within 24 hours, including repeats and those by power admins', async () => {
  const account = await portal.account()
  const owner = await portal.member(account)
  const { _id } = await makeIdentity(owner, { email: 'last@example.com', groups: [fullAccess] })
  const { pool } = portal.parts.database
  await pool.query(
    `INSERT INTO portico.audit_log (account_id, at, actor, action, subject, details)
     SELECT $1, now() - interval '23 hours', $2, 'identity invited', number || '@example.com', '{}'
     FROM generate_series(1, 197) AS number`,
    [account, owner.email],
  )
  await makeIdentity(owner, { email: 'more@example.com', groups: [fullAccess] })
  const message = 'At most 200 invitations are sent within 24 hours. Try again tomorrow.'
  const refused = { status: 429, body: { error: { code: 'too_many_requests', message } } }
  const draft = { email: 'further@example.com', groups: [fullAccess] }
  expect(await owner.post('/identity/v1/identities', draft)).toMatchObject(refused)
  expect(await owner.post(`/identity/v1/identities/${_id}/invitation`)).toMatchObject(refused)
  const admin = await portal.powerAdmin()
  expect(await admin.post(`/identity/v1/accounts/${account}/power-users`, { email: 'p@example.com' })).toMatchObject(
    refused,
  )
  expect((await pool.query(`SELECT 1 FROM portico.persons WHERE email = 'further@example.com'`)).rows).toEqual([])
  // A service identity is not invited, and other accounts have a limit of their own.
  expect((await owner.post('/identity/v1/identities', { serviceName: 'Nightly', groups: [fullAccess] })).status).toBe(
    201,
  )
  await makeIdentity(powerUser, { email: 'further@example.com', groups: [fullAccess] })
  await pool.query(`UPDATE portico.audit_log SET at = at - interval '2 hours' WHERE account_id = $1`, [account])
  expect((await owner.post('/identity/v1/identities', { ...draft, email: 'day2@example.com' })).status).toBe(201)
})

describe('an invited person who has a password', () => {
  test('gets an email without a secret and sees the invitation in the portal', async () => {
    const { member, identity } = await invitedMember()
    const message = await waitForMessage(portal, member.email)
    expect(message.subject).toBe('You are invited to an account on Example')
    expect(message.text).toContain(`Account: “Inviting”\nInvited by: “${powerUser.email}”\n`)
    expect(message.text).toContain('https://portal.example.com\n')
    expect(secretIn(message)).toBe('')
    expect(await invitationsOf(member)).toEqual([
      { _id: identity, account: { Key: powerUser.account, Value: 'Inviting' }, invitedBy: powerUser.email },
    ])
    expect(await findIdentity(powerUser, member.email)).toMatchObject({ status: 'invited', lastSignInAt: null })
  })

  test('has no access to the account before accepting: no entry, credential, explanation or policies', async () => {
    const { member, identity } = await invitedMember()
    expect(await accountsOf(member)).toEqual([member.account])
    expect(await member.get(`/identity/v1/login/${powerUser.account}`)).toMatchObject(notThere)
    const { authorization } = await addCredential(portal, identity)
    expect(await portal.asking({ authorization }).get(offers)).toMatchObject({ status: 401 })
    const question = `email=${member.email}&action=contact-service::offers::get`
    expect(await powerUser.get(`/identity/v1/explain?${question}`)).toMatchObject(notThere)
    const policies = `/identity/v1/identities/${member.email}/${powerUser.account}/x?justPolicies=true`
    expect(await powerUser.get(policies)).toMatchObject(notThere)
    expect(await member.put(`/identity/v1/profile/credentials/${identity}/addapi/0`, {})).toMatchObject(notThere)

    expect(await member.post(`${path}/${identity}`)).toMatchObject({ status: 204 })
    expect(new Set(await accountsOf(member))).toEqual(new Set([member.account, powerUser.account]))
    expect((await (await enter(portal, member, powerUser.account)).get(offers)).status).toBe(200)
    expect(await portal.asking({ authorization }).get(offers)).toMatchObject({ status: 200 })
    expect(await powerUser.get(`/identity/v1/explain?${question}`)).toMatchObject({ body: { isAllowed: true } })
    expect(await invitationsOf(member)).toEqual([])
    expect(await member.post(`${path}/${identity}`)).toMatchObject(notThere)
    expect(await logOf(portal, member.email)).toContainEqual(
      expect.objectContaining({
        actor: member.email,
        action: 'invitation accepted',
      }),
    )
    expect(await findIdentity(powerUser, member.email)).toMatchObject({ status: 'active' })
  })

  test('can decline, which deletes the identity and is recorded in the audit log of the account', async () => {
    const { member, identity } = await invitedMember()
    expect(await member.delete(`${path}/${identity}`)).toMatchObject({ status: 204 })
    expect(await invitationsOf(member)).toEqual([])
    expect(await findIdentity(powerUser, member.email)).toBeUndefined()
    const entries = (await powerUser.get('/identity/v1/audit')).json<{ action: string; subject: string }[]>()
    expect(entries).toContainEqual(expect.objectContaining({ action: 'invitation declined', subject: member.email }))
    expect(await accountsOf(member)).toEqual([member.account])
  })

  test('is the only person who can answer, and keeps sessions in other accounts', async () => {
    const { member, identity } = await invitedMember()
    const other = await portal.member(member.account)
    for (const client of [other, powerUser]) {
      expect(await client.post(`${path}/${identity}`)).toMatchObject(notThere)
      expect(await client.delete(`${path}/${identity}`)).toMatchObject(notThere)
    }
    expect(await member.post(`${path}/x`)).toMatchObject(notThere)
    expect((await portal.anonymous.get(path)).status).toBe(401)
    expect(await powerUser.delete(`/identity/v1/identities/${identity}/sessions`)).toMatchObject({
      body: { ended: 0 },
    })
    expect((await member.get(offers)).status).toBe(200)
    expect(await powerUser.put(`/identity/v1/identities/${identity}/addapi/0`)).toMatchObject({ status: 403 })
    // Events of the person are not in the audit log of an account that they have not joined.
    await member.put('/identity/v1/profile', { userName: 'Ada' })
    const entries = (await powerUser.get('/identity/v1/audit')).json<{ action: string; subject: string }[]>()
    const about = entries.filter(({ subject }) => subject === member.email).map(({ action }) => action)
    expect(about).not.toContain('profile changed')
  })

  test('can sign in with invitations only, and accept them', async () => {
    const member = await portal.member(await portal.account())
    await makeIdentity(powerUser, { email: member.email, groups: [fullAccess] })
    await portal.parts.database.pool.query('DELETE FROM portico.identities WHERE account_id = $1', [member.account])
    const credentials = { email: member.email, password: testPassword }
    const signedIn = await portal.anonymous.post('/identity/v1/login', credentials)
    expect(signedIn).toMatchObject({ status: 200, body: { accounts: [] } })
    const client = portal.holder(signedIn.json<{ token: string }>().token)
    const [invitation] = await invitationsOf(client)
    await client.post(`${path}/${invitation?._id}`)
    expect(await accountsOf(client)).toEqual([powerUser.account])
  })

  test('must accept an identity that is handed over to them', async () => {
    const { member, identity } = await invitedMember()
    await member.post(`${path}/${identity}`)
    const other = await portal.member(await portal.account())
    const moved = await powerUser.put(`/identity/v1/identities/${identity}`, {
      email: other.email,
      groups: [fullAccess],
    })
    expect(moved).toMatchObject({ body: { status: 'invited' } })
    expect(await accountsOf(other)).toEqual([other.account])
    expect(await invitationsOf(other)).toMatchObject([{ _id: identity }])
  })
})

describe('global identities', () => {
  test('need to be accepted before the person is a power admin', async () => {
    const admin = await portal.powerAdmin()
    const member = await portal.member(await portal.account())
    const administrators = await groupId(admin, 'Administrators')
    const { _id } = await makeIdentity(admin, { email: member.email, groups: [administrators] })
    expect(await accountsOf(member)).toEqual([member.account])
    expect(await invitationsOf(member)).toEqual([{ _id, account: null, invitedBy: admin.email }])
    await member.post(`${path}/${_id}`)
    expect((await accountsOf(member)).length).toBeGreaterThan(1)
  })

  test('that are not accepted do not count toward the remaining power admins', async () => {
    const { pool } = portal.parts.database
    const admin = await portal.powerAdmin()
    await pool.query(
      'DELETE FROM portico.identities i USING portico.persons p WHERE account_id IS NULL AND p.id = person_id AND p.email <> $1',
      [admin.email],
    )
    const member = await portal.member(await portal.account())
    const administrators = await groupId(admin, 'Administrators')
    const { _id } = await makeIdentity(admin, { email: member.email, groups: [administrators] })
    const own = await findIdentity(admin, admin.email)
    await member.post(`${path}/${_id}`)
    const other = await enter(portal, member, admin.account)
    expect(
      (await other.put(`/identity/v1/identities/${own?._id}`, { email: 'next@example.com', groups: [administrators] }))
        .status,
    ).toBe(200)
    // The identity handed over is not accepted yet, so this is the last power admin.
    const last = await portal.parts.database.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM portico.identities WHERE account_id IS NULL AND accepted_at IS NOT NULL',
    )
    expect(last.rows[0]?.n).toBe(1)
  })
})

describe('a person without a password', () => {
  const password = 'a rather long password'
  const register = (invitation: string) =>
    portal.anonymous.post('/identity/v1/register', { invitation, password, userName: 'Ada Lovelace' })

  test('can be invited by two accounts; registering accepts one invitation and keeps the other', async () => {
    const email = 'twice@example.com'
    const [first, second] = [await portal.account('First'), await portal.account('Second')]
    await invite(portal, email, first)
    const one = secretIn(await waitForMessage(portal, email, 1))
    await invite(portal, email, second)
    const other = secretIn(await waitForMessage(portal, email, 2))
    const look = (secret: string) => portal.anonymous.get(`/identity/v1/invitations/${secret}`)
    expect((await look(one)).body).toMatchObject({ accounts: ['First'], isRegistered: false })
    expect((await look(other)).body).toMatchObject({ accounts: ['Second'] })
    const registered = (await register(one)).json<{ token: string; accounts: AccountEntry[] }>()
    expect(registered.accounts).toEqual([{ Key: first, Value: 'First' }])
    const client = portal.holder(registered.token)
    expect(await invitationsOf(client)).toMatchObject([{ account: { Key: second } }])
    // The other link no longer sets a password, and says so.
    expect((await look(other)).body).toMatchObject({ accounts: ['Second'], isRegistered: true })
    expect(await register(other)).toMatchObject({ status: 403, body: { error: { code: 'link_invalid' } } })
    const entries = await portal.parts.database.pool.query<{ account_id: number }>(
      `SELECT account_id FROM portico.audit_log WHERE action = 'invitation accepted' AND subject = $1`,
      [email],
    )
    expect(entries.rows).toEqual([{ account_id: first }])
  })

  test('whose identity was handed over cannot register with the old link', async () => {
    const email = 'replaced@example.com'
    await invite(portal, email, powerUser.account)
    const secret = secretIn(await waitForMessage(portal, email))
    const identity = await findIdentity(powerUser, email)
    const change = { email: 'successor@example.com', groups: [fullAccess] }
    expect((await powerUser.put(`/identity/v1/identities/${identity?._id}`, change)).status).toBe(200)
    expect(await register(secret)).toMatchObject({ status: 403, body: { error: { code: 'link_invalid' } } })
  })
})

describe('the inviter', () => {
  test('must be a person in a session: API credentials of people and services cannot invite', async () => {
    const { _id } = await makeIdentity(powerUser, { serviceName: 'Nightly sync', groups: [fullAccess] })
    const own = await findIdentity(powerUser, powerUser.email)
    const before = await listed<Identity>(powerUser, 'identities')
    for (const identity of [_id, own?._id ?? '']) {
      const program = portal.asking({ authorization: (await addCredential(portal, identity)).authorization })
      const invited = await program.post('/identity/v1/identities', { email: 'x@example.com', groups: [fullAccess] })
      expect(invited).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    }
    expect(await listed<Identity>(powerUser, 'identities')).toHaveLength(before.length)
    await makeIdentity(powerUser, { email: 'by-person@example.com', groups: [fullAccess] })
    expect((await waitForMessage(portal, 'by-person@example.com')).text).toContain(`Invited by: “${powerUser.email}”`)
  })
})
