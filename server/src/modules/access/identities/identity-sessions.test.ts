import type { AccountId } from '@portico/contract/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkOf } from '#test/resources/access.ts'
import { createIdentityWithPassword, enter, findIdentity, logOf } from '#test/kit/administration.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const notThere = { status: 404, body: { error: { code: 'not_found' } } }
const forAnybody = '/identity/v1/accounts'
const forMembers = '/contact-service/v1/offers'

let portal: TestPortal
let account: AccountId
let admin: Member
let adminInside: Client
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  admin = await portal.powerAdmin()
  adminInside = await enter(portal, admin, account)
  powerUser = await portal.member(account)
})
afterAll(() => portal.close())

/** Ends the sessions of a person the administrator can see. */
async function sessionsOf(client: Client, email: string): Promise<string> {
  const identity = await findIdentity(client, email)
  return `/identity/v1/identities/${identity?._id}/sessions`
}

describe('the sessions of a person', () => {
  test('can be ended by an administrator, with their impersonation links; the person can sign in again', async () => {
    const member = await portal.member(account)
    const sessions = await sessionsOf(powerUser, member.email)
    const link = portal.asking({ authorization: await linkOf(member) })
    expect((await link.get(forMembers)).status).toBe(200)
    const chosen = await portal.signIn(member.email)
    const other = await enter(portal, { ...member, token: chosen }, account)
    expect(await powerUser.delete(sessions)).toMatchObject({ status: 200, body: { ended: 2 } })
    const signedOut = {
      status: 401,
      body: { error: { code: 'signed_out_of_account' } },
    }
    expect(await member.get(forMembers)).toMatchObject(signedOut)
    expect(await other.get(forMembers)).toMatchObject(signedOut)
    // Entering it again does not help either.
    expect(await portal.holder(chosen).get(`/identity/v1/login/${account}`)).toMatchObject(signedOut)
    expect((await link.get(forMembers)).status).toBe(401)
    expect((await powerUser.get(forMembers)).status).toBe(200)
    expect((await logOf(portal, member.email)).at(-1)).toMatchObject({
      actor: powerUser.email,
      action: 'identity signed out',
      details: { ended: 2, everywhere: false },
    })
    const again = await enter(portal, { ...member, token: await portal.signIn(member.email) }, account)
    expect((await again.get(forMembers)).status).toBe(200)
    expect((await powerUser.delete(sessions)).body).toEqual({ ended: 1 })
  })

  test('continue in other accounts of the person, where only power users of those accounts end them', async () => {
    const member = await portal.member(account)
    const elsewhere = await portal.member(await portal.account())
    await createIdentityWithPassword(portal.parts.database.db, {
      email: member.email,
      account: elsewhere.account,
      powerUser: false,
    })
    const inOther = await enter(portal, member, elsewhere.account)
    const before = await findIdentity(powerUser, member.email)
    expect(await powerUser.delete(await sessionsOf(powerUser, member.email))).toMatchObject({ body: { ended: 1 } })
    expect((await member.get(forMembers)).status).toBe(401)
    expect((await inOther.get('/identity/v1/user')).status).toBe(200)
    expect(await elsewhere.delete(await sessionsOf(elsewhere, member.email))).toMatchObject({ body: { ended: 1 } })
    expect((await inOther.get('/identity/v1/user')).status).toBe(401)
    // The last sign-in that power users see is that into their own account.
    await enter(portal, { ...member, token: await portal.signIn(member.email) }, elsewhere.account)
    expect((await findIdentity(powerUser, member.email))?.lastSignInAt).toBe(before?.lastSignInAt)
    expect((await findIdentity(elsewhere, member.email))?.lastSignInAt).not.toBe(before?.lastSignInAt)
  })

  test('of a power admin with an identity in the account are not ended by a power user', async () => {
    const other = await portal.powerAdmin()
    await createIdentityWithPassword(portal.parts.database.db, { email: other.email, account, powerUser: false })
    const inside = await enter(portal, other, account)
    expect((await powerUser.delete(await sessionsOf(powerUser, other.email))).status).toBe(200)
    expect((await other.get('/identity/v1/policies')).status).toBe(200)
    expect((await inside.get('/identity/v1/policies')).status).toBe(200)
  })

  test('are ended in every account when a power admin ends them', async () => {
    const member = await portal.member(account)
    const chosen = portal.holder(await portal.signIn(member.email))
    expect(await adminInside.delete(await sessionsOf(adminInside, member.email))).toMatchObject({ body: { ended: 2 } })
    expect((await member.get(forMembers)).status).toBe(401)
    expect((await chosen.get(forAnybody)).status).toBe(401)
  })

  test('cannot be ended by callers who cannot change the identity', async () => {
    const member = await portal.member(account)
    const sessions = await sessionsOf(powerUser, member.email)
    const stranger = await portal.member(await portal.account())
    const importer = await portal.member(account, 'contact-service::imports::get')
    expect((await importer.delete(sessions)).status).toBe(403)
    expect(await stranger.delete(sessions)).toMatchObject(notThere)
    expect(await powerUser.delete('/identity/v1/identities/x/sessions')).toMatchObject(notThere)
    expect((await member.get(forMembers)).status).toBe(200)
  })

  test('of a power admin can be ended by power admins only', async () => {
    const other = await portal.powerAdmin()
    const sessions = await sessionsOf(admin, other.email)
    expect(await powerUser.delete(sessions)).toMatchObject(notThere)
    expect((await other.get(forMembers)).status).toBe(200)
    expect(await admin.delete(sessions)).toMatchObject({ status: 200, body: { ended: 1 } })
    expect((await other.get(forMembers)).status).toBe(401)
  })

  test('of a person who has not accepted the invitation are neither ended nor counted', async () => {
    const other = await portal.powerAdmin()
    const inside = await enter(portal, other, account)
    const groups = [(await findIdentity(powerUser, powerUser.email))?.groups[0]?._id]
    expect((await powerUser.post('/identity/v1/identities', { email: other.email, groups })).status).toBe(201)
    const sessions = await sessionsOf(powerUser, other.email)
    expect(await powerUser.delete(sessions)).toMatchObject({ status: 200, body: { ended: 0 } })
    expect((await inside.get(forMembers)).status).toBe(200)
  })
})
