import { api } from '@portico/contract/api'
import type { OwnCredentials } from '@portico/contract/own-identities'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { requireTwoFactorOf } from '#accounts'
import { addCredential, identityOf, limit, reachSubAccounts } from '#test/resources/access.ts'
import { createIdentityWithPassword } from '#test/kit/administration.ts'
import { waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'
import { openedBy } from '#test/kit/ways-in.ts'

// A person who has not entered an account cannot gain access to it by changing something about themselves, unless
// entering would give the same access (ADR 0115).

const path = '/identity/v1/profile/credentials'
const offers = '/contact-service/v1/offers'
const noPasskey = { id: 'x', clientDataJSON: 'x', attestationObject: 'x', transports: [] }

let portal: TestPortal
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  // Created first, so that it has an account of its own.
  await portal.powerAdmin()
  powerUser = await portal.member(await portal.account('Workshop'))
})
afterAll(() => portal.close())

const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const operator = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }
const require = (account: number, isRequired: boolean) =>
  query('UPDATE portico.accounts SET requires_two_factor = $2 WHERE id = $1', account, isRequired)
const signOut = (of: Member, by: Member, identity: string) => by.delete(`/identity/v1/identities/${identity}/sessions`)

type World = { member: Member; identity: string; other: Member }

/** Each obstacle keeps a member out of the account; they still have a session through another account. */
const obstacles: Record<string, (world: World) => Promise<unknown>> = {
  'the account requires two-factor': ({ member }) => require(member.account, true),
  'the deployment requires two-factor': () => requireTwoFactorOf(portal.parts.database.db, 'everybody', operator),
  'they were signed out of the account': ({ member, identity, other }) => signOut(member, other, identity),
  'they are outside of their network': ({ identity }) => limit(portal, identity, { cidr: '203.0.113.0/24' }),
  'it is not their hour': ({ identity }) =>
    limit(portal, identity, { hours: [new Date().getUTCHours()], hoursEffect: 'nin' }),
  'the account is suspended': ({ member }) =>
    query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', member.account),
  'their identity is disabled': ({ identity }) => limit(portal, identity, { isDisabled: true }),
}

type Ask = (client: Client, world: World) => Promise<unknown>
const change = (client: Client, identity: string, action: string, credential = '1', body: object = {}) =>
  client.put(`${path}/${identity}/${action}/${credential}`, body)

/**
 * Calls about oneself that change something, grouped by the access they could give. A new call must be added with its
 * checks.
 */
const asks = {
  acceptInvitation: (client, { identity }) => client.post(`/identity/v1/profile/invitations/${identity}`, {}),
  declineInvitation: (client, { identity }) => client.delete(`/identity/v1/profile/invitations/${identity}`),
  changeOwnCredential: (client, { identity }) =>
    Promise.all([change(client, identity, 'addapi', '0'), change(client, identity, 'reactiveapi')]),
  changePassword: (client) =>
    client.put('/identity/v1/profile/password', { currentPassword: 'wrong', newPassword: 'a new password 4' }),
  updateProfile: (client) => client.put('/identity/v1/profile', { userName: 'New name' }),
  putPhoto: (client) => client.put('/identity/v1/profile/photo', {}),
  deletePhoto: (client) => client.delete('/identity/v1/profile/photo'),
  setUpTwoFactor: (client) => client.post('/identity/v1/profile/two-factor', { password: 'wrong' }),
  confirmTwoFactor: (client) => client.post('/identity/v1/profile/two-factor/confirmation', { code: '000000' }),
  renewRecoveryCodes: (client) =>
    client.post('/identity/v1/profile/two-factor/recovery-codes', { password: testPassword, code: '000000' }),
  turnTwoFactorOff: (client) =>
    client.delete('/identity/v1/profile/two-factor', { password: testPassword, code: '000000' }),
  beginPasskey: (client) => client.post('/identity/v1/profile/passkey-challenges', { password: testPassword }),
  // As with two-factor, only a device that answers gives a factor.
  addPasskey: (client) =>
    client.post('/identity/v1/profile/passkeys', { token: 'x', name: 'Laptop', passkey: noPasskey }),
  renamePasskey: (client) => client.put('/identity/v1/profile/passkeys/x', { name: 'Laptop' }),
  removePasskey: (client) => client.delete('/identity/v1/profile/passkeys/x', { password: testPassword }),
  endOwnSession: (client) => client.delete('/identity/v1/profile/sessions/x'),
  endOtherSessions: (client) => client.delete('/identity/v1/profile/sessions'),
  givePassword: (client) => client.post('/identity/v1/profile/given-password', { password: testPassword }),
} satisfies Record<string, Ask>

const aboutOneself = Object.entries(api).flatMap(([name, { access, method }]) =>
  access === 'self' && method !== 'GET' ? [name] : [],
)

test('every call about the own profile is covered here', () =>
  expect(Object.keys(asks).toSorted()).toEqual(aboutOneself.toSorted()))

/** A member with an API credential they have switched off, who also belongs to another account. */
async function makeWorld(): Promise<World & { half: Client }> {
  const account = await portal.account()
  const member = await portal.member(account, 'contact-service::offers::get')
  const elsewhere = await portal.account()
  await createIdentityWithPassword(portal.parts.database.db, {
    email: member.email,
    account: elsewhere,
    powerUser: false,
  })
  const identity = await identityOf(portal, member)
  await addCredential(portal, identity, false)
  const half = portal.holder(await portal.signIn(member.email))
  return { member, identity, other: await portal.member(account), half }
}

const waysIn = /^\["(credential|link|emailed link|identity|right)"/

describe('a person who cannot enter an account now', () => {
  afterEach(() => requireTwoFactorOf(portal.parts.database.db, 'nobody', operator))

  test.each(Object.entries(obstacles))(
    'gains no access to it through any call about their own profile: %s',
    async (_name, hinder) => {
      const world = await makeWorld()
      await hinder(world)
      const opened = await openedBy(portal, async () => {
        for (const ask of Object.values(asks)) for (const client of [world.half, world.member]) await ask(client, world)
      })
      expect(opened.filter((line) => waysIn.test(line))).toEqual([])
    },
  )

  test.each(Object.entries(obstacles))(
    'cannot create or switch on an API credential for it: %s',
    async (_name, hinder) => {
      const { half, ...world } = await makeWorld()
      const { identity } = world
      expect((await change(half, identity, 'addapi', '0')).status).toBe(200)
      await hinder(world)
      for (const [action, credential] of [
        ['addapi', '0'],
        ['reactiveapi', '1'],
      ] as const) {
        const code = expect.stringMatching(/two_factor_needed|not_allowed|not_found|not_signed_in/)
        const answer = await change(half, identity, action, credential)
        expect(answer).toMatchObject({ body: { error: { code } } })
      }
    },
  )

  test('can still switch off and delete their API credentials there', async () => {
    const { half, ...world } = await makeWorld()
    const { identity, member } = world
    await change(half, identity, 'reactiveapi')
    await require(member.account, true)
    expect((await change(half, identity, 'inactiveapi')).status).toBe(200)
    expect((await change(half, identity, 'deleteapi')).status).toBe(200)
  })
})

describe('required two-factor', () => {
  const lacking = { status: 403, body: { error: { code: 'two_factor_needed' } } }
  const setUp = ({ email }: Member) =>
    query('UPDATE portico.persons SET two_factor_since = now() WHERE email = $1', email)

  test('of power admins applies to creating their own API credentials', async () => {
    const { db } = portal.parts.database
    const operatorOf = await portal.powerAdmin()
    const identity = await identityOf(portal, { email: operatorOf.email, account: null })
    const half = portal.holder(await portal.signIn(operatorOf.email))
    await requireTwoFactorOf(db, 'power-admins', operator)
    expect(await change(half, identity, 'addapi', '0')).toMatchObject(lacking)
    await setUp(operatorOf)
    expect(await change(half, identity, 'addapi', '0')).toMatchObject({ status: 200 })
    await requireTwoFactorOf(db, 'nobody', operator)
  })

  test('of a sub-account applies to every identity that opens it, including service identities', async () => {
    const parent = await portal.account()
    const child = await portal.account(undefined, parent)
    const member = await portal.member(parent)
    await reachSubAccounts(portal, member)
    const identity = await identityOf(portal, member)
    const { _id: group } = (await member.get('/identity/v1/groups'))
      .json<{ _id: string; name: string }[]>()
      .find(({ name }) => name !== 'everyone') ?? { _id: '' }
    const service = await member.post('/identity/v1/identities', {
      serviceName: 'Nightly sync',
      groups: [group],
      accessToAllSubAccounts: true,
    })
    expect(service).toMatchObject({ status: 201 })
    const ofService = `/identity/v1/identities/${service.json<{ _id: string }>()._id}/addapi/0`
    const own = `/identity/v1/identities/${identity}/addapi/0`
    await require(child, true)
    for (const asked of [own, ofService]) expect(await member.put(asked, {})).toMatchObject(lacking)
    expect(await change(member, identity, 'addapi', '0')).toMatchObject(lacking)
    await setUp(member)
    for (const asked of [own, ofService]) expect(await member.put(asked, {})).toMatchObject({ status: 200 })
  })
})

describe('an API credential that an administrator has switched off', () => {
  test('can be switched on again by an administrator, not by its owner', async () => {
    const member = await portal.member(powerUser.account, 'contact-service::offers::get')
    const identity = await identityOf(portal, member)
    const { authorization } = await addCredential(portal, identity)
    const asAdministrator = (action: string) => powerUser.put(`/identity/v1/identities/${identity}/${action}/1`, {})
    expect(await asAdministrator('inactiveapi')).toMatchObject({ body: { apiCredentials: [{ isBlocked: true }] } })
    const refused = {
      status: 403,
      body: { error: { code: 'not_allowed', message: expect.stringContaining(powerUser.email) } },
    }
    expect(await change(member, identity, 'reactiveapi')).toMatchObject(refused)
    // Switching it off themselves first does not help either.
    await change(member, identity, 'inactiveapi')
    expect(await change(member, identity, 'reactiveapi')).toMatchObject(refused)
    expect((await portal.asking({ authorization }).get(offers)).status).toBe(401)
    expect((await member.get(path)).json<OwnCredentials[]>()).toMatchObject([{ apiCredentials: [{ isBlocked: true }] }])
    expect(await asAdministrator('reactiveapi')).toMatchObject({ status: 200 })
    expect((await portal.asking({ authorization }).get(offers)).status).toBe(200)
    await change(member, identity, 'inactiveapi')
    expect(await asAdministrator('inactiveapi')).toMatchObject({ body: { apiCredentials: [{ isBlocked: false }] } })
    expect(await change(member, identity, 'reactiveapi')).toMatchObject({ status: 200 })
  })
})

describe('an API credential', () => {
  test('requires a password entered within 15 minutes to switch on', async () => {
    const member = await portal.member(powerUser.account)
    const identity = await identityOf(portal, member)
    await addCredential(portal, identity, false)
    await query(
      `UPDATE portico.sessions SET password_given_at = now() - interval '16 minutes'
       WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
      member.email,
    )
    const needed = { status: 403, body: { error: { code: 'password_needed' } } }
    expect(await change(member, identity, 'reactiveapi')).toMatchObject(needed)
    expect(await member.put(`/identity/v1/identities/${identity}/reactiveapi/1`, {})).toMatchObject(needed)
  })

  test('is announced to its person by email when created or switched on, and outlives a password change', async () => {
    const member = await portal.member(powerUser.account, 'contact-service::offers::get')
    await portal.startWorker()
    const identity = await identityOf(portal, member)
    const added = await change(member, identity, 'addapi', '0', { name: 'Laptop' })
    const { subject, text } = await waitForMessage(portal, member.email)
    expect(subject).toMatch(/^New API credential/)
    expect(text).toContain('delete it under API credentials in your profile')
    await change(member, identity, 'inactiveapi')
    await change(member, identity, 'reactiveapi')
    expect((await waitForMessage(portal, member.email, 2)).subject).toMatch(/credential was switched on/)
    const passwords = { currentPassword: testPassword, newPassword: 'another long passphrase 77x' }
    expect((await member.put('/identity/v1/profile/password', passwords)).status).toBe(204)
    const [key] = added.json<OwnCredentials>().apiCredentials
    const authorization = `Basic ${Buffer.from(`${key?.accessKey}:${key?.secretKey}`).toString('base64')}`
    expect((await portal.asking({ authorization }).get(offers)).status).toBe(200)
  })
})
