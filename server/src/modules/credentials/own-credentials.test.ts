import type { Identity } from '@portico/contract/identities'
import type { OwnCredentials } from '@portico/contract/own-identities'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential, identityOf } from '#test/resources/access.ts'
import { findIdentity, logOf } from '#test/kit/administration.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/identity/v1/profile/credentials'
const offers = '/contact-service/v1/offers'

let portal: TestPortal
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account('Workshop'))
})
afterAll(() => portal.close())

const ownOf = async (member: Member): Promise<OwnCredentials[]> => (await member.get(path)).json<OwnCredentials[]>()
const change = (member: Member, identity: string, action: string, credential = '1', body: object = {}) =>
  member.put(`${path}/${identity}/${action}/${credential}`, body)
const asAdministrator = (identity: string, action: string, credential = '1'): Promise<Answer> =>
  powerUser.put(`/identity/v1/identities/${identity}/${action}/${credential}`, {})

describe('the API credentials of a person', () => {
  test('are created, listed and switched on or off by that person, for each account', async () => {
    const member = await portal.member(powerUser.account, 'contact-service::offers::get')
    const identity = await identityOf(portal, member)
    expect(await ownOf(member)).toEqual([
      { _id: identity, account: { Key: powerUser.account, Value: 'Workshop' }, apiCredentials: [] },
    ])
    const added = await change(member, identity, 'addapi', '0', { name: 'Laptop' })
    const [key] = added.json<OwnCredentials>().apiCredentials
    expect(key).toMatchObject({ name: 'Laptop', createdBy: member.email })
    const authorization = `Basic ${Buffer.from(`${key?.accessKey}:${key?.secretKey}`).toString('base64')}`
    expect((await portal.asking({ authorization }).get(offers)).status).toBe(200)
    expect((await change(member, identity, 'inactiveapi')).status).toBe(200)
    expect((await portal.asking({ authorization }).get(offers)).status).toBe(401)
    expect((await change(member, identity, 'reactiveapi')).status).toBe(200)
    expect((await portal.asking({ authorization }).get(offers)).status).toBe(200)
    expect(JSON.stringify(await ownOf(member))).not.toContain(key?.secretKey)
    expect((await change(member, identity, 'deleteapi')).body).toMatchObject({ apiCredentials: [] })
    expect((await logOf(portal, member.email)).map(({ actor }) => actor)).toContain(member.email)
  })

  test('are created by that person only; administrators can delete them and switch them off and on again', async () => {
    const member = await portal.member(powerUser.account, 'contact-service::offers::get')
    const identity = await identityOf(portal, member)
    const message = `Only ${member.email} can create or switch on their API credentials, in their profile. For a program, create a service identity.`
    const refused = { status: 403, body: { error: { code: 'not_allowed', message } } }
    expect(await asAdministrator(identity, 'addapi', '0')).toMatchObject(refused)
    await change(member, identity, 'addapi', '0')
    expect((await findIdentity(powerUser, member.email))?.apiCredentials).toHaveLength(1)
    await change(member, identity, 'inactiveapi')
    expect(await asAdministrator(identity, 'reactiveapi')).toMatchObject(refused)
    await change(member, identity, 'reactiveapi')
    expect((await asAdministrator(identity, 'inactiveapi')).status).toBe(200)
    expect((await change(member, identity, 'reactiveapi')).status).toBe(403)
    expect((await asAdministrator(identity, 'reactiveapi')).status).toBe(200)
    expect((await asAdministrator(identity, 'deleteapi')).status).toBe(200)
  })

  test('created by others in an earlier release keep working and are listed', async () => {
    const member = await portal.member(powerUser.account, 'contact-service::offers::get')
    const identity = await identityOf(portal, member)
    const { authorization } = await addCredential(portal, identity)
    expect((await portal.asking({ authorization }).get(offers)).status).toBe(200)
    expect(await ownOf(member)).toMatchObject([{ apiCredentials: [{ name: 'Key 1', createdBy: null }] }])
  })

  test('of an identity of another person are not found', async () => {
    const member = await portal.member(powerUser.account)
    const other = await identityOf(portal, powerUser)
    for (const action of ['addapi', 'inactiveapi', 'deleteapi']) {
      expect((await change(member, other, action, action === 'addapi' ? '0' : '1')).status).toBe(404)
    }
    expect((await change(member, 'x', 'addapi', '0')).status).toBe(404)
    expect((await change(member, await identityOf(portal, member), 'addapi', '0', { name: '' })).status).toBe(400)
  })

  test('require a password entered within 15 minutes, and cannot be added by an API credential', async () => {
    const member = await portal.member(powerUser.account)
    const identity = await identityOf(portal, member)
    await portal.parts.database.pool.query(
      `UPDATE portico.sessions SET password_given_at = now() - interval '16 minutes'
       WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
      [member.email],
    )
    expect(await change(member, identity, 'addapi', '0')).toMatchObject({
      status: 403,
      body: { error: { code: 'password_needed' } },
    })
    const { authorization } = await addCredential(portal, identity)
    expect((await portal.asking({ authorization }).get(path)).status).toBe(403)
  })

  test('of a power user can also be added through their identity in the account', async () => {
    const own = (await findIdentity(powerUser, powerUser.email)) as Identity
    expect(await asAdministrator(own._id, 'addapi', '0')).toMatchObject({ status: 200 })
  })
})
