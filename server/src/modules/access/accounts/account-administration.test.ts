import type { Account } from '@portico/contract/accounts'
import type { Identity } from '@portico/contract/identities'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enter, listed, logOf, made } from '#test/kit/administration.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/identity/v1/accounts'

let portal: TestPortal
let admin: Member
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account('First'))
  admin = await portal.powerAdmin()
})
afterAll(() => portal.close())

const details = async (id: number): Promise<Account | undefined> =>
  (await admin.get(`${path}/details`)).json<Account[]>().find(({ Key }) => Key === id)

async function invitationsTo(email: string): Promise<number> {
  const { rows } = await portal.parts.database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM jobs.job j JOIN portico.persons p ON j.data::text LIKE '%' || p.id || '%'
     WHERE p.email = $1`,
    [email],
  )
  return rows[0]?.n ?? 0
}

describe('accounts', () => {
  test('are listed by name with parent, time zone, power users and number of identities', async () => {
    const sub = await portal.account('A branch', powerUser.account)
    const accounts = (await admin.get(`${path}/details`)).json<Account[]>()
    expect(accounts.map(({ Value }) => Value)).toEqual(['A branch', 'First'])
    expect(accounts).toMatchObject([
      { Key: sub, parent: { Key: powerUser.account, Value: 'First' }, powerUsers: [], identities: 0 },
      {
        Key: powerUser.account,
        parent: null,
        timeZone: 'UTC',
        isSuspended: false,
        createdAt: expect.stringMatching(/Z$/),
        identities: 1,
        powerUsers: [powerUser.email],
      },
    ])
  })

  test('can be managed by power admins only', async () => {
    const refused = {
      status: 403,
      body: { error: { code: 'not_allowed', message: expect.stringContaining('power admins') } },
    }
    expect(await powerUser.get(`${path}/details`)).toMatchObject(refused)
    expect(await powerUser.post(path, { name: 'My own' })).toMatchObject(refused)
    expect(await powerUser.put(`${path}/${powerUser.account}`, { name: 'My own' })).toMatchObject(refused)
    expect(await powerUser.post(`${path}/${powerUser.account}/power-users`, { email: 'a@example.com' })).toMatchObject(
      refused,
    )
    expect(await portal.anonymous.get(`${path}/details`)).toMatchObject({ status: 401 })
  })
})

describe('a new account', () => {
  test('has a parent, a time zone and a power user, who is invited', async () => {
    const draft = {
      name: ' Zurich ',
      parent: powerUser.account,
      timeZone: 'Europe/Zurich',
      powerUser: 'ada@example.com',
    }
    const account = made<Account>(await admin.post(path, draft))
    expect(account).toMatchObject({
      Value: 'Zurich',
      parent: { Key: powerUser.account, Value: 'First' },
      timeZone: 'Europe/Zurich',
      identities: 1,
      powerUsers: ['ada@example.com'],
    })
    expect(await invitationsTo('ada@example.com')).toBe(1)
    expect(await logOf(portal, 'Zurich')).toMatchObject([{ actor: admin.email, action: 'account created' }])
    const inside = await enter(portal, admin, account.Key)
    expect(await listed<Identity>(inside, 'identities')).toContainEqual(
      expect.objectContaining({ email: 'ada@example.com', status: 'invited', aid: account.Key }),
    )
    expect(await inside.get('/contact-service/v1/offers')).toMatchObject({ status: 200, body: [] })
  })

  test('needs a unique name and a parent that is not a sub-account', async () => {
    expect(await admin.post(path, { name: 'FIRST' })).toMatchObject({
      status: 409,
      body: { error: { code: 'name_taken' } },
    })
    expect(await admin.post(path, { name: ' ' })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'name' }] } },
    })
    const sub = await portal.account(undefined, powerUser.account)
    expect(await admin.post(path, { name: 'Below', parent: sub })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'parent' }] } },
    })
    expect(await admin.post(path, { name: 'Orphan', parent: 999_999 })).toMatchObject({ status: 404 })
    const field = async (wrong: object) =>
      (await admin.post(path, { name: 'Fine', ...wrong })).json<{ error: { details: { field: string }[] } }>().error
        .details[0]?.field
    expect(await field({ timeZone: 'Mars/Olympus' })).toBe('timeZone')
    expect(await field({ powerUser: 'ada' })).toBe('powerUser')
  })
})

describe('changing an account', () => {
  test('sets its name and time zone, recorded in the audit log', async () => {
    const id = await portal.account('Old name')
    const changed = await admin.put(`${path}/${id}`, { name: 'New name', timeZone: 'Asia/Tokyo' })
    expect(changed).toMatchObject({ status: 200, body: { Key: id, Value: 'New name', timeZone: 'Asia/Tokyo' } })
    expect(await logOf(portal, 'New name')).toMatchObject([
      {
        action: 'account changed',
        details: { name: { old: 'Old name', new: 'New name' }, timeZone: { old: 'UTC', new: 'Asia/Tokyo' } },
      },
    ])
    // Unchanged values are not recorded.
    await admin.put(`${path}/${id}`, { name: 'New name' })
    expect(await logOf(portal, 'New name')).toHaveLength(1)
  })

  test('is refused for a taken name, an invalid time zone or an unknown account', async () => {
    const id = await portal.account()
    expect(await admin.put(`${path}/${id}`, { name: 'first' })).toMatchObject({
      status: 409,
      body: { error: { code: 'name_taken', details: [{ field: 'name' }] } },
    })
    expect(await admin.put(`${path}/${id}`, { timeZone: 'Mars/Olympus' })).toMatchObject({ status: 400 })
    expect(await admin.put(`${path}/${id}`, { parent: 1 })).toMatchObject({ status: 400 })
    expect(await admin.put(`${path}/999999`, { name: 'Nowhere' })).toMatchObject({ status: 404 })
  })

  test('to suspended locks out all but power admins, keeps its data and can be undone', async () => {
    const member = await portal.member(await portal.account('To be suspended'))
    const at = `${path}/${member.account}`
    expect(await member.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    expect(await admin.put(at, { isSuspended: true })).toMatchObject({ status: 200, body: { isSuspended: true } })
    expect(await member.get('/contact-service/v1/offers')).toMatchObject({ status: 401 })
    const inside = await enter(portal, admin, member.account)
    expect(await inside.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    expect(await admin.put(at, { isSuspended: false })).toMatchObject({ status: 200, body: { isSuspended: false } })
    expect(await member.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    const log = await logOf(portal, 'To be suspended')
    expect(log.map(({ action }) => action)).toEqual(['account created', 'account suspended', 'account resumed'])
  })
})

describe('adding a power user', () => {
  test('sends an invitation, and is refused for a person who has an identity there', async () => {
    const id = await portal.account()
    const add = (email: string) => admin.post(`${path}/${id}/power-users`, { email })
    expect(await add('bob@example.com')).toMatchObject({ status: 201, body: { powerUsers: ['bob@example.com'] } })
    expect(await invitationsTo('bob@example.com')).toBe(1)
    expect(await add('BOB@example.com')).toMatchObject({
      status: 409,
      body: { error: { code: 'name_taken', details: [{ field: 'email' }] } },
    })
    expect(await add('bob')).toMatchObject({ status: 400 })
    expect(await admin.post(`${path}/999999/power-users`, { email: 'bob@example.com' })).toMatchObject({ status: 404 })
    expect(await details(id)).toMatchObject({ identities: 1 })
    expect(await logOf(portal, 'bob@example.com')).toMatchObject([{ action: 'identity created', actor: admin.email }])
  })
})

test('a person is listed as a power user only while their full access has no conditions', async () => {
  const account = await portal.account('With conditions')
  const { email } = await portal.member(account, '*::*::*')
  expect(await details(account)).toMatchObject({ identities: 1, powerUsers: [email] })
  await portal.parts.database.pool.query('UPDATE portico.policies SET conditions = $2 WHERE account_id = $1', [
    account,
    ['query::limit::eq::1'],
  ])
  expect(await details(account)).toMatchObject({ identities: 1, powerUsers: [] })
})
