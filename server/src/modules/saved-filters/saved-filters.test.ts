import type { SavedFilter, SavedFilterEntry } from '@portico/contract/saved-filters'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { savedFilterStages } from '#saved-filters'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/rdls'
const nobodys = '00000000-0000-4000-8000-000000000000'
const inParis = JSON.stringify([{ $match: { City: 'Paris' } }])

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await memberOf(await portal.account())
})

/** A power user of the account, which has contacts with a city. */
async function memberOf(account: number): Promise<Member> {
  await addContacts(portal.parts.database, account, { City: 'string', Age: 'number' }, [{ City: 'Paris', Age: 1 }])
  return portal.member(account)
}

async function save(by: Member, changes: Record<string, unknown> = {}): Promise<SavedFilter> {
  const answer = await by.post(path, { name: 'Parisians', aggregateQuery: inParis, ...changes })
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<SavedFilter>()
}

const namesFor = async (by: Member) => (await by.get(path)).json<SavedFilterEntry[]>().map(({ name }) => name)

describe('saved filters', () => {
  test('are saved, listed by name without their stages, read, changed and deleted', async () => {
    const zurich = await save(member, { name: 'Zurich', aggregateQuery: '[]' })
    const saved = await save(member, { name: '  art lovers ' })
    expect(saved).toEqual({
      _id: expect.any(String) as string,
      version: 1,
      name: 'art lovers',
      aggregateQuery: inParis,
      showInSubaccounts: false,
      isOwn: true,
    })
    expect((await member.get(path)).body).toEqual([
      { _id: saved._id, version: 1, name: 'art lovers', showInSubaccounts: false, isOwn: true },
      { _id: zurich._id, version: 1, name: 'Zurich', showInSubaccounts: false, isOwn: true },
    ])
    expect((await member.get(`${path}/${saved._id}`)).body).toEqual(saved)
    const change = { name: 'Art Lovers', aggregateQuery: '[{"$match":{"Age":1}}]', showInSubaccounts: true }
    expect((await member.put(`${path}/${saved._id}`, change)).body).toEqual({ ...saved, ...change, version: 2 })
    expect(await member.delete(`${path}/${saved._id}`)).toMatchObject({ status: 204 })
    expect(await member.get(`${path}/${saved._id}`)).toMatchObject({ status: 404 })
    expect(await namesFor(member)).toEqual(['Zurich'])
  })

  test('have unique names in the account, regardless of case', async () => {
    const first = await save(member, { name: 'Twice' })
    const second = await save(member, { name: 'Once' })
    const taken = { error: { code: 'name_taken', details: [{ field: 'name', message: 'Value is duplicate!' }] } }
    expect(await member.post(path, { name: 'tWICE', aggregateQuery: '[]' })).toMatchObject({ status: 409, body: taken })
    const change = { name: 'TWICE', aggregateQuery: '[]' }
    expect(await member.put(`${path}/${second._id}`, change)).toMatchObject({ status: 409, body: taken })
    // No conflict with itself, or with a filter of another account.
    expect(await member.put(`${path}/${first._id}`, change)).toMatchObject({ status: 200 })
    await save(await memberOf(await portal.account()), { name: 'Twice' })
  })

  test.each([
    [{ name: '' }, 'name', 'Value is required!'],
    [{ name: ' ' }, 'name', 'Value is required!'],
    [{ name: 'x'.repeat(101) }, 'name', 'Name should have at most 100 characters'],
    [{ aggregateQuery: '' }, 'aggregateQuery', 'Value is required!'],
    [{ aggregateQuery: '{}' }, 'aggregateQuery', 'Should be an array'],
    [{ aggregateQuery: '"[]"' }, 'aggregateQuery', 'Should be an array'],
    [{ aggregateQuery: '[' }, 'aggregateQuery', expect.stringContaining('JSON')],
    [{ aggregateQuery: '[1]' }, 'aggregateQuery', 'Each stage of a filter has exactly one operator.'],
  ])('refuses %j', async (changes, field, message: unknown) => {
    const answer = await member.post(path, { name: 'Parisians', aggregateQuery: inParis, ...changes })
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(answer.body).toMatchObject({
      error: { details: [{ field: expect.stringContaining(field) as string, message }] },
    })
    expect(await namesFor(member)).toEqual([])
  })

  test.each([
    ['[{"$match":{"Town":"Paris"}}]', 'Unexpected field in standard filter: "Town"'],
    ['[{"$match":{"City":{"$near":1}}}]', 'Unknown Operator: "$near"'],
    ['[{"$out":"x"}]', 'Unknown Operator: "$out"'],
  ])('refuses stages that could never run: %s', async (aggregateQuery, message) => {
    const refused = { status: 400, body: { error: { code: 'invalid_filter', message } } }
    expect(await member.post(path, { name: 'Parisians', aggregateQuery })).toMatchObject(refused)
    const { _id } = await save(member)
    expect(await member.put(`${path}/${_id}`, { name: 'Parisians', aggregateQuery })).toMatchObject(refused)
    expect((await member.get(`${path}/${_id}`)).body).toMatchObject({ aggregateQuery: inParis })
  })

  test('may group, sort and reference other saved filters, but not themselves', async () => {
    const group = [{ $match: { Age: 1 } }, { $group: { _id: '$City', n: { $sum: 1 } } }, { $sort: { n: -1 } }]
    await save(member, { name: 'By city', aggregateQuery: JSON.stringify(group) })
    const { _id } = await save(member)
    const naming = (id: string) => JSON.stringify([{ $predefined: id }])
    await save(member, { name: 'The same', aggregateQuery: naming(_id) })
    const message = 'A saved filter cannot be part of itself.'
    expect(await member.put(`${path}/${_id}`, { name: 'Parisians', aggregateQuery: naming(_id) })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_filter', message } },
    })
    expect(await member.post(path, { name: 'Nobodys', aggregateQuery: naming(nobodys) })).toMatchObject({ status: 400 })
  })

  test('are not found by an unknown or invalid id', async () => {
    for (const id of [nobodys, '1', 'x', "'"]) {
      expect([id, (await member.get(`${path}/${encodeURIComponent(id)}`)).status]).toEqual([id, 404])
    }
    expect(await member.delete(`${path}/${nobodys}`)).toMatchObject({ status: 404 })
  })

  test('have each change recorded in the audit log', async () => {
    const { _id } = await save(member)
    await member.put(`${path}/${_id}`, { name: 'Others', aggregateQuery: '[]' })
    await member.delete(`${path}/${_id}`)
    const { rows } = await portal.parts.database.pool.query(
      `SELECT actor, action, subject, details FROM portico.audit_log WHERE account_id = $1 AND details->>'id' = $2 ORDER BY id`,
      [member.account, _id],
    )
    const entry = (action: string, name: string, aggregateQuery: string) => ({
      actor: member.email,
      action: `saved filter ${action}`,
      subject: name,
      details: { id: _id, aggregateQuery, showInSubaccounts: false },
    })
    expect(rows).toEqual([
      entry('created', 'Parisians', inParis),
      entry('changed', 'Others', '[]'),
      entry('deleted', 'Others', '[]'),
    ])
  })
})

describe('permissions', () => {
  test('the right to read allows only reading', async () => {
    const { _id } = await save(member)
    const reader = await portal.member(member.account, 'contact-service::rdls::get')
    expect(await namesFor(reader)).toEqual(['Parisians'])
    const draft = { name: 'Mine', aggregateQuery: '[]' }
    const refused = { status: 403, body: { error: { code: 'not_allowed' } } }
    expect(await reader.post(path, draft)).toMatchObject(refused)
    expect(await reader.put(`${path}/${_id}`, draft)).toMatchObject(refused)
    expect(await reader.delete(`${path}/${_id}`)).toMatchObject(refused)
    expect(await namesFor(member)).toEqual(['Parisians'])
  })

  test('power admins, and members with the action who may search, can add, edit and delete', async () => {
    const admin = await portal.powerAdmin()
    const { _id } = await save(admin, { name: `By an admin ${crypto.randomUUID()}`, aggregateQuery: '[]' })
    expect(await admin.delete(`${path}/${_id}`)).toMatchObject({ status: 204 })
    const writer = await portal.member(member.account, 'contact-service::rdls::post', 'contact-service::offers::get')
    await save(writer)
    const other = await portal.member(member.account, 'contact-service::rdls::post')
    const draft = { name: 'Mine', aggregateQuery: inParis }
    expect(await other.post(path, draft)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
  })

  test('other accounts can neither see nor change anything', async () => {
    const { _id } = await save(member, { showInSubaccounts: true })
    const stranger = await memberOf(await portal.account())
    expect((await stranger.get(path)).body).toEqual([])
    expect(await stranger.get(`${path}/${_id}`)).toMatchObject({ status: 404 })
    expect(await stranger.put(`${path}/${_id}`, { name: 'X', aggregateQuery: '[]' })).toMatchObject({ status: 404 })
    expect(await stranger.delete(`${path}/${_id}`)).toMatchObject({ status: 404 })
    expect(await savedFilterStages(portal.parts.database.db, stranger.account, _id)).toBeNull()
    expect(await namesFor(member)).toEqual(['Parisians'])
  })
})

describe('in sub-accounts', () => {
  test('the parent can show filters, which may be used but not changed', async () => {
    const sub = await portal.member(await portal.account(undefined, member.account))
    const shown = await save(member, { name: 'Shown', showInSubaccounts: true })
    const hidden = await save(member, { name: 'Hidden' })
    const own = await save(sub, { name: 'shown', aggregateQuery: '[]' })
    expect((await sub.get(path)).body).toEqual([
      { _id: own._id, version: 1, name: 'shown', showInSubaccounts: false, isOwn: true },
      { _id: shown._id, version: 1, name: 'Shown', showInSubaccounts: true, isOwn: false },
    ])
    expect((await sub.get(`${path}/${shown._id}`)).body).toEqual({ ...shown, isOwn: false })
    expect(await sub.get(`${path}/${hidden._id}`)).toMatchObject({ status: 404 })
    const refused = { status: 403, body: { error: { code: 'parent_filter' } } }
    const change = { name: 'Mine now', aggregateQuery: '[]' }
    expect(await sub.put(`${path}/${shown._id}`, change)).toMatchObject(refused)
    expect(await sub.delete(`${path}/${shown._id}`)).toMatchObject(refused)
    expect((await member.get(`${path}/${shown._id}`)).body).toEqual(shown)
    // The parent does not see its sub-account's filters either.
    expect(await namesFor(member)).toEqual(['Hidden', 'Shown'])
  })

  test('stages are returned to any caller, as far as the account may use them', async () => {
    const { db } = portal.parts.database
    const sub = await portal.account(undefined, member.account)
    const shown = await save(member, { name: 'Shown', showInSubaccounts: true })
    const hidden = await save(member, { name: 'Hidden' })
    expect(await savedFilterStages(db, member.account, hidden._id)).toEqual([{ $match: { City: 'Paris' } }])
    expect(await savedFilterStages(db, sub, shown._id)).toEqual([{ $match: { City: 'Paris' } }])
    expect(await savedFilterStages(db, sub, hidden._id)).toBeNull()
    expect(await savedFilterStages(db, sub, 'x')).toBeNull()
  })

  test('a shown filter may be built from one that is not shown', async () => {
    const { db } = portal.parts.database
    const sub = await portal.account(undefined, member.account)
    await addContacts(portal.parts.database, sub, { City: 'string', Age: 'number' }, [])
    const hidden = await save(member, { name: 'Within' })
    const aggregateQuery = JSON.stringify([{ $predefined: hidden._id }, { $match: { Age: 7 } }])
    const shown = await save(member, { name: 'Made of it', aggregateQuery, showInSubaccounts: true })
    expect(await savedFilterStages(db, sub, shown._id)).toEqual([{ $match: { City: 'Paris' } }, { $match: { Age: 7 } }])
  })
})
