import type { AccountId } from '@portico/contract/accounts'
import type { PeopleFilters, PersonDetails } from '@portico/contract/people'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityOf, reachSubAccounts } from '#test/resources/access.ts'
import { addPasskey, createAuthenticator } from '#test/stand-ins/passkey-device.ts'
import { createIdentityWithPassword, groupId, personIdOf } from '#test/kit/administration.ts'
import { exceeding, makeLimitedAdmin } from '#test/kit/limited-admin.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Accounts that an administrator may not enter.

const people = '/identity/v1/people'

let portal: TestPortal
let main: AccountId
let foreign: AccountId
let admin: Member
/** Power user of the main account with access to all sub-accounts. */
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  main = await portal.account('Main')
  foreign = await portal.account('Foreign')
  admin = await portal.powerAdmin()
  powerUser = await portal.member(main)
  await reachSubAccounts(portal, powerUser)
})
afterAll(() => portal.close())

test('people of a suspended sub-account are beyond the reach of power users', async () => {
  const closed = await portal.account('Closed', main)
  const member = await portal.member(closed)
  const path = `${people}/${await personIdOf(portal, member)}`
  const { pool } = portal.parts.database
  await pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [closed])
  expect(await powerUser.get(path)).toMatchObject({ status: 404 })
  expect(await admin.get(path)).toMatchObject({ status: 200 })
})

test('people of accounts that require two-factor are beyond the reach of administrators who have none', async () => {
  const strict = await portal.account('Strict', main)
  const member = await portal.member(strict)
  const path = `${people}/${await personIdOf(portal, member)}`
  const filters = async (by: Client) => (await by.get(`${people}/filters`)).json<PeopleFilters>()
  const { pool } = portal.parts.database
  for (const by of [powerUser, admin]) {
    expect((await filters(by)).closedAccounts).toBe(0)
    expect(await by.get(path)).toMatchObject({ status: 200 })
  }
  await pool.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [strict])
  for (const by of [powerUser, admin]) {
    const { accounts, closedAccounts } = await filters(by)
    expect([closedAccounts, accounts.some(({ Key }) => Key === strict)]).toEqual([1, false])
    expect((await by.get(`${people}?search=${member.email}`)).body).toMatchObject({ count: 0 })
    expect(await by.get(path)).toMatchObject({ status: 404 })
    expect(await by.put(`${path}/state`, { isDisabled: true })).toMatchObject({ status: 404 })
  }
  // Another company's requirement is no concern of a power user.
  await pool.query('UPDATE portico.accounts SET requires_two_factor = (id = $1)', [foreign])
  expect((await filters(powerUser)).closedAccounts).toBe(0)
})

test('no identity is given that opens an account whose second factor the administrator lacks', async () => {
  const { pool } = portal.parts.database
  const family = await portal.account()
  const strict = await portal.account(undefined, family)
  const other = await portal.account()
  const [giver, disabled] = [await portal.member(family), await portal.member(family)]
  for (const one of [giver, disabled]) await reachSubAccounts(portal, one)
  const identity = `/identity/v1/identities/${await identityOf(portal, disabled)}`
  const person = `${people}/${await personIdOf(portal, disabled)}/state`
  const groups = [await groupId(giver, 'Power users')]
  const changed = { email: disabled.email, groups }
  expect(await giver.put(person, { isDisabled: true })).toMatchObject({ status: 200 })
  await pool.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [strict])

  const refused = exceeding('This gives access to an account that requires two-factor authentication.')
  const invite = (by: Client, accessToAllSubAccounts: boolean) =>
    by.post('/identity/v1/identities', { email: `${crypto.randomUUID()}@example.com`, groups, accessToAllSubAccounts })
  expect(await invite(giver, true)).toMatchObject(refused)
  expect(await invite(giver, false)).toMatchObject({ status: 201 })
  expect(await giver.put(person, { isDisabled: false })).toMatchObject(refused)
  const enabled = { ...changed, accessToAllSubAccounts: true, isDisabled: false }
  expect(await giver.put(identity, enabled)).toMatchObject(refused)
  expect(await giver.put(identity, { ...enabled, accessToAllSubAccounts: false })).toMatchObject({ status: 200 })
  expect(await giver.put(identity, enabled)).toMatchObject(refused)
  const addPowerUser = (account: AccountId) =>
    admin.post(`/identity/v1/accounts/${account}/power-users`, { email: `${crypto.randomUUID()}@example.com` })
  expect(await addPowerUser(strict)).toMatchObject(refused)
  expect(await addPowerUser(other)).toMatchObject({ status: 201 })

  // A session that has shown a passkey may.
  const device = createAuthenticator()
  await addPasskey(giver, device)
  expect(await invite(giver, true)).toMatchObject({ status: 201 })
  expect(await giver.put(identity, enabled)).toMatchObject({ status: 200 })
})

test('an administrator acts on no identity of a person who has more than they hold in another one', async () => {
  const limited = await makeLimitedAdmin(portal, admin, { actions: ['*::*::get', '*::*::put', '*::*::delete'] })
  const member = await portal.member(await portal.account())
  await createIdentityWithPassword(portal.parts.database.db, { email: member.email, account: main, powerUser: false })
  const path = `${people}/${await personIdOf(portal, member)}`
  const { identities } = (await limited.get(path)).json<PersonDetails>()
  expect(identities.map(({ canBeChanged }) => canBeChanged)).toEqual([false, false])
  const smaller = identities.find(({ account }) => account?.Key === main)?._id
  expect(await limited.post(`${path}/removal`, { identities: [smaller] })).toMatchObject(exceeding())
  expect(await limited.put(`${path}/state`, { isDisabled: true })).toMatchObject(exceeding())
})
