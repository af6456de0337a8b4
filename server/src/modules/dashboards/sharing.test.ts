import type { AccountId } from '@portico/contract/accounts'
import type { Dashboard, SharedWith } from '@portico/contract/dashboards'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { identityOf, limit, linkOf, program, reachSubAccounts } from '#test/resources/access.ts'
import { enter } from '#test/kit/administration.ts'
import {
  addIdentity,
  createDashboard,
  dashboardsPath as path,
  draftOf,
  inAccounts,
  namesFor,
  onlyFor,
  refused,
  removeIdentity,
  saveDashboard,
} from '#test/resources/dashboards.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let author: Member
let parent: AccountId
let sub: AccountId
let otherSub: AccountId

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
// Two sub-accounts of one parent; the author is a power user of the first.
beforeEach(async () => {
  // Some are shared with all accounts.
  await portal.parts.database.pool.query('DELETE FROM portico.dashboards')
  parent = await portal.account()
  sub = await portal.account(undefined, parent)
  otherSub = await portal.account(undefined, parent)
  author = await portal.member(sub)
})

/** Enters another account as the person. */
const into = async (person: Member, account: AccountId): Promise<Member> => ({
  ...person,
  ...(await enter(portal, person, account)),
  account,
})

const everyone = { users: 'all' } as const
const ofParent = (id: AccountId): SharedWith => ({ paids: [id], aids: 'all', ...everyone })
const withAll: SharedWith = { paids: 'all', aids: 'all', ...everyone }
const share = (by: Member, sharedWith: SharedWith) => by.post(path, draftOf(by, { sharedWith }))

/** Stores a sharing that no person in the test could choose. */
async function storeSharing(id: string, { paids, aids, users }: SharedWith): Promise<void> {
  const list = <T>(values: 'all' | T[]) => (values === 'all' ? null : values)
  await portal.parts.database.pool.query(
    'UPDATE portico.dashboards SET shared_parents = $2, shared_accounts = $3, shared_users = $4 WHERE id = $1',
    [id, list(paids), list(aids), list(users)],
  )
}

test('nothing is shared into an account that requires a second factor with a session that has shown none', async () => {
  const wide = await portal.member(parent)
  await reachSubAccounts(portal, wide)
  const admin = await into(await portal.powerAdmin(), sub)
  const tries: [Member, SharedWith][] = [
    [wide, inAccounts(otherSub)],
    [wide, ofParent(parent)],
    [admin, inAccounts(otherSub)],
    [admin, withAll],
  ]
  for (const [by, sharedWith] of tries) expect(await share(by, sharedWith)).toMatchObject({ status: 201 })
  const { pool } = portal.parts.database
  await pool.query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', [otherSub])
  for (const [by, sharedWith] of tries)
    expect(await share(by, sharedWith)).toMatchObject(refused(409, 'sharing_changed'))
  expect(await share(wide, inAccounts(sub))).toMatchObject({ status: 201 })
  await pool.query('UPDATE portico.accounts SET requires_two_factor = false')
})

describe('a dashboard is visible', () => {
  test('to its author only, when it is not shared', async () => {
    await createDashboard(author)
    expect(await namesFor(author)).toEqual(['Overview'])
    for (const other of [await portal.member(sub), await into(await portal.powerAdmin(), sub)]) {
      expect(await namesFor(other)).toEqual([])
    }
  })

  test('to people who match users, accounts and parents together', async () => {
    const { _id } = await createDashboard(author)
    const named = await portal.member(sub)
    const unnamed = await portal.member(sub)
    const namedElsewhere = await portal.member(otherSub)
    const users = [named.email.toUpperCase(), namedElsewhere.email]
    const seen = async () =>
      Promise.all([named, unnamed, namedElsewhere].map(async (by) => (await namesFor(by)).length === 1))
    const cases: [SharedWith, boolean[]][] = [
      [{ paids: 'all', aids: 'all', users: 'all' }, [true, true, true]],
      [{ paids: [parent], aids: 'all', users: 'all' }, [true, true, true]],
      [{ paids: 'all', aids: [sub], users: 'all' }, [true, true, false]],
      [{ paids: 'all', aids: [otherSub], users: 'all' }, [false, false, true]],
      [{ paids: 'all', aids: [sub, otherSub], users }, [true, false, true]],
      [{ paids: [parent], aids: [sub], users }, [true, false, false]],
      // The account fits, but the parent is not its parent.
      [{ paids: [sub], aids: [sub], users: 'all' }, [false, false, false]],
      [{ paids: [sub], aids: 'all', users: 'all' }, [false, false, false]],
    ]
    for (const [sharedWith, wanted] of cases) {
      const stored = sharedWith.users === 'all' ? 'all' : sharedWith.users.map((email) => email.toLowerCase())
      await storeSharing(_id, { ...sharedWith, users: stored })
      expect([sharedWith, await seen()]).toEqual([sharedWith, wanted])
      // Its author always sees it.
      expect(await namesFor(author)).toHaveLength(1)
    }
  })

  test('in an account without a parent, which counts as its own parent', async () => {
    const { _id } = await createDashboard(author)
    await storeSharing(_id, ofParent(parent))
    expect(await namesFor(await portal.member(parent))).toEqual(['Overview'])
    expect(await namesFor(await portal.member(await portal.account()))).toEqual([])
  })

  test('to its author in other accounts too, but can be changed in its own account only', async () => {
    await addIdentity(portal, author, otherSub)
    const sharedWith: SharedWith = { paids: 'all', aids: [sub, otherSub], users: ['someone@example.com'] }
    const { _id } = await createDashboard(author, { sharedWith })
    const there = await into(author, otherSub)
    const [seen] = (await there.get(path)).json<Dashboard[]>()
    expect(seen).toMatchObject({ _id, author: author.email, isAuthor: false, mayTakeOver: false })
    expect(seen).not.toHaveProperty('sharedWith')
    const message = 'You made this dashboard in another account. Switch to that account to change it.'
    expect(await saveDashboard(there, _id)).toMatchObject(refused(403, 'not_author', { message }))
    expect(await there.delete(`${path}/${_id}`)).toMatchObject(refused(403, 'not_author', { message }))
    expect(await there.get(`${path}/${_id}/versions`)).toMatchObject(refused(403, 'not_author'))
    await saveDashboard(author, _id, { sharedWith: onlyFor(author) })
    expect(await namesFor(there)).toEqual([])
  })

  test('to others only until its sharing is removed', async () => {
    const other = await portal.member(sub)
    const { _id } = await createDashboard(author, { sharedWith: inAccounts(sub) })
    await other.put(`${path}/${_id}/favourite`, { isFavourite: true })
    expect(await saveDashboard(author, _id)).toMatchObject({ status: 200 })
    expect(await namesFor(other)).toEqual([])
    expect(await other.get(`${path}/${_id}`)).toMatchObject(refused(404, 'not_found'))
    expect(await other.put(`${path}/${_id}/favourite`, { isFavourite: false })).toMatchObject({ status: 404 })
  })
})

describe('a dashboard can be shared', () => {
  test('only with accounts that the author can enter', async () => {
    expect(await share(author, inAccounts(sub))).toMatchObject({ status: 201 })
    expect(await share(author, { ...inAccounts(sub), paids: [parent] })).toMatchObject({ status: 201 })
    const message = 'You can share only with accounts that you may enter.'
    for (const sharedWith of [
      inAccounts(sub, otherSub),
      inAccounts(2_000_000_000),
      { ...inAccounts(sub), paids: [sub] },
      { ...inAccounts(sub), paids: [parent, await portal.account()] },
      ofParent(parent),
      ofParent(sub),
    ]) {
      const { paids, aids } = sharedWith
      const not = refused(409, 'sharing_changed', { message, details: { paids, aids } })
      expect(await share(author, sharedWith)).toMatchObject(not)
    }
    await addIdentity(portal, author, otherSub)
    expect(await share(author, inAccounts(sub, otherSub))).toMatchObject({ status: 201 })
  })

  test('with all accounts of a parent by people who can enter each of them', async () => {
    await addIdentity(portal, author, otherSub)
    // The parent account belongs to its own family.
    expect(await share(author, ofParent(parent))).toMatchObject(refused(409, 'sharing_changed'))
    await removeIdentity(portal, { email: author.email, account: otherSub })
    await addIdentity(portal, author, parent, { withSubAccounts: true })
    expect(await share(author, ofParent(parent))).toMatchObject({ status: 201 })
    // Only power admins could enter a suspended account, so it does not count.
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [otherSub])
    expect(await share(author, ofParent(parent))).toMatchObject({ status: 201 })
    expect(await share(author, inAccounts(otherSub))).toMatchObject(refused(409, 'sharing_changed'))
  })

  test('with all accounts by power admins only', async () => {
    const admin = await into(await portal.powerAdmin(), sub)
    expect(await share(admin, withAll)).toMatchObject({ status: 201 })
    expect(await share(admin, inAccounts(otherSub))).toMatchObject({ status: 201 })
    const message = 'Only power admins can share with all accounts.'
    const not = refused(409, 'sharing_changed', { message, details: { paids: 'all', aids: 'all' } })
    expect(await share(author, withAll)).toMatchObject(not)
  })

  test('by an API credential with accounts that its identity opens', async () => {
    await addIdentity(portal, author, otherSub)
    const credential: Member = { ...author, ...(await program(portal, author)) }
    expect(await share(credential, inAccounts(sub))).toMatchObject({ status: 201 })
    expect(await share(credential, inAccounts(otherSub))).toMatchObject(refused(409, 'sharing_changed'))
  })

  test('only with the remaining accounts after the author has lost access to one', async () => {
    await addIdentity(portal, author, otherSub)
    const sharedWith = inAccounts(sub, otherSub)
    const { _id } = await createDashboard(author, { sharedWith })
    await removeIdentity(portal, { email: author.email, account: otherSub })
    const message = 'Your permission has changed since last sharing!'
    const not = refused(409, 'sharing_changed', { message, details: { paids: 'all', aids: [sub, otherSub] } })
    expect(await saveDashboard(author, _id, { name: 'X', sharedWith })).toMatchObject(not)
    expect(await author.post(`${path}/${_id}/versions/1/restore`)).toMatchObject(not)
    // Others see it as before, until it is shared with fewer accounts.
    expect(await namesFor(await portal.member(otherSub))).toEqual(['Overview'])
    expect(await saveDashboard(author, _id, { sharedWith: inAccounts(sub) })).toMatchObject({ status: 200 })
    expect(await namesFor(await portal.member(otherSub))).toEqual([])
    // The new sharing is invalid, not the stored one.
    expect(await saveDashboard(author, _id, { sharedWith })).toMatchObject(
      refused(409, 'sharing_changed', { message: 'You can share only with accounts that you may enter.' }),
    )
  })
})

describe('a dashboard whose author has left', () => {
  let left: Dashboard
  const takeOver = (by: Client) => by.post(`${path}/${left._id}/author`)

  beforeEach(async () => {
    left = await createDashboard(author)
  })

  test('can be taken over by a power user, with its sharing and versions', async () => {
    const heir = await portal.member(sub)
    expect(await namesFor(heir)).toEqual([])
    await removeIdentity(portal, author)
    const [seen] = (await heir.get(path)).json<Dashboard[]>()
    const { sharedWith } = left
    expect(seen).toMatchObject({ author: author.email, isAuthor: false, mayTakeOver: true, sharedWith })
    expect((await heir.get(`${path}/${left._id}/versions`)).body).toMatchObject([{ version: 1 }])
    expect(await saveDashboard(heir, left._id)).toMatchObject(refused(403, 'not_author'))
    expect(await takeOver(heir)).toMatchObject({
      status: 200,
      body: { author: heir.email, isAuthor: true, mayTakeOver: false, version: 1, sharedWith },
    })
    expect(await saveDashboard(heir, left._id)).toMatchObject({ status: 200, body: { version: 2 } })
    // The former author has access again, but is no longer the author.
    await addIdentity(portal, author, sub)
    expect(await namesFor(author)).toEqual([])
    expect(await takeOver(author)).toMatchObject(refused(404, 'not_found'))
  })

  test('can be taken over by a power admin, even if the author is only disabled', async () => {
    await limit(portal, await identityOf(portal, author), { isDisabled: true })
    const admin = await into(await portal.powerAdmin(), sub)
    expect(await takeOver(admin)).toMatchObject({ status: 200, body: { author: admin.email } })
  })

  test('cannot be taken over by others', async () => {
    const reader = await portal.member(sub, 'bi::dashboards::get', 'bi::dashboards::put')
    const heir = await portal.member(sub)
    const link = portal.holder(await linkOf(heir))
    await storeSharing(left._id, withAll)
    const message = 'Only administrators can take over a dashboard, and only after its author has left the account.'
    const not = refused(403, 'not_author', { message })
    expect(await takeOver(heir)).toMatchObject(not)
    await removeIdentity(portal, author)
    expect(await takeOver(reader)).toMatchObject(not)
    const ofLink = 'Impersonation links cannot take over dashboards. Sign in to do this.'
    expect(await takeOver(link)).toMatchObject(refused(403, 'not_allowed', { message: ofLink }))
    // It is shared with this account, but belongs to another one.
    expect(await takeOver(await portal.member(otherSub))).toMatchObject(not)
    expect(await takeOver(await portal.member(parent))).toMatchObject(not)
    await storeSharing(left._id, inAccounts(sub))
    expect(await takeOver(heir)).toMatchObject({ status: 200 })
    expect(await takeOver(heir)).toMatchObject(not)
  })

  test('can be taken over only by someone who could share it as it is', async () => {
    const heir = await portal.member(sub)
    const admin = await into(await portal.powerAdmin(), sub)
    await removeIdentity(portal, author)
    const cases: [SharedWith, string][] = [
      [withAll, 'It is shared with all accounts, which only power admins can do.'],
      [inAccounts(sub, otherSub), 'It is shared with accounts that you may not enter.'],
      [ofParent(parent), 'It is shared with accounts that you may not enter.'],
    ]
    for (const [sharing, message] of cases) {
      await storeSharing(left._id, sharing)
      expect(await takeOver(heir)).toMatchObject(refused(403, 'not_allowed', { message }))
    }
    expect(await takeOver(admin)).toMatchObject({ status: 200, body: { author: admin.email } })
  })

  test('cannot be taken over while an identity of the parent or a global one opens the account', async () => {
    const heir = await portal.member(sub)
    await storeSharing(left._id, inAccounts(sub))
    await addIdentity(portal, author, parent, { withSubAccounts: true })
    await removeIdentity(portal, author)
    expect(await takeOver(heir)).toMatchObject(refused(403, 'not_author'))
    await removeIdentity(portal, { email: author.email, account: parent })
    expect(await takeOver(heir)).toMatchObject({ status: 200 })
    const admin = await into(await portal.powerAdmin(), sub)
    const { _id } = await createDashboard(admin, { sharedWith: inAccounts(sub) })
    expect(await heir.post(`${path}/${_id}/author`)).toMatchObject(refused(403, 'not_author'))
  })

  test('is kept when the person no longer exists', async () => {
    const heir = await portal.member(sub)
    await portal.parts.database.pool.query('DELETE FROM portico.persons WHERE email = $1', [author.email])
    expect((await heir.get(path)).body).toMatchObject([{ author: '', mayTakeOver: true }])
    expect((await heir.get(`${path}/${left._id}/versions`)).body).toMatchObject([{ savedBy: '' }])
    expect(await takeOver(heir)).toMatchObject({ status: 200, body: { author: heir.email } })
  })
})
