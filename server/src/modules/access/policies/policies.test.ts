import type { AccountId } from '@portico/contract/accounts'
import type { Policy } from '@portico/contract/policies'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listed, logOf, makeCallersByLevel, makeGroup, makePolicy } from '#test/kit/administration.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/identity/v1/policies'
const actions = ['contact-service::imports::get']

let portal: TestPortal
let parent: AccountId
let child: AccountId
let admin: Member
/** The power admin, in the sub-account and in an unrelated account. */
let adminInChild: Client
let adminElsewhere: Client
let powerUser: Member
let stranger: Member
let plainMember: Member

beforeAll(async () => {
  portal = await startPortal()
  ;({ parent, child, admin, adminInChild, adminElsewhere, powerUser, stranger, plainMember } =
    await makeCallersByLevel(portal))
})
afterAll(() => portal.close())

const names = async (client: Client): Promise<string[]> =>
  (await listed<Policy>(client, 'policies')).map(({ name }) => name)

describe('the list', () => {
  test('shows power admins the global policies and those of the parent account, by name', async () => {
    await makePolicy(admin, 'Global reading')
    await makePolicy(adminInChild, 'Reading of the parent', { ownerPaid: parent })
    await makePolicy(adminElsewhere, 'Reading elsewhere', { ownerPaid: stranger.account })
    const seen = await names(adminInChild)
    expect(seen).toEqual(expect.arrayContaining(['Administration', 'Full access', 'Global reading']))
    expect(seen).toContain('Reading of the parent')
    expect(seen).not.toContain('Reading elsewhere')
    expect(seen).toEqual(seen.toSorted((one, other) => one.localeCompare(other, 'en')))
    expect(await names(admin)).toContain('Reading of the parent')
    expect(await names(adminElsewhere)).toContain('Reading elsewhere')
  })

  test('shows power users the same policies except admin policies, and none can be deleted', async () => {
    await makePolicy(admin, 'Admin business', { isAdmin: true })
    const policies = await listed<Policy>(powerUser, 'policies')
    const seen = policies.map(({ name }) => name)
    expect(seen).toEqual(expect.arrayContaining(['Global reading', 'Reading of the parent']))
    expect(seen).not.toContain('Admin business')
    expect(seen).not.toContain('Administration')
    expect(policies.filter(({ canBeDeleted, isAdmin }) => canBeDeleted || isAdmin)).toEqual([])
    expect(await names(stranger)).not.toContain('Reading of the parent')
    const asked = (await powerUser.get(`${path}?isAdmin=true`)).json<Policy[]>()
    expect(asked).toEqual([])
    expect((await admin.get(`${path}?isAdmin=false`)).json<Policy[]>().every(({ isAdmin }) => !isAdmin)).toBe(true)
  })

  test('shows the owner of each policy and the visible groups that hold it', async () => {
    const held = await makePolicy(admin, 'Held by a group')
    await makeGroup(admin, 'Holders of it', [held])
    const found = (await listed<Policy>(powerUser, 'policies')).find(({ _id }) => _id === held._id)
    expect(found).toMatchObject({ ownerPaid: '*', groups: ['Holders of it'], canBeDeleted: false })
    const own = (await listed<Policy>(powerUser, 'policies')).find(({ name }) => name === 'Reading of the parent')
    expect(own).toMatchObject({ ownerPaid: parent, groups: [] })
  })

  test('is for administrators only', async () => {
    expect(await plainMember.get(path)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
  })
})

describe('a policy', () => {
  test('is created by a power admin, global and with conditions joined by and unless specified', async () => {
    const draft = { name: ' Imports of Monday ', actions, conditions: ['query::day::eq::mon'] }
    const policy = (await admin.post(path, draft)).json<Policy>()
    expect(policy).toEqual({
      _id: expect.any(String),
      version: 1,
      name: 'Imports of Monday',
      isAdmin: false,
      actions,
      conditions: ['query::day::eq::mon'],
      conditionLogic: 'and',
      ownerPaid: '*',
      canBeDeleted: true,
      groups: [],
    })
    expect(await logOf(portal, 'Imports of Monday')).toMatchObject([{ actor: admin.email, action: 'policy created' }])
  })

  test('cannot be created, changed or deleted by a power user', async () => {
    const { _id } = await makePolicy(admin, 'Out of reach')
    const refused = { status: 403, body: { error: { code: 'not_allowed' } } }
    for (const client of [powerUser, stranger, plainMember]) {
      expect(await client.post(path, { name: 'Not for me', actions })).toMatchObject(refused)
      expect(await client.put(`${path}/${_id}`, { name: 'Not for me', actions })).toMatchObject(refused)
      expect(await client.delete(`${path}/${_id}`)).toMatchObject(refused)
    }
  })

  test('belongs to the parent account or is global', async () => {
    const foreign = await adminInChild.post(path, { name: 'Of somebody else', actions, ownerPaid: stranger.account })
    expect(foreign).toMatchObject({ status: 400, body: { error: { details: [{ field: 'ownerPaid' }] } } })
    const sub = await adminInChild.post(path, { name: 'Of the sub-account', actions, ownerPaid: child })
    expect(sub).toMatchObject({ status: 400, body: { error: { details: [{ field: 'ownerPaid' }] } } })
  })

  test.each([
    [{ name: '', actions }, 'name', 'Value is required!'],
    [{ name: 'Four', actions }, 'name', 'Min 5 characters!'],
    [{ name: 'x'.repeat(51), actions }, 'name', 'Max 50 characters!'],
    [{ name: 'No actions', actions: [] }, 'actions', 'Please add one action.'],
    ...[
      'bi::reports',
      'bi::reports::get::more',
      'billing::reports::get',
      'bi::imports::get',
      '*::invoices::get',
      'bi::reports::patch',
      'bi::reports::',
    ].map((action): [object, string, string] => [
      { name: 'No such action', actions: [action] },
      'actions.0',
      'Value is invalid!',
    ]),
    [
      { name: 'Twice the same', actions: ['bi::reports::get', 'BI::reports::get'] },
      'actions.1',
      'This action is at position 1 already!',
    ],
    [{ name: 'No such operator', actions, conditions: ['query::a::is::b'] }, 'conditions.0', 'Value is invalid!'],
    [{ name: 'No value in it', actions, conditions: ['query::a::eq::'] }, 'conditions.0', 'Value is invalid!'],
    ...[
      ['(', 'Missing closing ): ('],
      ['^(?!draft)', 'Lookahead and lookbehind are not supported: (?!'],
      ['(?<=no )name', 'Lookahead and lookbehind are not supported: (?<=no )name'],
      ['^(a|b)-\\1$', 'Backreferences are not supported: \\1'],
      ['a{1000}b{1000}c{1000}', 'The expression is too large. Use fewer repetitions.'],
    ].map(([pattern, problem]): [object, string, string] => [
      { name: 'No pattern in it', actions, conditions: ['query::a::eq::b', `body::a::regex::${pattern}`] },
      'conditions.1',
      `Value is invalid! ${problem}`,
    ]),
    [
      { name: 'Twice the same', actions, conditions: ['query::a::eq::b', 'QUERY::a::eq::b'.toLowerCase()] },
      'conditions.1',
      'This condition is at position 1 already!',
    ],
    [{ name: 'Field unknown', actions, colour: 'red' }, 'colour', 'This field is not known.'],
  ])('%j is refused', async (draft, field, message) => {
    expect(fieldProblems(await admin.post(path, draft))).toContainEqual({ field, message })
  })

  test('has a name that is unique wherever it is visible, ignoring case', async () => {
    await makePolicy(admin, 'Known everywhere')
    await makePolicy(adminInChild, 'Known below the parent', { ownerPaid: parent })
    const taken = (details: string) => ({
      status: 409,
      body: { error: { code: 'name_taken', details: [{ field: 'name', message: details }] } },
    })
    const message = 'A policy with this name exists already!'
    const again = { name: 'KNOWN everywhere', actions }
    expect(await admin.post(path, again)).toMatchObject(taken(message))
    expect(await adminInChild.post(path, { ...again, ownerPaid: parent })).toMatchObject(taken(message))
    const below = { name: 'known BELOW the parent', actions }
    expect(await adminInChild.post(path, { ...below, ownerPaid: parent })).toMatchObject(taken(message))
    // A global one would be visible next to it.
    expect(await adminElsewhere.post(path, below)).toMatchObject(taken(message))
    expect(await adminElsewhere.post(path, { ...below, ownerPaid: stranger.account })).toMatchObject({ status: 201 })
  })

  test('is created once by two simultaneous calls with one name, even for different owners', async () => {
    const draft = { name: 'Wanted by two', actions }
    const { pool } = portal.parts.database
    const holdUp = await pool.connect()
    // The first call is paused between writing the policy and the commit.
    await holdUp.query('BEGIN; LOCK TABLE portico.audit_log IN EXCLUSIVE MODE')
    const both = Promise.all([
      admin.post(path, draft),
      adminElsewhere.post(path, { ...draft, ownerPaid: stranger.account }),
    ])
    // Entries about refused calls may wait for the table as well.
    const waiting = async () =>
      (await pool.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'portico.audit_log'::regclass")).rowCount
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThanOrEqual(1))
    // The second waits in memory for its turn, invisible to the database. Once a call made after it is answered, it is
    // waiting.
    await adminElsewhere.get(path)
    await holdUp.query('COMMIT')
    holdUp.release()
    const statuses = (await both).map(({ status }) => status)
    expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 409])
  })

  test('can be changed, except its kind and its owner', async () => {
    const { _id } = await makePolicy(admin, 'To be changed')
    const changes = { name: 'to be CHANGED', actions: ['bi::*::*'], conditions: [], conditionLogic: 'or' }
    const changed = await admin.put(`${path}/${_id}`, changes)
    expect(changed).toMatchObject({ status: 200, body: { ...changes, _id, ownerPaid: '*' } })
    const fields = (answer: { body: unknown }) => answer.body
    const kind = fields(await admin.put(`${path}/${_id}`, { ...changes, isAdmin: true }))
    expect(kind).toMatchObject({ error: { details: [{ field: 'isAdmin', message: 'Value is not allowed!' }] } })
    const owner = fields(await admin.put(`${path}/${_id}`, { ...changes, ownerPaid: parent }))
    expect(owner).toMatchObject({ error: { details: [{ field: 'ownerPaid' }] } })
    const [, line] = [null, ...(await logOf(portal, 'to be CHANGED'))]
    expect(line).toMatchObject({
      action: 'policy changed',
      details: { name: { old: 'To be changed', new: 'to be CHANGED' }, conditionLogic: { old: 'and', new: 'or' } },
    })
  })

  test('of another account is not found, like an unknown one', async () => {
    const { _id } = await makePolicy(adminInChild, 'Not seen elsewhere', { ownerPaid: parent })
    const missing = { status: 404, body: { error: { code: 'not_found' } } }
    for (const id of [_id, crypto.randomUUID(), 'x']) {
      expect(await adminElsewhere.put(`${path}/${id}`, { name: 'Taken over', actions })).toMatchObject(missing)
      expect(await adminElsewhere.delete(`${path}/${id}`)).toMatchObject(missing)
    }
  })

  test('can be deleted unless a group holds it or it is built in', async () => {
    const { _id } = await makePolicy(admin, 'Short of life')
    const group = await makeGroup(admin, 'Holds it for now', [await makePolicy(admin, 'Held for now')])
    const held = group.policies[0]?._id ?? ''
    expect(await admin.delete(`${path}/${_id}`)).toMatchObject({ status: 204 })
    expect(await names(admin)).not.toContain('Short of life')
    expect(await logOf(portal, 'Short of life')).toMatchObject([{}, { action: 'policy deleted' }])
    expect(await admin.delete(`${path}/${held}`)).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
    await admin.delete(`/identity/v1/groups/${group._id}`)
    expect(await admin.delete(`${path}/${held}`)).toMatchObject({ status: 204 })
    const builtIn = '00000000-0000-4000-8000-000000000002'
    expect(await admin.delete(`${path}/${builtIn}`)).toMatchObject({ status: 409 })
  })
})

describe('a condition that stages contain a text', () => {
  const draft = (conditions: string[], more: object = {}) => ({ name: 'Paris only', actions, conditions, ...more })

  test.each([
    'query::find::ct::"City":"Paris"',
    'query::AGGREGATE::sw::[{"$match":{"City":"Paris"',
    'body::aggregateQuery::eq::[]',
    'body::instruction::regex::Paris',
    'body::instruction.aggregateQuery::ew::"Paris"}}]',
    'body::chart.filter.standard.$match.City::in::Paris',
    'body::definition.layout::ct::Paris',
  ])('is refused, since it cannot choose contacts: %s', async (condition) => {
    const answer = await admin.post(path, draft([condition]))
    expect(answer.status).toBe(400)
    expect(JSON.stringify(fieldProblems(answer))).toContain('A condition cannot choose contacts')
  })

  test('is refused for the filter of deletes and accepted for the filter of remote accesses', async () => {
    const conditions = ['body::filter::ct::City']
    expect((await admin.post(path, draft(conditions, { actions: ['contact-service::*::delete'] }))).status).toBe(400)
    const opening = { name: 'Opening by city', actions: ['contact-service::remoteAccess::post'] }
    expect((await admin.post(path, draft(conditions, opening))).status).toBe(201)
  })

  test('is kept in a policy that already has it, whose other conditions can be changed', async () => {
    const { _id } = await makePolicy(admin, 'Older than the rule')
    const condition = 'query::find::ct::"City":"Paris"'
    const { pool } = portal.parts.database
    await pool.query('UPDATE portico.policies SET conditions = $2 WHERE id = $1', [_id, [condition]])
    const change = (conditions: string[]) => admin.put(`${path}/${_id}`, { name: 'Older policy', actions, conditions })
    expect((await change([condition, 'query::limit::eq::10'])).status).toBe(200)
    expect((await change([condition, 'query::find::ct::"City":"Bern"'])).status).toBe(400)
  })
})
