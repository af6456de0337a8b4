import type { AccountId } from '@portico/contract/accounts'
import type { Identity } from '@portico/contract/identities'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createIdentityWithPassword,
  findIdentity,
  groupId,
  listed,
  makeGroup,
  makeIdentity,
  makePolicy,
} from '#test/kit/administration.ts'
import { type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

const path = '/identity/v1/identities'

let portal: TestPortal
let account: AccountId
let admin: Member
let powerUser: Member
let readers: string
let admins: string
let powerUsers: string

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  admin = await portal.powerAdmin()
  powerUser = await portal.member(account)
  readers = (await makeGroup(admin, 'Readers', [await makePolicy(admin, 'Reading')]))._id
  admins = await groupId(admin, 'Administrators')
  powerUsers = await groupId(admin, 'Power users')
})
afterAll(() => portal.close())

let email: string
let lastNumber = 0
beforeEach(() => {
  email = `somebody-${++lastNumber}@example.com`
})

describe('administrators cannot lock themselves out', () => {
  const inUse = (message: string) => ({
    status: 409,
    body: { error: { code: 'in_use', message: expect.stringContaining(message) } },
  })

  test('by deleting, disabling, handing over or demoting their own identity', async () => {
    const own = await findIdentity(powerUser, powerUser.email)
    const at = `${path}/${own?._id}`
    const same = { email: powerUser.email, groups: [powerUsers] }
    expect(await powerUser.delete(at)).toMatchObject(inUse('delete your own identity'))
    expect(await powerUser.put(at, { ...same, isDisabled: true })).toMatchObject(inUse('disable your own identity'))
    expect(await powerUser.put(at, { ...same, email })).toMatchObject(inUse('hand over your own identity'))
    expect(await powerUser.put(at, { ...same, groups: [readers] })).toMatchObject(inUse('leave the group'))
    expect(await powerUser.put(at, { ...same, groups: [readers, powerUsers] })).toMatchObject({ status: 200 })
    const ownGlobal = await findIdentity(admin, admin.email)
    expect(await admin.delete(`${path}/${ownGlobal?._id}`)).toMatchObject(inUse('delete your own identity'))
  })

  test('when two power admins delete each other at the same time', async () => {
    const { db } = portal.parts.database
    const emails = [`first-${email}`, `second-${email}`] as const
    for (const one of emails)
      await createIdentityWithPassword(db, { email: one, account: null, powerUser: false, password: testPassword })
    const [first, second] = await Promise.all(
      emails.map(async (one) => {
        const entered = await portal.holder(await portal.signIn(one)).get(`/identity/v1/login/${account}`)
        return portal.holder(entered.json<{ token: string }>().token)
      }),
    )
    if (!first || !second) throw new Error('both have signed in')
    // All others are removed first, leaving these two and people who have never chosen a password.
    for (const { _id, aid, email: one } of await listed<Identity>(first, 'identities')) {
      if (aid === '*' && !emails.some((kept) => kept === one) && one !== admin.email)
        await first.delete(`${path}/${_id}`)
    }
    await makeIdentity(first, { email: `invited-${email}`, groups: [admins] })
    const ids = await Promise.all(emails.map(async (one) => (await findIdentity(first, one))?._id))
    const adminId = (await findIdentity(first, admin.email))?._id
    await portal.parts.database.pool.query('UPDATE portico.identities SET is_disabled = true WHERE id = $1', [adminId])
    const answers = await Promise.all([first.delete(`${path}/${ids[1]}`), second.delete(`${path}/${ids[0]}`)])
    const left = await portal.parts.database.pool.query(`SELECT FROM portico.identities WHERE id = ANY ($1)`, [ids])
    await portal.parts.database.pool.query('UPDATE portico.identities SET is_disabled = false WHERE id = $1', [adminId])
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(left.rowCount).toBe(1)
  })

  test('by deleting, disabling, handing over or adding a row rule to the last power admin', async () => {
    const { pool, db } = portal.parts.database
    // A caller whose own identity no longer counts: it is disabled while the call runs.
    const identity = await createIdentityWithPassword(db, {
      email,
      account: null,
      powerUser: false,
      password: testPassword,
    })
    await pool.query(
      `UPDATE portico.persons SET password_hash = NULL WHERE id IN (
      SELECT person_id FROM portico.identities WHERE account_id IS NULL AND id <> $1)`,
      [identity.id],
    )
    const message = inUse('the last power admin')
    expect(await admin.delete(`${path}/${identity.id}`)).toMatchObject(message)
    const change = { email, groups: [admins] }
    expect(await admin.put(`${path}/${identity.id}`, { ...change, isDisabled: true })).toMatchObject(message)
    expect(await admin.put(`${path}/${identity.id}`, { ...change, email: `new-${email}` })).toMatchObject(message)
    const rowRule = [{ $match: { _id: '8589934593' } }]
    expect(await admin.put(`${path}/${identity.id}`, { ...change, rowRule })).toMatchObject(message)
    expect(await admin.put(`${path}/${identity.id}`, { ...change, userName: 'Last' })).toMatchObject({ status: 200 })
  })
})
