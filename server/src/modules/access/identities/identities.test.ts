import type { AccountId } from '@portico/contract/accounts'
import type { Identity } from '@portico/contract/identities'
import type { Policy } from '@portico/contract/policies'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createIdentityWithPassword,
  enter,
  findIdentity,
  groupId,
  listed,
  logOf,
  makeGroup,
  makeIdentity,
  makePolicy,
} from '#test/kit/administration.ts'
import { reachSubAccounts } from '#test/resources/access.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Client, type Member, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'
import { createAccountGroup } from '../groups/groups.service.ts'

const path = '/identity/v1/identities'
const notThere = { status: 404, body: { error: { code: 'not_found' } } }

let portal: TestPortal
let parent: AccountId
let child: AccountId
let admin: Member
let adminInChild: Client
let powerUser: Member
let powerUserOfParent: Member
let stranger: Member
let importer: Member
let readers: string
let admins: string
let everyone: string
let reading: Policy

beforeAll(async () => {
  portal = await startPortal()
  parent = await portal.account('Parent')
  child = await portal.account('Child', parent)
  admin = await portal.powerAdmin()
  adminInChild = await enter(portal, admin, child)
  powerUser = await portal.member(child)
  powerUserOfParent = await portal.member(parent)
  stranger = await portal.member(await portal.account('Elsewhere'))
  importer = await portal.member(child, 'contact-service::imports::get')
  reading = await makePolicy(admin, 'Reading')
  readers = (await makeGroup(admin, 'Readers', [reading]))._id
  admins = await groupId(admin, 'Administrators')
  everyone = await groupId(admin, 'everyone')
})
afterAll(() => portal.close())

let email: string
let lastNumber = 0
beforeEach(() => {
  email = `somebody-${++lastNumber}@example.com`
})

/** Queued invitations of a person. */
async function invitations(wanted: string): Promise<number> {
  const { rows } = await portal.parts.database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM jobs.job j JOIN portico.persons p ON p.id::text = j.data->'data'->>'personId'
        OR p.id::text = j.data->>'personId' WHERE lower(p.email) = lower($1)`,
    [wanted],
  )
  return rows[0]?.n ?? 0
}

describe('the list', () => {
  test('shows power users the identities of their account, which they can change', async () => {
    const { _id } = await makeIdentity(powerUser, { email, groups: [readers] })
    const identities = await listed<Identity>(powerUser, 'identities')
    expect(identities.find((one) => one._id === _id)).toMatchObject({ aid: child, email, canBeChanged: true })
    expect(identities.every(({ aid }) => aid === child)).toBe(true)
    expect(identities.map((one) => one.email)).toContain(importer.email)
    expect(await findIdentity(stranger, email)).toBeUndefined()
    expect(await findIdentity(powerUserOfParent, email)).toBeUndefined()
  })

  test('also shows power admins the global identities, the only ones they can change', async () => {
    const identities = await listed<Identity>(adminInChild, 'identities')
    expect(identities.find((one) => one.email === admin.email)).toMatchObject({ aid: '*', canBeChanged: true })
    expect(identities.find((one) => one.email === powerUser.email)).toMatchObject({ aid: child, canBeChanged: false })
    const emails = identities.map((one) => one.email.toLowerCase())
    expect(emails).toEqual(emails.toSorted())
  })

  test('is for administrators only', async () => {
    expect(await importer.get(path)).toMatchObject({ status: 403 })
    expect(await portal.anonymous.get(path)).toMatchObject({ status: 401 })
  })
})

describe('an identity', () => {
  test('is created for a new person, who gets an invitation', async () => {
    const draft = {
      email: ` ${email} `,
      groups: [readers],
      userName: 'Ada',
      cidr: '10.0.0.0/8',
      days: ['mon'],
      daysEffect: 'in',
      hours: [9, 8],
      hoursEffect: 'nin',
      hasApiAccess: false,
      aid: child,
    }
    const made = await powerUser.post(path, draft)
    expect(made).toMatchObject({ status: 201 })
    const group = { _id: readers, name: 'Readers', isAdmin: false, ownerPaid: '*' }
    expect(made.body).toEqual({
      _id: expect.any(String),
      version: 1,
      aid: child,
      kind: 'person',
      email,
      serviceName: null,
      userName: 'Ada',
      groups: [{ ...group, policies: [{ _id: reading._id, name: 'Reading' }] }],
      accessToAllSubAccounts: false,
      hasApiAccess: false,
      apiCredentials: [],
      days: ['mon'],
      daysEffect: 'in',
      hours: [8, 9],
      hoursEffect: 'nin',
      cidr: '10.0.0.0/8',
      rowRule: null,
      status: 'invited',
      canBeChanged: true,
      lastSignInAt: null,
    })
    expect(await invitations(email)).toBe(1)
    expect(await logOf(portal, email)).toMatchObject([
      { actor: powerUser.email, action: 'identity created', details: { groups: ['Readers'], hours: [8, 9] } },
    ])
  })

  test('created by a power user belongs to the account, one created by a power admin is global', async () => {
    expect(await adminInChild.post(path, { email, groups: [admins], aid: child })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'aid' }] } },
    })
    expect(await powerUser.post(path, { email, groups: [readers], aid: '*' })).toMatchObject({ status: 400 })
    const global = await makeIdentity(adminInChild, { email, groups: [admins], aid: '*' })
    expect(global).toMatchObject({ aid: '*' })
    // The same person may also have one in an account.
    expect(await makeIdentity(powerUser, { email, groups: [readers] })).toMatchObject({ aid: child })
  })

  test('cannot be created by anyone but administrators', async () => {
    expect(await importer.post(path, { email, groups: [readers] })).toMatchObject({ status: 403 })
    expect(await portal.anonymous.post(path, { email, groups: [readers] })).toMatchObject({ status: 401 })
  })

  test('is unique per account and email, ignoring case', async () => {
    await makeIdentity(powerUser, { email, groups: [readers] })
    const again = await powerUser.post(path, { email: email.toUpperCase(), groups: [readers] })
    const message = 'An identity with this e-mail exists already!'
    expect(again).toMatchObject({
      status: 409,
      body: { error: { code: 'name_taken', details: [{ field: 'email', message }] } },
    })
    expect(await stranger.post(path, { email: email.toUpperCase(), groups: [readers] })).toMatchObject({ status: 201 })
  })

  test.each([
    [{ email: '' }, 'email', 'Value is required!'],
    [{ email: 'ada' }, 'email', 'Value is invalid!'],
    [{ email: 'ada@example' }, 'email', 'Value is invalid!'],
    [{ groups: [] }, 'groups', 'Value is required!'],
    [{ groups: ['x'] }, 'groups.0', 'Value is not allowed!'],
    [{ days: ['mon'] }, 'daysEffect', 'Value is required!'],
    [{ days: ['noday'], daysEffect: 'in' }, 'days.0', expect.any(String)],
    [{ hours: [3] }, 'hoursEffect', 'Value is required!'],
    [{ hours: [24], hoursEffect: 'in' }, 'hours.0', expect.any(String)],
    [{ hours: [3, 3], hoursEffect: 'in' }, 'hours', 'Value is duplicate!'],
    [{ cidr: '10.0.0.0/33' }, 'cidr', 'Value is invalid!'],
    [{ cidr: '10.0.0' }, 'cidr', 'Value is invalid!'],
    [{ cidr: '2001:db8::/129' }, 'cidr', 'Value is invalid!'],
    [{ name: 'Ada' }, 'name', 'This field is not known.'],
  ])('with %j is refused', async (wrong, field, message) => {
    expect(fieldProblems(await powerUser.post(path, { email, groups: [readers], ...wrong }))).toContainEqual({
      field,
      message,
    })
  })

  test('drops an effect without days or hours', async () => {
    const draft = { email, groups: [readers], daysEffect: 'in' as const, hoursEffect: 'nin' as const, cidr: '' }
    const { _id, ...made } = await makeIdentity(powerUser, draft)
    expect(made).toMatchObject({ daysEffect: null, hoursEffect: null, cidr: null })
    const limited = { ...draft, days: ['sat', 'sun'], hours: [1] }
    expect((await powerUser.put(`${path}/${_id}`, limited)).body).toMatchObject({
      daysEffect: 'in',
      hoursEffect: 'nin',
    })
    expect((await powerUser.put(`${path}/${_id}`, draft)).body).toMatchObject({ days: [], daysEffect: null, hours: [] })
  })

  test('accepts an IPv4 or IPv6 network', async () => {
    for (const cidr of ['10.1.2.3', '10.0.0.0/0', '2001:db8::/32', '::1']) {
      const answer = await powerUser.post(path, {
        email: `${cidr.replaceAll(/\W/g, '-')}@x.example.com`,
        groups: [readers],
        cidr,
      })
      expect(answer).toMatchObject({ status: 201, body: { cidr } })
    }
  })

  test('belongs only to groups its administrator can assign, and never to everyone', async () => {
    const refused = { status: 400, body: { error: { details: [{ message: 'Value is not allowed!' }] } } }
    expect(await powerUser.post(path, { email, groups: [everyone] })).toMatchObject(refused)
    expect(await powerUser.post(path, { email, groups: [admins] })).toMatchObject(refused)
    expect(await adminInChild.post(path, { email, groups: [readers] })).toMatchObject(refused)
    const draft = { name: 'Of the parent', policies: ['Reading'] }
    const ofParent = await createAccountGroup(portal.parts.database.db, parent, draft, {
      actor: 'x',
      address: null,
      via: { kind: 'command-line' },
    })
    expect(await stranger.post(path, { email, groups: [ofParent] })).toMatchObject(refused)
    expect(await makeIdentity(powerUser, { email, groups: [ofParent, readers] })).toMatchObject({
      groups: [{ name: 'Of the parent', ownerPaid: parent }, { name: 'Readers' }],
    })
  })

  test('can have access to sub-accounts only in a parent account', async () => {
    const draft = { email, groups: [readers], accessToAllSubAccounts: true }
    expect(await powerUser.post(path, draft)).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'accessToAllSubAccounts', message: 'Value is not allowed!' }] } },
    })
    await reachSubAccounts(portal, powerUserOfParent)
    expect(await makeIdentity(powerUserOfParent, draft)).toMatchObject({ accessToAllSubAccounts: true })
  })

  test('takes changes into effect at once', async () => {
    const { db } = portal.parts.database
    await createIdentityWithPassword(db, { email, account: child, powerUser: false, password: testPassword })
    const identity = await findIdentity(powerUser, email)
    const token = await portal.signIn(email)
    const inside = portal.holder(
      (await portal.holder(token).get(`/identity/v1/login/${child}`)).json<{ token: string }>().token,
    )
    expect(await inside.get('/contact-service/v1/offers')).toMatchObject({ status: 403 })
    const changed = await powerUser.put(`${path}/${identity?._id}`, { email, groups: [readers] })
    expect(changed).toMatchObject({ status: 200, body: { status: 'active', groups: [{ name: 'Readers' }] } })
    expect(await inside.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    await powerUser.put(`${path}/${identity?._id}`, { email, groups: [readers], isDisabled: true })
    expect(await inside.get('/contact-service/v1/offers')).toMatchObject({ status: 401 })
    expect(await findIdentity(powerUser, email)).toMatchObject({ status: 'disabled' })
    expect((await logOf(portal, email)).at(-1)).toMatchObject({
      action: 'identity changed',
      details: { isDisabled: { old: false, new: true } },
    })
  })

  test('cannot be changed by administrators of the other kind or of other accounts', async () => {
    const { _id } = await makeIdentity(powerUser, { email, groups: [readers] })
    const global = await makeIdentity(admin, { email: `global-${email}`, groups: [admins] })
    const message = 'Power admins manage global identities; power users manage those of their account.'
    const readOnly = { status: 403, body: { error: { code: 'not_allowed', message } } }
    const change = { email, groups: [readers] }
    expect(await adminInChild.put(`${path}/${_id}`, { email, groups: [admins] })).toMatchObject(readOnly)
    expect(await adminInChild.delete(`${path}/${_id}`)).toMatchObject(readOnly)
    for (const id of [global._id, crypto.randomUUID(), 'x']) {
      expect(await powerUser.put(`${path}/${id}`, change)).toMatchObject(notThere)
      expect(await powerUser.delete(`${path}/${id}`)).toMatchObject(notThere)
    }
    expect(await stranger.put(`${path}/${_id}`, change)).toMatchObject(notThere)
    expect(await stranger.delete(`${path}/${_id}`)).toMatchObject(notThere)
    expect(await importer.delete(`${path}/${_id}`)).toMatchObject({ status: 403 })
  })

  test('with a new email is handed over without the API access of the previous person', async () => {
    const { _id } = await makeIdentity(powerUser, { email, groups: [readers] })
    await powerUser.put(`${path}/${_id}/addapi/0`)
    const other = `other-${email}`
    const moved = await powerUser.put(`${path}/${_id}`, { email: other, groups: [readers] })
    expect(moved).toMatchObject({ status: 200, body: { _id, email: other, hasApiAccess: false, apiCredentials: [] } })
    expect(await invitations(other)).toBe(1)
    expect(await findIdentity(powerUser, email)).toBeUndefined()
    expect(await logOf(portal, other)).toMatchObject([{ details: { email: { old: email, new: other } } }])
    await makeIdentity(powerUser, { email, groups: [readers] })
    expect(await powerUser.put(`${path}/${_id}`, { email, groups: [readers] })).toMatchObject({ status: 409 })
    // Only the letter case differs: the same person.
    const same = await powerUser.put(`${path}/${_id}`, { email: other.toUpperCase(), groups: [readers] })
    expect(same).toMatchObject({ status: 200, body: { email: other } })
  })

  test('signs its person out at once when it is deleted', async () => {
    const member = await portal.member(child)
    const identity = await findIdentity(powerUser, member.email)
    expect(await member.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
    expect(await powerUser.delete(`${path}/${identity?._id}`)).toMatchObject({ status: 204 })
    expect(await member.get('/contact-service/v1/offers')).toMatchObject({ status: 401 })
    expect(await findIdentity(powerUser, member.email)).toBeUndefined()
    expect((await logOf(portal, member.email)).at(-1)).toMatchObject({ action: 'identity deleted' })
  })
})

describe('an invitation', () => {
  test('can be sent again until it is accepted', async () => {
    const { _id } = await makeIdentity(powerUser, { email, groups: [readers] })
    const before = await invitations(email)
    expect(await powerUser.post(`${path}/${_id}/invitation`)).toMatchObject({ status: 204 })
    expect(await invitations(email)).toBe(before + 1)
    expect((await logOf(portal, email)).at(-1)).toMatchObject({ action: 'identity invited' })
    expect(await stranger.post(`${path}/${_id}/invitation`)).toMatchObject(notThere)
    expect(await importer.post(`${path}/${_id}/invitation`)).toMatchObject({ status: 403 })
    expect(await adminInChild.post(`${path}/${_id}/invitation`)).toMatchObject({ status: 403 })
    const active = await findIdentity(powerUser, importer.email)
    expect(await powerUser.post(`${path}/${active?._id}/invitation`)).toMatchObject({ status: 400 })
  })
})
