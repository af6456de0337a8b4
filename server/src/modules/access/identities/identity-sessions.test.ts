import type { AccountId } from '@portico/contract/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkOf } from '#test/access.ts'
import { enter, findIdentity, logOf } from '#test/administration.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/portal.ts'

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

/** Ends the sessions of a person whom this administrator can see. */
async function sessionsOf(client: Client, email: string): Promise<string> {
  const identity = await findIdentity(client, email)
  return `/identity/v1/identities/${identity?._id}/sessions`
}

describe('the sessions of somebody', () => {
  test('are ended by an administrator, with the links they made; they may sign in again', async () => {
    const member = await portal.member(account)
    const sessions = await sessionsOf(powerUser, member.email)
    const link = portal.asking({ authorization: await linkOf(member) })
    expect((await link.get(forMembers)).status).toBe(200)
    const other = portal.holder(await portal.signIn(member.email))
    expect(await powerUser.delete(sessions)).toMatchObject({ status: 200, body: { ended: 2 } })
    expect((await member.get(forMembers)).status).toBe(401)
    expect((await other.get(forAnybody)).status).toBe(401)
    expect((await link.get(forMembers)).status).toBe(401)
    expect((await powerUser.get(forMembers)).status).toBe(200)
    expect((await logOf(portal, member.email)).at(-1)).toMatchObject({
      actor: powerUser.email,
      action: 'identity signed out',
      details: { ended: 2 },
    })
    expect((await portal.holder(await portal.signIn(member.email)).get(forAnybody)).status).toBe(200)
    expect((await powerUser.delete(sessions)).body).toEqual({ ended: 1 })
  })

  test('are left alone by whoever may not change the identity', async () => {
    const member = await portal.member(account)
    const sessions = await sessionsOf(powerUser, member.email)
    const stranger = await portal.member(await portal.account())
    const importer = await portal.member(account, 'contact-service::imports::get')
    expect((await importer.delete(sessions)).status).toBe(403)
    expect(await adminInside.delete(sessions)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    expect(await stranger.delete(sessions)).toMatchObject(notThere)
    expect(await powerUser.delete('/identity/v1/identities/x/sessions')).toMatchObject(notThere)
    expect((await member.get(forMembers)).status).toBe(200)
  })

  test('of a power admin are ended by power admins alone', async () => {
    const other = await portal.powerAdmin()
    const sessions = await sessionsOf(admin, other.email)
    expect(await powerUser.delete(sessions)).toMatchObject(notThere)
    expect((await other.get(forMembers)).status).toBe(200)
    expect(await admin.delete(sessions)).toMatchObject({ status: 200, body: { ended: 1 } })
    expect((await other.get(forMembers)).status).toBe(401)
  })
})
