import type { ContactChange } from '@portico/contract/contact-edits'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'

// Responses to changes of contacts omit values that the caller may not read, and cut long texts to fit.

let portal: TestPortal
let member: Member
/** May change contacts, but read none. */
let writer: Member
let id: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const put = 'contact-service::offers::put'
const get = 'contact-service::offers::get'

beforeEach(async () => {
  member = await portal.member(await portal.account())
  writer = await portal.member(member.account, put, 'contact-service::offers::post')
  const types = { First: 'string', Salary: 'number' } as const
  ;[id = ''] = await addContacts(portal.parts.database, member.account, types, [{ First: 'Ada', Salary: 1000 }])
})

const edit = (by: Member, changes: object): Promise<Answer> => by.put(`${offers}/${id}`, { changes })
const guess = { First: { from: '?', to: '?' }, Salary: { from: -1, to: -1 } }
const undo = (by: Member, change: string) => by.post(`${offers}/${id}/changes/${change}/undo`)
const changesOf = async () => (await member.get(`${offers}/${id}/changes`)).json<ContactChange[]>()
const detailsOf = (answer: Answer) => answer.json<{ error: { details: object[] } }>().error.details

describe('a member who can change but not read contacts', () => {
  const names = (...fields: string[]) => fields.map((field) => `"${field}"`).join(', ')
  const refused = (...fields: string[]) => ({
    status: 403,
    body: { error: { code: 'not_allowed', message: `Changing ${names(...fields)} takes the right to read it.` } },
  })
  const right = { First: { from: 'Ada', to: 'Ada' }, Salary: { from: 1000, to: 1000 } }

  test.each([
    ['wrong', guess],
    ['right', right],
  ])('learns nothing from a %s guess, and changes nothing', async (_what, changes) => {
    expect(await edit(writer, changes)).toMatchObject(refused('First', 'Salary'))
    expect(await changesOf()).toEqual([])
  })

  test('cannot undo changes', async () => {
    await edit(member, { First: { from: 'Ada', to: 'Eve' }, Salary: { from: 1000, to: 987_654 } })
    const answer = await undo(writer, '1')
    expect(answer).toMatchObject(refused('First', 'Salary'))
    expect(JSON.stringify(answer.body)).not.toMatch(/Ada|Eve|987/)
  })

  test('cannot change a contact or field hidden by conditions or a row rule', async () => {
    const reading = async (...conditions: string[]) =>
      edit(await memberWith(portal, member.account, { actions: [put] }, { actions: [get], conditions }), guess)
    expect(detailsOf(await edit(member, guess))).toMatchObject([{ current: 'Ada' }, { current: 1000 }])
    expect(await reading('param::0::eq::1')).toMatchObject(refused('First', 'Salary'))
    expect(await reading('query::select::nct::Salary')).toMatchObject(refused('Salary'))
    const elsewhere = await restrictedMember(portal, member.account, [{ $match: { First: 'Bob' } }])
    expect(await edit(elsewhere, guess)).toMatchObject({ status: 404 })
  })

  test('cannot test keys with values that hide the contact from them', async () => {
    await importFile(portal, member, 'Email,First\na@x,Bob\n', { dedupColumns: ['Email'] })
    const only = await restrictedMember(portal, member.account, [{ $match: { First: 'Ada' } }])
    const hidden = (Email: string) => ({ First: { from: 'Ada', to: 'Eve' }, Email: { from: null, to: Email } })
    const added = (Email: string) => only.post(offers, { values: { First: 'Eve', Email } })
    const answers = [
      await edit(only, hidden('a@x')),
      await edit(only, hidden('b@x')),
      await added('a@x'),
      await added('b@x'),
    ]
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [403, answers[0]?.body]))
  })

  test('does not get the id of the contact that has the key', async () => {
    await importFile(portal, member, 'Email,First\na@x,Bob\n', { dedupColumns: ['Email'] })
    const holder = (await contactsOf(member)).find(({ First }) => First === 'Bob')?._id ?? ''
    const values = { Email: 'a@x' }
    const taken = (contact: string | null) => ({
      status: 409,
      body: { error: { code: 'key_taken', details: { contact, fields: ['Email'] } } },
    })
    expect(await member.post(offers, { values })).toMatchObject(taken(holder))
    const told = await writer.post(offers, { values })
    expect(told).toMatchObject(taken(null))
    expect(JSON.stringify(told.body)).not.toContain(holder)
  })
})

describe('long texts', () => {
  test('are shortened in the history and restored in full', async () => {
    const [first, second] = ['a', 'b'].map((letter) => letter.repeat(480_000))
    for (const First of [
      { from: 'Ada', to: first },
      { from: first, to: second },
    ])
      expect((await edit(member, { First })).status).toBe(200)
    // The state that 68 more edits would leave.
    await portal.parts.database.pool.query(
      `INSERT INTO account_${member.account}.contact_changes (contact_id, at, kind, actor, fields)
       SELECT contact_id, at, kind, actor, fields FROM account_${member.account}.contact_changes, generate_series(1, 34)
       ORDER BY generate_series, id`,
    )
    const answer = await member.get(`${offers}/${id}/changes`)
    expect(answer.status).toBe(200)
    const all = answer.json<ContactChange[]>()
    expect(all).toHaveLength(70)
    const value = { field: 'First', from: 'a'.repeat(1000), to: 'b'.repeat(1000), shortened: ['from', 'to'] }
    expect(all[0]?.values).toEqual([value])
    expect(all.at(-1)?.values).toMatchObject([{ from: 'Ada', shortened: ['to'] }])
    expect(await member.get('/identity/v1/audit')).toMatchObject({ status: 200 })
    expect(await edit(member, guess)).toMatchObject({ status: 409 })
    expect(await undo(member, all[0]?._id ?? '')).toMatchObject({ status: 200 })
    expect((await member.get(`${offers}/${id}`)).json<Record<string, unknown>>()['First']).toBe(first)
  })

  test('are shortened further when a change has many fields', async () => {
    const names = Array.from({ length: 200 }, (_, at) => `Far ${at}`)
    const account = await portal.account()
    member = await portal.member(account)
    const types = Object.fromEntries(names.map((name) => [name, 'string' as const]))
    ;[id = ''] = await addContacts(portal.parts.database, account, types, [{ 'Far 0': null }])
    const far = Object.fromEntries(names.map((name) => [name, { from: null, to: 'y'.repeat(4000) }]))
    expect((await edit(member, far)).status).toBe(200)
    const [change] = await changesOf()
    const values = change?.values ?? []
    expect(values).toHaveLength(200)
    expect(new Set(values.map(({ to }) => String(to).length))).toEqual(new Set([99]))
  })
})
