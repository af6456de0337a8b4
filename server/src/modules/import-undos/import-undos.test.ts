import type { UndoFigures } from '@portico/contract/import-undo'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { forgetOldImports } from '#imports'
import { recordEvents } from '#contacts'
import { newEvent } from '#test/resources/events.ts'
import { contactsOf, importFile, withPurl } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Undoing an import removes the contacts it created, restores the values it changed and keeps later changes.

let portal: TestPortal
let ann: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  ann = await portal.member(await portal.account())
})

const imports = '/contact-service/v1/imports'
const offers = '/contact-service/v1/offers'
const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const schema = () => `account_${ann.account}`

const undo = (id: string, by = ann): Promise<Answer> => by.post(`${imports}/${id}/undo`)
const figures = async (id: string) => (await ann.get(`${imports}/${id}/undo`)).json<UndoFigures>()
const read = async (id: string) => (await ann.get(`${imports}/${id}`)).json<Import>()

/** Undoes an import and waits for the end. */
async function undone(id: string): Promise<UndoFigures> {
  expect(await undo(id)).toMatchObject({ status: 202, body: { _id: id, undo: { status: 'waiting', by: ann.email } } })
  await vi.waitUntil(async () => (await read(id)).undo?.status === 'completed', { timeout: 20_000, interval: 20 })
  return figures(id)
}

const load = (content: string, changes = {}) => importFile(portal, ann, content, { ...withPurl, ...changes })
const first = 'First,Last,Email\nAda,King,a@x\nBob,Ray,b@x\n'

/** The contacts without the values that differ between imports. */
const listed = async () =>
  (await contactsOf(ann)).map(({ First, Last, Email, City, purl }) => [First, Last, Email, City, purl])
const nothingKept = { keptContacts: 0, keptValues: 0, removedOthers: 0, removedEvents: 0, kept: [] }
const refused = (code: string, message: unknown = expect.any(String)) => ({
  status: 409,
  body: { error: { code, message } },
})

test('an undo removes created contacts, keys and fields, and the rules of the import no longer apply', async () => {
  const { _id } = await load(first)
  const forecast = { removedContacts: 2, returnedContacts: 0, ...nothingKept }
  const expected = { ...forecast, removedFields: ['First', 'Last', 'Email'] }
  expect(await figures(_id)).toEqual(expected)
  expect(await undone(_id)).toEqual(expected)
  expect(await contactsOf(ann)).toEqual([])
  expect((await query(`SELECT FROM ${schema()}.contact_keys`)).rowCount).toBe(0)
  const after = await read(_id)
  expect(after).toMatchObject({ status: 'completed', undoUntil: null, binds: false })
  expect(after.undo).toMatchObject({ status: 'completed', by: ann.email, reason: null })
  const { _id: again } = await load('Mail,Name\na@x,Ada\n', { dedupColumns: ['Mail'], purlColumns: ['Name'] })
  expect(await read(again)).toMatchObject({ status: 'completed', createdRecords: 1 })
})

test('an undo restores changed values and removes created contacts', async () => {
  await load(first, { dedupHashMatching: false })
  const before = await contactsOf(ann)
  const second = await load('First,Last,Email,City\nAda,Lovelace,A@X,Bern\nBob,Ray,b@x,\nEve,Moor,e@x,Rome\n', {
    dedupHashMatching: false,
  })
  expect(second).toMatchObject({ createdRecords: 1, updatedRecords: 1 })
  expect(await listed()).toEqual([
    ['Ada', 'Lovelace', 'A@X', 'Bern', 'adalovelace'],
    ['Bob', 'Ray', 'b@x', undefined, 'bobray'],
    ['Eve', 'Moor', 'e@x', 'Rome', 'evemoor'],
  ])
  const expected = { removedContacts: 1, returnedContacts: 1, ...nothingKept, removedFields: ['City'] }
  expect(await figures(second._id)).toEqual(expected)
  expect(await undone(second._id)).toEqual(expected)
  expect(await contactsOf(ann)).toEqual(before)
  expect((await query(`SELECT FROM ${schema()}.import_changes`)).rowCount).toBe(0)
})

test('an undo restores values of each type exactly, even in a contact of several rows', async () => {
  const settings = {
    typeCasting: true,
    dedupColumns: ['Email'],
    generatePURL: false,
    purlColumns: [],
    dedupHashMatching: false,
  }
  const long = 'x'.repeat(100)
  await importFile(
    portal,
    ann,
    `Email,Amount,Is,Day,At,Note,Lat,Lng\na@x,0.1,true,2024-02-29,2024-02-29T10:00:00.123Z,${long},47.5,8.25\nb@x,1e-7,,,,,,\n`,
    { ...settings, latitudeColumn: 'Lat', longitudeColumn: 'Lng' },
  )
  const values = async () =>
    (
      await query(
        `SELECT c.*, k.latitude, k.longitude FROM ${schema()}.contacts c LEFT JOIN ${schema()}.contact_keys k ON k.id = c.id ORDER BY c.id`,
      )
    ).rows.map(({ updated_at: _updated, ...rest }) => rest)
  const before = await values()
  const changed = await importFile(
    portal,
    ann,
    `Email,Amount,Is,Day,At,Note,Lat,Lng\na@x,2,false,1999-12-31,1999-12-31T23:59:59.999Z,${long}y,1,2\nb@x,3,true,2000-01-01,2000-01-01T00:00:00Z,z,3,4\na@x,5,,,,${long}z,,\n`,
    { ...settings, latitudeColumn: 'Lat', longitudeColumn: 'Lng' },
  )
  expect(changed).toMatchObject({ updatedRecords: 3, setAsideCells: 0 })
  expect(await undone(changed._id)).toMatchObject({ removedContacts: 0, returnedContacts: 2, ...nothingKept })
  expect(await values()).toEqual(before)
})

describe('an undo keeps and lists', () => {
  test('an edited contact, one with events, or one changed by a later import', async () => {
    const { _id } = await load('First,Last,Email\nAda,King,a@x\nBob,Ray,b@x\nEve,Moor,e@x\nIda,Low,i@x\n')
    const [ada, bob, eve] = (await contactsOf(ann)).map((contact) => contact._id)
    await ann.put(`${offers}/${ada}`, { changes: { Last: { from: 'King', to: 'Byron' } } })
    await recordEvents(portal.parts.database.db, ann.account, [newEvent(bob ?? '')])
    await load('First,Last,Email\nEve,Poe,e@x\nIda,Low,i@x\n')
    const expected = {
      removedContacts: 1,
      keptContacts: 3,
      returnedContacts: 0,
      keptValues: 0,
      removedOthers: 0,
      removedEvents: 0,
      removedFields: [],
      kept: [
        { contact: ada, field: null, reason: 'edited' },
        { contact: bob, field: null, reason: 'events' },
        { contact: eve, field: null, reason: 'imported' },
      ],
    }
    expect(await figures(_id)).toEqual(expected)
    expect(await undone(_id)).toEqual(expected)
    expect((await listed()).map(([name, last]) => [name, last])).toEqual([
      ['Ada', 'Byron'],
      ['Bob', 'Ray'],
      ['Eve', 'Poe'],
    ])
    expect(await read(_id)).toMatchObject({ binds: true })
  })

  test('an edited value, unless the edit was undone', async () => {
    await load(first)
    const { _id } = await load('First,Last,Email\nAdam,Kong,a@x\nRob,Roy,b@x\n')
    const [ada, bob] = (await contactsOf(ann)).map((contact) => contact._id)
    await ann.put(`${offers}/${ada}`, { changes: { Last: { from: 'Kong', to: 'Byron' } } })
    const edit = await ann.put(`${offers}/${bob}`, { changes: { Last: { from: 'Roy', to: 'Ray' } } })
    const { change } = edit.json<{ change: { _id: string } }>()
    await ann.post(`${offers}/${bob}/changes/${change._id}/undo`)
    expect(await undone(_id)).toMatchObject({
      returnedContacts: 2,
      keptValues: 1,
      kept: [{ contact: ada, field: 'Last', reason: 'changed' }],
    })
    expect((await listed()).map((values) => values.slice(0, 2))).toEqual([
      ['Ada', 'Byron'],
      ['Bob', 'Ray'],
    ])
  })

  test('a value changed by a later import, until that import is also undone', async () => {
    await load(first)
    const second = await load('First,Last,Email\nAda,Kong,a@x\n')
    const third = await load('First,Last,Email\nAda,Queen,a@x\n')
    expect(await figures(second._id)).toMatchObject({ returnedContacts: 0, keptValues: 1 })
    await undone(third._id)
    expect(await undone(second._id)).toMatchObject({ returnedContacts: 1, ...nothingKept })
    expect((await listed()).map((values) => values[1])).toEqual(['King', 'Ray'])
  })

  test('no PURL, which is restored because no other contact has got it meanwhile', async () => {
    await load(first, { dedupHashMatching: false })
    const renamed = await load('First,Last,Email\nAda,Kong,a@x\n', { dedupHashMatching: false })
    await load('First,Last,Email\nAda,King,other@x\n', { dedupHashMatching: false })
    expect(await undone(renamed._id)).toMatchObject({ returnedContacts: 1, keptValues: 0 })
    expect((await listed()).map(([name, last, , , purl]) => [name, last, purl])).toEqual([
      ['Ada', 'King', 'adaking'],
      ['Bob', 'Ray', 'bobray'],
      ['Ada', 'King', 'adaking2'],
    ])
  })

  test('a value whose former value a unique index no longer allows', async () => {
    await load('Email,Code\na@x,1\nb@x,2\n', { generatePURL: false, purlColumns: [] })
    const { _id } = await load('Email,Code\na@x,3\nb@x,4\n', { generatePURL: false, purlColumns: [] })
    const index = await ann.post('/contact-service/v1/indexes', { key: { Code: 1 }, options: { unique: true } })
    expect(index.status).toBe(202)
    const states = async () => (await query(`SELECT state FROM ${schema()}.indexes`)).rows
    await vi.waitUntil(async () => (await states()).every(({ state }) => state === 'ready'), { timeout: 20_000 })
    await ann.post(offers, { values: { Code: '1', Email: 'c@x' } })
    const [, ada] = (await contactsOf(ann)).map((contact) => contact._id)
    expect(await undone(_id)).toMatchObject({
      returnedContacts: 1,
      keptValues: 1,
      kept: [{ contact: ada, field: null, reason: 'taken' }],
    })
    expect((await contactsOf(ann)).map(({ Code }) => Code)).toEqual(['1', '3', '2'])
  })

  test('a field used by a saved filter, and a field with other values', async () => {
    await load(first)
    const { _id } = await load('First,Last,Email,City,Town\nAda,King,a@x,Bern,Bern\nBob,Ray,b@x,Rome,Rome\n')
    await ann.post('/contact-service/v1/rdls', {
      name: 'In Bern',
      aggregateQuery: JSON.stringify([{ $match: { City: 'Bern' } }]),
    })
    const [ada] = (await contactsOf(ann)).map((contact) => contact._id)
    await ann.put(`${offers}/${ada}`, { changes: { Town: { from: 'Bern', to: 'Biel' } } })
    expect(await figures(_id)).toMatchObject({ removedFields: ['Town'] })
    expect(await undone(_id)).toMatchObject({ removedFields: [], keptValues: 1 })
  })

  test('nothing of contacts deleted since the import', async () => {
    await load(first)
    const { _id } = await load('First,Last,Email\nAda,Kong,a@x\nEve,Moor,e@x\nIda,Low,i@x\n')
    await ann.delete(offers, { filter: [{ $match: { Email: { $in: ['a@x', 'e@x'] } } }], deletedRecords: 2 })
    expect((await query(`SELECT FROM ${schema()}.import_changes`)).rowCount).toBe(0)
    expect(await undone(_id)).toMatchObject({ removedContacts: 1, returnedContacts: 0, ...nothingKept })
    expect((await listed()).map(([name]) => name)).toEqual(['Bob'])
  })
})

test('an undo restores the values of a field that has become text as text', async () => {
  const settings = { typeCasting: true, generatePURL: false, purlColumns: [], dedupColumns: ['Email'] }
  await importFile(portal, ann, 'Email,Amount\na@x,1.50\nb@x,2\n', settings)
  const { _id } = await importFile(portal, ann, 'Email,Amount\na@x,7\nb@x,8\n', settings)
  await importFile(portal, ann, 'Email,Amount\nb@x,none\n', { ...settings, onMismatch: 'text' })
  expect(await undone(_id)).toMatchObject({ returnedContacts: 1, keptValues: 1 })
  expect((await contactsOf(ann)).map(({ Amount }) => Amount)).toEqual(['1.5', 'none'])
})

describe('an import cannot be undone', () => {
  test('twice, even at the same time', async () => {
    const { _id } = await load(first)
    const answers = await Promise.all([undo(_id), undo(_id)])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([202, 409])
    await vi.waitUntil(async () => (await read(_id)).undo?.status === 'completed', { timeout: 20_000, interval: 20 })
    expect(await undo(_id)).toMatchObject(refused('not_undoable', 'This import has been taken back.'))
    expect(await contactsOf(ann)).toEqual([])
  })

  test('more than 30 days after its end, when its record is deleted', async () => {
    await load(first)
    const { _id } = await load('First,Last,Email\nAda,Kong,a@x\n')
    const { db } = portal.parts.database
    await forgetOldImports(db, ann.account)
    expect(await read(_id)).toMatchObject({ undoUntil: expect.any(String) })
    const later = new Date(Date.now() + 31 * 86_400_000)
    await query(
      `UPDATE ${schema()}.imports SET last_activity_at = last_activity_at - interval '31 days' WHERE id = $1`,
      _id,
    )
    expect(await undo(_id)).toMatchObject(refused('not_undoable', expect.stringContaining('more than 30 days ago')))
    expect(await read(_id)).toMatchObject({ undoUntil: null })
    await forgetOldImports(db, ann.account)
    expect((await query(`SELECT FROM ${schema()}.import_changes`)).rowCount).toBe(0)
    await forgetOldImports(db, ann.account, later)
    expect(await undo(_id)).toMatchObject(refused('not_undoable', expect.stringContaining('more than 30 days ago')))
  })

  test('if it loaded nothing, or is from an earlier release', async () => {
    const rejected = await load('First,Last\nAda\n', { dedupColumns: ['First'], purlColumns: ['Last'] }).catch(
      () => null,
    )
    expect(rejected).toMatchObject({ status: 'rejected' })
    expect(await undo(rejected?._id ?? '')).toMatchObject(refused('not_undoable', 'This import has loaded nothing.'))
    const { _id } = await load(first)
    await query(`UPDATE ${schema()}.imports SET records_changes = false WHERE id = $1`, _id)
    const earlier = 'This import was made before imports could be taken back.'
    expect(await undo(_id)).toMatchObject(refused('not_undoable', earlier))
    expect(await ann.get(`${imports}/${_id}/undo`)).toMatchObject(refused('not_undoable', earlier))
    expect((await contactsOf(ann)).length).toBe(2)
  })

  test('if it does not exist', async () => {
    expect(await undo('77')).toMatchObject({ status: 404 })
    expect(await undo('x')).toMatchObject({ status: 404 })
  })
})

test('a cancelled import is undone as far as it was loaded', async () => {
  const { _id } = await load(first)
  await query(`UPDATE ${schema()}.imports SET status = 'rejected' WHERE id = $1`, _id)
  expect(await undone(_id)).toMatchObject({ removedContacts: 2 })
})

test('the audit log records who undid an import, and the removed fields', async () => {
  const { _id, name } = await load(first)
  await undone(_id)
  const { rows } = await query(
    `SELECT actor, action, subject FROM portico.audit_log WHERE account_id = $1 AND action IN ('import taken back', 'field deleted')
     ORDER BY id`,
    ann.account,
  )
  expect(rows).toEqual([
    { actor: ann.email, action: 'import taken back', subject: name },
    ...['First', 'Last', 'Email'].map((subject) => ({ actor: ann.email, action: 'field deleted', subject })),
  ])
})
