import type { AuditEntry } from '@portico/contract/audit'
import type { ContactChange } from '@portico/contract/contact-edits'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { wordsVersion } from '#filters'
import { addContacts } from '#test/resources/contacts.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { memberWith, setConditions } from '#test/resources/access.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'

// Editing single fields of contacts, their history, and undoing a change.

let portal: TestPortal
let member: Member
let id: string

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const types = { Name: 'string', City: 'string', Age: 'number', Member: 'boolean', Born: 'day', Seen: 'date' } as const
const offers = '/contact-service/v1/offers'
const ada = { Name: 'Ada', City: 'Bern', Age: 30, Member: false, Born: '1990-01-31', Seen: '2026-01-31T09:30:00.000Z' }

beforeEach(async () => {
  const account = await portal.account()
  member = await portal.member(account)
  ;[id = ''] = await addContacts(portal.parts.database, account, types, [ada, { Name: 'Bob', City: 'Rome' }])
})

const query = (text: string, values: unknown[] = []) => portal.parts.database.pool.query(text, values)
type Value = string | number | boolean | null
const edit = (by: Pick<Member, 'put'>, changes: Record<string, [from: Value, to: Value]>, of = id): Promise<Answer> =>
  by.put(`${offers}/${of}`, {
    changes: Object.fromEntries(Object.entries(changes).map(([name, [from, to]]) => [name, { from, to }])),
  })
const read = async (of = id) => (await member.get(`${offers}/${of}`)).json<Record<string, unknown>>()
const changesOf = async (of = id) => (await member.get(`${offers}/${of}/changes`)).json<ContactChange[]>()
const undo = (by: Pick<Member, 'post'>, change: string, of = id) => by.post(`${offers}/${of}/changes/${change}/undo`)
const refused = (code: string, more: object = {}) => ({ body: { error: { code, ...more } } })

describe('an edit', () => {
  test.each<[string, Value, Value, unknown]>([
    ['Name', 'Ada', 'Zoë', 'Zoë'],
    // Letters are composed, as in files.
    ['Name', 'Ada', 'Zoe\u0308', 'Zo\u00eb'],
    ['Name', 'Ada', ' two  words ', ' two  words '],
    ['Name', 'Ada', '\u00a0 ', undefined],
    ['City', 'Bern', null, undefined],
    ['Age', 30, 31.5, 31.5],
    ['Age', 30, null, undefined],
    ['Age', 30, '', undefined],
    ['Member', false, true, true],
    ['Member', false, null, undefined],
    ['Born', '1990-01-31', '1991-02-28', '1991-02-28'],
    ['Born', '1990-01-31', '', undefined],
    ['Seen', ada.Seen, '2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
    ['Seen', '2026-01-31T10:30:00+01:00', '2026-03-04T05:06Z', '2026-03-04T05:06:00.000Z'],
    ['Seen', ada.Seen, null, undefined],
  ])('sets %s from %j to %j', async (field, from, to, shown) => {
    expect(await edit(member, { [field]: [from, to] })).toMatchObject({ status: 200 })
    const { [field]: value, ...others } = await read()
    expect(value).toBe(shown)
    const { [field as keyof typeof ada]: _edited, ...kept } = ada
    expect(others).toMatchObject(kept)
  })

  test('reads a moment without a time zone in the time zone of the account', async () => {
    await query(`UPDATE portico.accounts SET time_zone = 'Asia/Tokyo' WHERE id = $1`, [member.account])
    expect((await edit(member, { Seen: [ada.Seen, '2026-03-04T05:06'] })).status).toBe(200)
    expect((await read())['Seen']).toBe('2026-03-03T20:06:00.000Z')
  })

  test.each<[string, Value, string]>([
    ['Name', 5, 'Enter a text'],
    ['Name', 'a\0b', 'NUL'],
    ['Age', '31', 'Enter a number'],
    ['Age', true, 'Enter a number'],
    ['Member', 'yes', 'Choose yes or no'],
    ['Born', '2026-02-30', 'Enter a day'],
    ['Born', '1/31/2026', 'Enter a day'],
    ['Born', '0999-01-01', 'Enter a day'],
    ['Seen', '2026-02-30T10:00Z', 'Enter a date and time'],
    ['Seen', '2026-02-28T25:00', 'Enter a date and time'],
    ['Seen', 'today', 'Enter a date and time'],
    ['Shoe', 'x', 'no field of this name'],
    ['_id', '7', 'portal itself keeps'],
    ['PURL', 'ada', 'portal itself keeps'],
    ['Import', 7, 'portal itself keeps'],
    ['events', 'x', 'portal itself keeps'],
  ])('is refused, naming the field, for %s = %j', async (field, to, message) => {
    const from = field in ada ? ada[field as keyof typeof ada] : null
    const answer = await edit(member, { City: ['Bern', 'Rome'], [field]: [from, to] })
    const text: unknown = expect.stringContaining(message)
    expect(answer).toMatchObject({ status: 400, ...refused('invalid_input', { details: [{ field, message: text }] }) })
    expect(await read()).toMatchObject(ada)
    expect(await changesOf()).toEqual([])
  })

  test.each([{}, { changes: {} }, { changes: { City: 'Rome' } }, { changes: { City: { to: 'Rome' } } }])(
    'with the body %j is refused',
    async (body) => {
      expect(await member.put(`${offers}/${id}`, body)).toMatchObject({ status: 400, ...refused('invalid_input') })
    },
  )

  test('names a field in any case, but only once', async () => {
    expect((await edit(member, { cITY: ['Bern', 'Rome'] })).status).toBe(200)
    expect(await edit(member, { city: ['Rome', 'Bern'], City: ['Rome', 'Oslo'] })).toMatchObject({ status: 400 })
    expect((await read())['City']).toBe('Rome')
  })

  test('that changes nothing is not recorded', async () => {
    expect((await edit(member, { City: ['Bern', 'Bern'] })).body).toEqual({ change: null })
    expect(await changesOf()).toEqual([])
  })

  test('sets fields of a further table in which the contact has no row', async () => {
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, at) => [`Column ${at}`, 'string' as const]))
    const [of = ''] = await addContacts(portal.parts.database, member.account, many, [{ 'Column 0': 'x' }])
    await query(`DELETE FROM account_${member.account}.contacts_2 WHERE id = $1`, [of])
    expect((await edit(member, { 'Column 300': [null, 'far'], 'Column 0': ['x', null] }, of)).status).toBe(200)
    expect((await contactsOf(member)).at(-1)).toEqual(expect.objectContaining({ 'Column 300': 'far' }))
  })

  test('is visible to searches at once, including full-text search and cached answers', async () => {
    const { account } = member
    await query(
      `INSERT INTO account_${account}.contact_word_index (id, requested_at, built_at, words_version, import_id, text_fields, last_field)
       VALUES (1, now(), now() + interval '1 hour', ${wordsVersion}, 1, '{1,2}', 6)`,
    )
    const found = async (text: string) => {
      const find = encodeURIComponent(JSON.stringify([{ $match: { $text: { $search: text } } }]))
      return (await member.get(`${offers}?find=${find}`)).json<object[]>().length
    }
    const before = await query('SELECT contacts_version FROM portico.accounts WHERE id = $1', [account])
    expect((await edit(member, { City: ['Bern', 'Zürich'] })).status).toBe(200)
    expect([await found('zurich'), await found('Bern')]).toEqual([1, 0])
    const words = await query(`SELECT words::text FROM account_${account}.contact_words WHERE id = $1`, [id])
    expect(JSON.stringify(words.rows)).toContain('zurich')
    const after = await query('SELECT contacts_version FROM portico.accounts WHERE id = $1', [account])
    expect(after.rows).not.toEqual(before.rows)
    const { rows } = await query(
      `SELECT updated_at > now() - interval '1 minute' AS now FROM account_${account}.contacts WHERE id = $1`,
      [id],
    )
    expect(rows).toEqual([{ now: true }])
  })

  test('is in the audit log by field without values, as are undone changes and added contacts', async () => {
    await edit(member, { City: ['Bern', 'Lima'], Age: [30, 987_654] })
    await undo(member, (await changesOf())[0]?._id ?? '')
    const added = (await member.post(offers, { values: { Name: 'Eve', City: 'Quito' } })).json<{ _id: string }>()
    const restricted = await restrictedMember(portal, member.account, [{ $match: { City: 'Rome' } }])
    const entries = (await restricted.get('/identity/v1/audit?what=contact%20')).json<AuditEntry[]>()
    expect(entries.map(({ actor, action, subject, details }) => [actor, action, subject, details])).toEqual([
      [member.email, 'contact added', `contact ${added._id}`, { change: added._id, fields: ['Name', 'City'] }],
      [member.email, 'contact change undone', `contact ${id}`, { change: '2', undoes: '1', fields: ['City', 'Age'] }],
      [member.email, 'contact edited', `contact ${id}`, { change: '1', fields: ['City', 'Age'] }],
    ])
  })

  test('to a value that a unique index allows only once is refused, naming the index', async () => {
    await query(`CREATE UNIQUE INDEX ON account_${member.account}.contacts (c1)`)
    await query(
      `INSERT INTO account_${member.account}.indexes
         (id, name, field_1, order_1, is_unique, creator, created_at, state, name_key)
       VALUES (1, 'cIndex_Names', 1, 1, true, 'x', now(), 'ready', 'custom_names')`,
    )
    const message: unknown = expect.stringContaining('unique index "Names" does not allow duplicate values of "Name"')
    expect(await edit(member, { Name: ['Ada', 'Bob'] })).toMatchObject({
      status: 409,
      ...refused('value_taken', { message, details: { fields: ['Name'] } }),
    })
    expect((await read())['Name']).toBe('Ada')
  })
})

describe('permissions', () => {
  test('an edit requires the right to change contacts in this account', async () => {
    const reader = await portal.member(member.account, 'contact-service::offers::get', 'contact-service::offers::post')
    const stranger = await portal.member(await portal.account())
    await edit(member, { City: ['Bern', 'Rome'] })
    expect(await edit(reader, { City: ['Rome', 'Oslo'] })).toMatchObject({ status: 403, ...refused('not_allowed') })
    expect(await undo(reader, '1')).toMatchObject({ status: 403 })
    expect(await edit(stranger, { City: ['Rome', 'Oslo'] })).toMatchObject({ status: 404, ...refused('not_found') })
    expect(await undo(stranger, '1')).toMatchObject({ status: 404 })
    expect(await stranger.get(`${offers}/${id}/changes`)).toMatchObject({ status: 404 })
    expect((await reader.get(`${offers}/${id}/changes`)).body).toHaveLength(1)
    expect(await edit(member, { City: ['Rome', 'Oslo'] }, '12')).toMatchObject({ status: 404 })
    expect(await edit(member, { City: ['Rome', 'Oslo'] }, 'x')).toMatchObject({ status: 404 })
    expect((await read())['City']).toBe('Rome')
  })

  test('a contact outside the row rule is not found, and no edit moves a contact outside it', async () => {
    const restricted = await restrictedMember(portal, member.account, [{ $match: { City: 'Bern' } }])
    const [other = ''] = (await contactsOf(member)).map(({ _id }) => _id).slice(1)
    expect(await edit(restricted, { Name: ['Bob', 'X'] }, other)).toMatchObject({ status: 404 })
    expect(await restricted.get(`${offers}/${other}/changes`)).toMatchObject({ status: 404 })
    expect(await edit(restricted, { Name: ['Ada', 'Eve'] })).toMatchObject({ status: 200 })
    expect(await edit(restricted, { City: ['Bern', 'Rome'] })).toMatchObject({
      status: 403,
      ...refused('not_allowed', { message: expect.stringContaining('would not see the contact any more') as unknown }),
    })
    expect(await read()).toMatchObject({ Name: 'Eve', City: 'Bern' })
    // A change back to a value that the row rule hides is refused too.
    await edit(member, { City: ['Bern', 'Oslo'] })
    await edit(member, { City: ['Oslo', 'Bern'] })
    const [back] = await changesOf()
    expect(await undo(restricted, back?._id ?? '')).toMatchObject({ status: 403 })
  })

  test('an undo is judged like the edit it makes', async () => {
    await edit(member, { City: ['Bern', 'Rome'] })
    const [change] = await changesOf()
    const limited = await memberWith(portal, member.account, { actions: ['contact-service::offers::put'] })
    await setConditions(portal, limited, ['body::changes::nct::Bern'])
    expect(await edit(limited, { City: ['Rome', 'Bern'] })).toMatchObject({ status: 403 })
    expect(await undo(limited, change?._id ?? '')).toMatchObject({ status: 403 })
    expect((await read())['City']).toBe('Rome')
  })
})

describe('the history', () => {
  test('lists changes, newest first, and undoes one while its values are current', async () => {
    await edit(member, { City: ['Bern', 'Rome'] })
    await edit(member, { City: ['Rome', null], Age: [30, 31], Seen: [ada.Seen, '2026-03-04T05:06Z'] })
    const [second, first] = await changesOf()
    expect(first).toEqual({
      _id: expect.any(String) as string,
      kind: 'edited',
      changedBy: member.email,
      changedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      via: null,
      values: [{ field: 'City', from: 'Bern', to: 'Rome' }],
      isUndone: false,
      merged: null,
    })
    // The value has changed in the meantime.
    const details = [{ field: 'City', expected: 'Rome', current: null, changedBy: member.email }]
    expect(await undo(member, first?._id ?? '')).toMatchObject({
      status: 409,
      ...refused('value_changed', { details }),
    })
    expect((await undo(member, second?._id ?? '')).status).toBe(200)
    expect(await read()).toMatchObject({ ...ada, City: 'Rome' })
    expect((await undo(member, first?._id ?? '')).status).toBe(200)
    expect(await read()).toMatchObject(ada)
    const all = await changesOf()
    expect(all.map(({ kind, isUndone }) => [kind, isUndone])).toEqual([
      ['undone', false],
      ['undone', false],
      ['edited', true],
      ['edited', true],
    ])
    // An undo is itself a change.
    expect((await undo(member, all[0]?._id ?? '')).status).toBe(200)
    expect((await read())['City']).toBe('Rome')
    const audited = await query(
      `SELECT FROM portico.audit_log WHERE account_id = $1 AND action = 'contact change undone'`,
      [member.account],
    )
    expect(audited.rowCount).toBe(3)
  })

  test('undoes a change of a field that has become text', async () => {
    await edit(member, { Age: [30, 31] })
    const schema = `account_${member.account}`
    await query(`ALTER TABLE ${schema}.contacts ALTER COLUMN c3 TYPE text USING c3::text`)
    await query(`UPDATE ${schema}.fields SET type = 'string', name = 'Years' WHERE id = 3`)
    const [change] = await changesOf()
    expect(change?.values).toEqual([{ field: 'Years', from: 30, to: 31 }])
    expect((await undo(member, change?._id ?? '')).status).toBe(200)
    expect((await read())['Years']).toBe('30')
  })

  test('is limited to its contact and deleted with it', async () => {
    await edit(member, { City: ['Bern', 'Rome'] })
    const [change] = await changesOf()
    const [, other = ''] = (await contactsOf(member)).map(({ _id }) => _id)
    expect(await undo(member, change?._id ?? '', other)).toMatchObject({ status: 404 })
    const filter = [{ $match: { Name: 'Ada' } }]
    expect((await member.delete(offers, { filter, deletedRecords: 1 })).status).toBe(200)
    expect(await member.get(`${offers}/${id}/changes`)).toMatchObject({ status: 404 })
    expect((await query(`SELECT FROM account_${member.account}.contact_changes`)).rowCount).toBe(0)
  })

  test('shows the API credential that made a change', async () => {
    const { byProgram } = await import('#test/resources/access.ts')
    const program = await byProgram(portal, member)
    expect((await edit(program, { City: ['Bern', 'Rome'] })).status).toBe(200)
    expect((await changesOf())[0]?.via).toContain('API credential')
  })
})
