import type { AccountId } from '@portico/contract/accounts'
import type { Group, Policy } from '@portico/contract/policies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  groupId,
  listed,
  logOf,
  makeCallersByLevel,
  makeGroup,
  makeIdentity,
  makePolicy,
} from '#test/kit/administration.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { createAccountGroup } from './groups.service.ts'

const path = '/identity/v1/groups'
const operator = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }

let portal: TestPortal
let parent: AccountId
let admin: Member
let adminInChild: Client
let adminElsewhere: Client
let powerUser: Member
let stranger: Member
let plainMember: Member
let reading: Policy
let adminPolicy: Policy
let ofParent: Policy
/** A group of the parent account, created by the operator. */
let analysts: string

beforeAll(async () => {
  portal = await startPortal()
  ;({ parent, admin, adminInChild, adminElsewhere, powerUser, stranger, plainMember } =
    await makeCallersByLevel(portal))
  reading = await makePolicy(admin, 'Reading')
  adminPolicy = await makePolicy(admin, 'Admin reading', { isAdmin: true })
  ofParent = await makePolicy(adminInChild, 'Reading of the parent', { ownerPaid: parent })
  const draft = { name: 'Analysts', policies: ['reading', 'Reading of the parent'] }
  analysts = await createAccountGroup(portal.parts.database.db, parent, draft, operator)
})
afterAll(() => portal.close())

const names = async (client: Client): Promise<string[]> =>
  (await listed<Group>(client, 'groups')).map(({ name }) => name)

describe('the list', () => {
  test('shows power admins the global groups and those of the parent account', async () => {
    const groups = await listed<Group>(adminInChild, 'groups')
    expect(groups.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Administrators', 'Analysts', 'everyone', 'Power users']),
    )
    expect(groups.find(({ _id }) => _id === analysts)).toEqual({
      _id: analysts,
      version: 1,
      name: 'Analysts',
      isAdmin: false,
      policies: [
        { _id: reading._id, name: 'Reading', isAdmin: false },
        { _id: ofParent._id, name: 'Reading of the parent', isAdmin: false },
      ],
      ownerPaid: parent,
      canBeDeleted: false,
    })
    expect(await names(adminElsewhere)).not.toContain('Analysts')
  })

  test('shows power users the same groups except admin groups, and none can be deleted', async () => {
    await makeGroup(admin, 'Free to be deleted', [reading])
    const groups = await listed<Group>(powerUser, 'groups')
    expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(['Analysts', 'Free to be deleted']))
    expect(groups.filter(({ isAdmin, canBeDeleted }) => isAdmin || canBeDeleted)).toEqual([])
    expect(await names(stranger)).not.toContain('Analysts')
    expect((await listed<Group>(admin, 'groups')).find(({ name }) => name === 'Free to be deleted')).toMatchObject({
      canBeDeleted: true,
    })
    expect((await powerUser.get(`${path}?isAdmin=true`)).body).toEqual([])
    expect(await plainMember.get(path)).toMatchObject({ status: 403 })
  })
})

describe('a group', () => {
  test('is created by a power admin and recorded in the audit log', async () => {
    const group = await makeGroup(admin, 'Readers of all', [reading, reading])
    expect(group).toMatchObject({ ownerPaid: '*', canBeDeleted: true, policies: [{ name: 'Reading' }] })
    expect(await logOf(portal, 'Readers of all')).toMatchObject([
      { actor: admin.email, action: 'group created', details: { policies: ['Reading'], isAdmin: false } },
    ])
  })

  test('cannot be created, changed or deleted by a power user under any name', async () => {
    const { _id } = await makeGroup(admin, 'Out of reach', [reading])
    for (const client of [powerUser, stranger, plainMember]) {
      for (const name of ['Not for me', 'everyone']) {
        expect(await client.post(path, { name, policies: [reading._id] })).toMatchObject({ status: 403 })
      }
      expect(await client.put(`${path}/${_id}`, { name: 'Not for me', policies: [reading._id] })).toMatchObject({
        status: 403,
      })
      expect(await client.delete(`${path}/${_id}`)).toMatchObject({ status: 403 })
    }
  })

  test('of an account can be created and changed by the operator only', async () => {
    const refused = {
      status: 403,
      body: {
        error: {
          message: 'The operator manages the groups of an account; power admins manage global groups.',
        },
      },
    }
    const draft = { name: 'Analysts too', policies: [reading._id] }
    expect(await adminInChild.post(path, { ...draft, ownerPaid: parent })).toMatchObject(refused)
    expect(await adminInChild.put(`${path}/${analysts}`, draft)).toMatchObject(refused)
    expect(await adminInChild.delete(`${path}/${analysts}`)).toMatchObject(refused)
    expect(await adminElsewhere.delete(`${path}/${analysts}`)).toMatchObject({ status: 404 })
    const { db } = portal.parts.database
    const child = powerUser.account
    const sub = createAccountGroup(db, child, { name: 'Of a sub-account', policies: ['Reading'] }, operator)
    await expect(sub).rejects.toMatchObject({ code: 'invalid_input' })
    const secret = createAccountGroup(db, parent, { name: 'Of admins', policies: ['Admin reading'] }, operator)
    await expect(secret).rejects.toThrow('policy: The account has no policy named "Admin reading".')
  })

  test.each([
    [{ name: 'Four' }, 'name', 'Min 5 characters!'],
    [{ name: 'x'.repeat(51) }, 'name', 'Max 50 characters!'],
    [{ policies: [] }, 'policies', 'Value is required!'],
    [{ policies: ['x'] }, 'policies.0', 'Value is not allowed!'],
    [{ policies: [crypto.randomUUID()] }, 'policies.0', 'Value is not allowed!'],
    [{ isAdmin: true }, 'policies.0', 'Value is not allowed!'],
  ])('with %j is refused', async (wrong, field, message) => {
    const answer = await admin.post(path, { name: 'A good name', policies: [reading._id], ...wrong })
    expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ field, message }] } } })
  })

  test('holds only policies of its own kind, and a global group only global policies', async () => {
    const mixed = await admin.post(path, { name: 'A mixture', policies: [reading._id, adminPolicy._id] })
    expect(mixed).toMatchObject({ status: 400, body: { error: { details: [{ field: 'policies.1' }] } } })
    const foreign = await adminInChild.post(path, { name: 'Too wide', policies: [ofParent._id] })
    expect(foreign).toMatchObject({ status: 400, body: { error: { details: [{ field: 'policies.0' }] } } })
    expect(await makeGroup(admin, 'Admins who read', [adminPolicy], { isAdmin: true })).toMatchObject({ isAdmin: true })
  })

  test('has a name that is unique wherever it is visible', async () => {
    const taken = {
      status: 409,
      body: { error: { code: 'name_taken', message: 'A group with this name exists already!' } },
    }
    for (const name of ['ANALYSTS', 'power USERS', 'Everyone']) {
      expect(await admin.post(path, { name, policies: [reading._id] })).toMatchObject(taken)
    }
    const { db } = portal.parts.database
    const again = createAccountGroup(db, parent, { name: 'analysts', policies: ['Reading'] }, operator)
    await expect(again).rejects.toMatchObject({ code: 'name_taken' })
  })

  test('can be changed, except its kind', async () => {
    const group = await makeGroup(admin, 'To be changed', [reading])
    const other = await makePolicy(admin, 'Another policy')
    const changes = { name: 'Changed now', policies: [other._id] }
    const changed = await admin.put(`${path}/${group._id}`, changes)
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Changed now', policies: [{ name: 'Another policy' }] },
    })
    const kind = await admin.put(`${path}/${group._id}`, { ...changes, isAdmin: true })
    expect(kind).toMatchObject({ status: 400, body: { error: { details: [{ field: 'isAdmin' }] } } })
    expect(await logOf(portal, 'Changed now')).toMatchObject([
      { action: 'group changed', details: { policies: { old: ['Reading'], new: ['Another policy'] } } },
    ])
    expect(await admin.put(`${path}/${crypto.randomUUID()}`, changes)).toMatchObject({ status: 404 })
  })

  test('is deleted only when it has no members', async () => {
    const group = await makeGroup(admin, 'Has one member', [reading])
    const member = await makeIdentity(powerUser, { email: 'one@example.com', groups: [group._id] })
    const inUse = { status: 409, body: { error: { code: 'in_use' } } }
    expect(await admin.delete(`${path}/${group._id}`)).toMatchObject(inUse)
    expect((await listed<Group>(admin, 'groups')).find(({ _id }) => _id === group._id)).toMatchObject({
      canBeDeleted: false,
    })
    await powerUser.delete(`/identity/v1/identities/${member._id}`)
    expect(await admin.delete(`${path}/${group._id}`)).toMatchObject({ status: 204 })
    const log = await logOf(portal, 'Has one member')
    expect(log.map(({ action }) => action)).toEqual(['group created', 'group deleted'])
    expect(await admin.delete(`${path}/${await groupId(admin, 'Administrators')}`)).toMatchObject(inUse)
  })
})

describe('everyone', () => {
  test('can get other policies, but cannot be renamed or deleted', async () => {
    const id = await groupId(admin, 'everyone')
    expect((await listed<Group>(admin, 'groups')).find(({ _id }) => _id === id)).toMatchObject({ canBeDeleted: false })
    const renamed = await admin.put(`${path}/${id}`, { name: 'Nobody', policies: [reading._id] })
    expect(renamed).toMatchObject({ status: 400, body: { error: { details: [{ field: 'name' }] } } })
    expect(await admin.delete(`${path}/${id}`)).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
    expect(await plainMember.get('/contact-service/v1/offers')).toMatchObject({ status: 403 })
    const changed = await admin.put(`${path}/${id}`, { name: 'everyone', policies: [reading._id] })
    expect(changed).toMatchObject({ status: 200 })
    expect(await plainMember.get('/contact-service/v1/offers')).toMatchObject({ status: 200 })
  })

  test('of a parent replaces the global group in its sub-accounts', async () => {
    const { db } = portal.parts.database
    await makePolicy(admin, 'Exports for everybody', { actions: ['contact-service::exports::get'] })
    const draft = { name: 'everyone', policies: ['Exports for everybody'] }
    await createAccountGroup(db, parent, draft, operator)
    await expect(createAccountGroup(db, parent, draft, operator)).rejects.toMatchObject({ code: 'name_taken' })
    expect(await plainMember.get('/contact-service/v1/exports')).toMatchObject({ status: 200 })
    expect(await plainMember.get('/contact-service/v1/offers')).toMatchObject({ status: 403 })
    // The global group can still be changed.
    const id = (await listed<Group>(admin, 'groups')).find(
      ({ name, ownerPaid }) => name === 'everyone' && ownerPaid === '*',
    )
    expect(await admin.put(`${path}/${id?._id}`, { name: 'everyone', policies: [reading._id] })).toMatchObject({
      status: 200,
    })
  })
})
