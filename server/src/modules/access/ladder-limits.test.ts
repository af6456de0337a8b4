import type { AccountId } from '@portico/contract/accounts'
import type { Identity } from '@portico/contract/identities'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { identityOf, limit, linkOf, memberWith, reachSubAccounts } from '#test/resources/access.ts'
import { findIdentity, groupId, made, makeGroup, makeIdentity, makePolicy } from '#test/kit/administration.ts'
import { asPut, exceeding, makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Administrators give no more than they hold: within the same limits and accounts, and not through a name either.

const base = '/identity/v1'

let portal: TestPortal
let parent: AccountId
let account: AccountId
let admin: Member
let powerUser: Member
let powerUsers: string

beforeAll(async () => {
  portal = await startPortal()
  parent = await portal.account()
  account = await portal.account(undefined, parent)
  admin = await portal.powerAdmin()
  powerUser = await portal.member(parent)
  powerUsers = await groupId(admin, 'Power users')
})
afterAll(() => portal.close())

let number = 0
let email: string
let name: string
beforeEach(() => {
  number += 1
  email = `person-${number}@example.com`
  name = `Number ${number}`
})

describe('rights that an administrator holds within limits', () => {
  const office = { cidr: '127.0.0.0/8' }

  test('can be granted within these limits only', async () => {
    const limited = await portal.member(parent)
    await limit(portal, await identityOf(portal, limited), office)
    const give = (more: object) => limited.post(`${base}/identities`, { email, groups: [powerUsers], ...more })
    expect(await give({})).toMatchObject(exceeding('limited to 127.0.0.0/8'))
    expect(await give({ cidr: '10.0.0.0/8' })).toMatchObject(exceeding())
    expect(await give({ cidr: '0.0.0.0/0' })).toMatchObject(exceeding())
    expect(await give({ cidr: '127.0.0.1' })).toMatchObject({ status: 201 })
    const own = await findIdentity(limited, limited.email)
    const free = { email: limited.email, groups: [powerUsers] }
    expect(await limited.put(`${base}/identities/${own?._id}`, free)).toMatchObject(exceeding('limited to'))
    expect(await limited.put(`${base}/identities/${own?._id}`, { ...free, ...office })).toMatchObject({ status: 200 })
  })

  test('still allow changes that grant nothing: renaming, removing groups, disabling, signing out', async () => {
    const limited = await portal.member(parent)
    await limit(portal, await identityOf(portal, limited), office)
    const { _id } = await makeIdentity(powerUser, { email, groups: [powerUsers] })
    const path = `${base}/identities/${_id}`
    const same = { email, groups: [powerUsers] }
    expect(await limited.put(path, { ...same, userName: 'Ada' })).toMatchObject({ status: 200 })
    expect(await limited.put(path, { ...same, isDisabled: true })).toMatchObject({ status: 200 })
    expect(await limited.put(path, same)).toMatchObject(exceeding('limited to'))
    expect(await limited.delete(`${path}/sessions`)).toMatchObject({ status: 200 })
    expect(await limited.delete(path)).toMatchObject({ status: 204 })
  })

  test('create no secret that works outside the limits', async () => {
    const limited = await portal.member(parent)
    await limit(portal, await identityOf(portal, limited), office)
    const { _id } = await makeIdentity(powerUser, { serviceName: `Service ${number}`, groups: [powerUsers] })
    const path = `${base}/identities/${_id}`
    expect(await limited.put(`${path}/addapi/0`)).toMatchObject(exceeding('limited to'))
    expect(await powerUser.put(`${path}/addapi/0`)).toMatchObject({ status: 200 })
    expect(await limited.put(`${path}/inactiveapi/1`)).toMatchObject({ status: 200 })
    expect(await limited.put(`${path}/reactiveapi/1`)).toMatchObject(exceeding('limited to'))
    expect(await limited.put(`${path}/deleteapi/1`)).toMatchObject({ status: 200 })
  })

  test('cannot be granted to members without limits through policies and groups', async () => {
    const limited = await portal.powerAdmin()
    await limit(portal, await identityOf(portal, { email: limited.email, account: null }), office)
    const policy = await makePolicy(limited, `Shared ${number}`, { actions: ['bi::*::get'] })
    const wider = { ...asPut(policy), actions: ['bi::*::*'] }
    const path = `${base}/policies/${policy._id}`
    expect(await limited.put(path, wider)).toMatchObject({ status: 200 })
    expect(await limited.put(path, asPut(policy))).toMatchObject({ status: 200 })
    const group = await makeGroup(limited, `Sharing ${number}`, [policy])
    await makeIdentity(powerUser, { email, groups: [group._id] })
    expect(await limited.put(path, wider)).toMatchObject(exceeding('limited to'))
    const more = await makePolicy(limited, `More ${number}`, { actions: ['bi::*::put'] })
    const policies = { name: group.name, policies: [policy._id, more._id] }
    expect(await limited.put(`${base}/groups/${group._id}`, policies)).toMatchObject(exceeding('limited to'))
    expect(await limited.put(path, { ...asPut(policy), actions: ['bi::reports::get'] })).toMatchObject({ status: 200 })
    expect(await admin.put(path, wider)).toMatchObject({ status: 200 })
  })
})

describe('sub-accounts', () => {
  test('can be opened only by administrators who can enter them, including through a service identity', async () => {
    const give = (client: Client) =>
      client.post(`${base}/identities`, {
        serviceName: `Deep ${++number}`,
        groups: [powerUsers],
        accessToAllSubAccounts: true,
      })
    expect(await give(powerUser)).toMatchObject(exceeding('sub-accounts'))
    const own = await findIdentity(powerUser, powerUser.email)
    const wider = { email: powerUser.email, groups: [powerUsers], accessToAllSubAccounts: true }
    expect(await powerUser.put(`${base}/identities/${own?._id}`, wider)).toMatchObject(exceeding('sub-accounts'))
    const reaching = await portal.member(parent)
    await reachSubAccounts(portal, reaching)
    const { _id } = made<Identity>(await give(reaching))
    expect(await powerUser.put(`${base}/identities/${_id}/addapi/0`)).toMatchObject(exceeding('sub-accounts'))
    expect(await powerUser.delete(`${base}/identities/${_id}`)).toMatchObject({ status: 204 })
  })

  test('can be opened to a power user added by a power admin, in a parent account only', async () => {
    const add = (where: AccountId) =>
      admin.post(`${base}/accounts/${where}/power-users`, { email, accessToAllSubAccounts: true })
    expect(await add(account)).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'accessToAllSubAccounts', message: 'Value is not allowed!' }] } },
    })
    expect(await add(parent)).toMatchObject({ status: 201 })
    expect(await findIdentity(powerUser, email)).toMatchObject({ accessToAllSubAccounts: true })
  })
})

describe('hours and days', () => {
  test('of a global identity use the time zone of the first account, even in other accounts', async () => {
    const limited = await makeLimitedAdmin(portal, admin, { actions: ['*::*::*'] })
    const identity = await identityOf(portal, { email: limited.email, account: null })
    const { pool } = portal.parts.database
    const first = await pool.query('SELECT time_zone FROM portico.accounts ORDER BY id LIMIT 1')
    const hourIn = (timeZone: string) =>
      Number(new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format())
    const opened = await limited.post(`${base}/accounts`, { name, timeZone: 'Pacific/Kiritimati' })
    expect(opened.status).toBe(201)
    const signedIn = portal.asking({ authorization: await portal.signIn(limited.email) })
    const entering = () => signedIn.get(`${base}/login/${(opened.body as { Key: number }).Key}`)
    await limit(portal, identity, { hours: [hourIn('Pacific/Kiritimati')], hoursEffect: 'in' })
    expect(await entering()).toMatchObject({ status: 401 })
    await limit(portal, identity, { hours: [hourIn(first.rows[0].time_zone)], hoursEffect: 'in' })
    expect(await entering()).toMatchObject({ status: 200 })
  })
})

describe('the names of policies', () => {
  test('cannot be names of features', async () => {
    for (const taken of ['contact-import-list', 'Contact-Import-List', 'no-workflows']) {
      expect(await admin.post(`${base}/policies`, { name: taken, actions: ['bi::*::get'] })).toMatchObject({
        status: 400,
        body: { error: { details: [{ field: 'name', message: expect.stringContaining('feature') }] } },
      })
    }
  })

  test('give an impersonation link no rights it was not created with', async () => {
    const member = await memberWith(
      portal,
      parent,
      { name, actions: ['*::*::*'] },
      { name: `Reads ${number}`, actions: ['*::imports::get'] },
    )
    const link = portal.holder(await linkOf(member, { policies: [`Reads ${number}`] }))
    const offers = '/contact-service/v1/offers'
    expect(await link.get(offers)).toMatchObject({ status: 403 })
    const { pool } = portal.parts.database
    await pool.query(`UPDATE portico.policies SET name = name || ' before' WHERE name = $1`, [`Reads ${number}`])
    await pool.query('UPDATE portico.policies SET name = $2 WHERE name = $1', [name, `Reads ${number}`])
    expect(await link.get(offers)).toMatchObject({ status: 403 })
    expect(await link.get('/contact-service/v1/imports')).toMatchObject({ status: 200 })
  })
})
