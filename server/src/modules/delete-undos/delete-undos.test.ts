import type { FieldEntry } from '@portico/contract/fields'
import type { ColumnReading } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { recordEvents } from '#contacts'
import { forgetOldDeletes } from '#deletes'
import { removeDeletedFields } from '#fields'
import {
  allRows,
  askRestore,
  countKept,
  deleteBy,
  missingOf,
  readDelete,
  restored,
} from '#test/resources/delete-undos.ts'
import { newEvent } from '#test/resources/events.ts'
import { contactsOf, importFile, withPurl } from '#test/resources/imports.ts'
import { createIndex, customIndexes } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Undoing a bulk delete restores its contacts with all their data.

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

const service = '/contact-service/v1'
const offers = `${service}/offers`
const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const schema = () => `account_${ann.account}`
const load = (content: string, changes = {}) => importFile(portal, ann, content, { ...withPurl, ...changes })
/** Every contact. */
const all: unknown[] = []
/** Settings of an import that recognizes no contacts. */
const keyless = { generatePURL: false, purlColumns: [], dedupColumns: [], dedupHashMatching: false }
const first = 'First,Last,Email\nAda,King,a@x\nBob,Ray,b@x\nBob,Ray,c@x\n'
const refused = (code: string, message: unknown = expect.any(String)) => ({
  status: 409,
  body: { error: { code, message } },
})
const fieldOf = async (name: string) => {
  const found = (await ann.get(`${service}/fields/details`)).json<FieldEntry[]>().find((field) => field.name === name)
  if (!found) throw new Error(`no field ${name}`)
  return found
}
async function retype(name: string, reading: ColumnReading): Promise<void> {
  const { _id } = await fieldOf(name)
  expect(await ann.put(`${service}/fields/${_id}/type`, { reading, broken: 0 })).toMatchObject({ status: 200 })
  await vi.waitFor(async () => expect(await fieldOf(name)).toMatchObject({ type: reading.type, typeChange: null }), {
    timeout: 20_000,
  })
}

test('an undo restores contacts with values, keys, PURLs, events and history, also those entered in a form', async () => {
  const long = 'x'.repeat(3000)
  await load(
    `First,Last,Email,Amount,Is,Day,At,Note\nAda,King,a@x,0.1,true,2024-02-29,2024-02-29T10:00:00.123Z,${long}\n`,
    { typeCasting: true },
  )
  await load('First,Last,Email,Amount\nAda,Queen,a@x,1e-7\nBob,Ray,b@x,\nBob,Ray,c@x,3\n', { typeCasting: true })
  const [ada] = await contactsOf(ann)
  const changes = { First: { from: 'Ada', to: 'Augusta' } }
  expect(await ann.put(`${offers}/${ada?._id}`, { changes })).toMatchObject({ status: 200 })
  expect(await ann.post(offers, { values: { First: 'Eve', Email: 'e@x' } })).toMatchObject({ status: 201 })
  const { db } = portal.parts.database
  await recordEvents(db, ann.account, [newEvent(ada?._id ?? ''), newEvent(ada?._id ?? '', { code: 'open' })])
  const before = await allRows(portal, ann)
  const listed = await contactsOf(ann)
  expect(before).toMatchObject({ contacts: { length: 4 }, events: { length: 2 }, import_changes: { length: 1 } })

  const { _id, ...made } = await deleteBy(ann, all, 4)
  expect(made).toMatchObject({ restorableRecords: 4, restore: null })
  const days = (Date.parse(made.restorableUntil ?? '') - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThan(30)
  expect(Object.values(await allRows(portal, ann)).flat()).toEqual([])

  expect(await restored(ann, _id)).toMatchObject({
    restorableRecords: 0,
    restorableUntil: null,
    restore: {
      status: 'completed',
      by: ann.email,
      restoredRecords: 4,
      missingRecords: 0,
      missingValues: 0,
      reason: null,
    },
  })
  expect(await allRows(portal, ann)).toEqual(before)
  expect(await contactsOf(ann)).toEqual(listed)
  expect(await countKept(portal, ann)).toBe(0)
  expect(await askRestore(ann, _id)).toMatchObject(refused('not_restorable', 'This delete has been undone.'))
  // They can be deleted and restored again.
  expect(await restored(ann, (await deleteBy(ann, all, 4))._id)).toMatchObject({ restore: { restoredRecords: 4 } })
  expect(await allRows(portal, ann)).toEqual(before)
})

test('an undo restores only the contacts of the filter, including columns in a further table', async () => {
  const names = Array.from({ length: 301 }, (_, at) => (at === 0 ? 'Email' : `Column ${at}`))
  const row = (email: string) =>
    [email, ...names.slice(1).map((_, at) => (at % 100 === 99 ? `${email} ${at}` : ''))].join()
  await load([names.join(), row('a@x'), row('b@x')].join('\n'), { generatePURL: false, purlColumns: [] })
  const before = await allRows(portal, ann)
  expect(before).toMatchObject({ contacts_2: { length: 2 } })
  const { _id } = await deleteBy(ann, [{ $match: { 'Column 300': 'a@x 299' } }], 1)
  expect(await contactsOf(ann)).toMatchObject([{ Email: 'b@x' }])
  await restored(ann, _id)
  expect(await allRows(portal, ann)).toEqual(before)
})

test('an import can be undone after its deleted contacts are restored', async () => {
  await load(first)
  const second = await load('First,Last,Email\nAda,Queen,a@x\nEve,Moor,e@x\n')
  const { _id } = await deleteBy(ann, all, 4)
  await restored(ann, _id)
  expect(await ann.post(`${service}/imports/${second._id}/undo`)).toMatchObject({ status: 202 })
  await expect.poll(async () => (await contactsOf(ann)).map(({ Last }) => Last)).toEqual(['King', 'Ray', 'Ray'])
})

describe('a contact stays deleted', () => {
  test('while another one has its dedup key, and can be restored after that one is gone', async () => {
    await load(first)
    const { _id } = await deleteBy(ann, all, 3)
    await load('First,Last,Email\nBea,Roy,B@X\n')
    expect(await restored(ann, _id)).toMatchObject({
      restorableRecords: 1,
      restorableUntil: expect.any(String) as string,
      restore: { status: 'completed', restoredRecords: 2, missingRecords: 1 },
    })
    const [missing] = await missingOf(ann, _id)
    expect(missing).toEqual({ contact: expect.any(String) as string, fields: ['Email'], reason: 'key_taken' })
    expect((await contactsOf(ann)).map(({ First, purl }) => [First, purl])).toEqual([
      ['Ada', 'adaking'],
      ['Bob', 'bobray2'],
      ['Bea', 'bearoy'],
    ])
    await deleteBy(ann, [{ $match: { First: 'Bea' } }], 1)
    expect(await restored(ann, _id)).toMatchObject({
      restorableRecords: 0,
      restore: { restoredRecords: 3, missingRecords: 0 },
    })
    expect((await contactsOf(ann)).map(({ purl }) => purl)).toEqual(['adaking', 'bobray', 'bobray2'])
  })

  test('while another one has its value in a unique index', async () => {
    await load(first, keyless)
    const { _id } = await deleteBy(ann, all, 3)
    await load('First,Last,Email\nBea,Roy,b@x\n', keyless)
    await createIndex(ann, { Email: 1 }, { unique: true, name: 'emails' })
    await expect.poll(() => customIndexes(ann)).toMatchObject([{ state: 'ready' }])
    expect(await restored(ann, _id)).toMatchObject({ restore: { restoredRecords: 2, missingRecords: 1 } })
    expect(await missingOf(ann, _id)).toMatchObject([{ fields: ['Email'], reason: 'value_taken' }])
    expect((await contactsOf(ann)).map(({ First }) => First)).toEqual(['Ada', 'Bob', 'Bea'])
  })
})

describe('restoring contacts after a field has changed', () => {
  const oddFile = 'Email,Score\na@x,007\nb@x,n/a\nc@x,"$2,490.18"\nd@x,\ne@x,5\n'
  const scores = async () => (await contactsOf(ann)).map(({ Score }) => Score)
  const settings = { generatePURL: false, purlColumns: [] }

  test('in type: values are converted like all others, and changing back restores their texts', async () => {
    await load(oddFile, settings)
    const before = await scores()
    const { _id } = await deleteBy(ann, [{ $match: { Email: { $ne: 'e@x' } } }], 4)
    await retype('Score', { type: 'number', decimal: 'point' })
    expect(await restored(ann, _id)).toMatchObject({ restore: { restoredRecords: 4, missingValues: 0 } })
    expect(await scores()).toEqual([7, undefined, 2490.18, undefined, 5])
    const again = await deleteBy(ann, [{ $match: { Email: { $ne: 'e@x' } } }], 4)
    await retype('Score', { type: 'string' })
    await restored(ann, again._id)
    expect(await scores()).toEqual(before)
  })

  test('in type before the delete: numbers are restored with their written texts', async () => {
    await load(oddFile, settings)
    await retype('Score', { type: 'number', decimal: 'point' })
    // The column used before the change is obsolete and is removed later.
    await query(`UPDATE ${schema()}.contacts SET c2 = NULL`)
    const before = await allRows(portal, ann)
    await restored(ann, (await deleteBy(ann, all, 5))._id)
    expect(await allRows(portal, ann)).toEqual(before)
  })

  test('in type without a known conversion: each lost value is counted and listed', async () => {
    await load(oddFile, settings)
    const { _id } = await deleteBy(ann, [{ $match: { Email: { $ne: 'e@x' } } }], 4)
    await retype('Score', { type: 'number', decimal: 'point' })
    await query(`DELETE FROM ${schema()}.field_retypes`)
    expect(await restored(ann, _id)).toMatchObject({ restore: { restoredRecords: 4, missingValues: 3 } })
    const missing = await missingOf(ann, _id)
    expect(missing.map(({ fields, reason }) => [fields, reason])).toEqual(
      Array.from({ length: 3 }, () => [['Score'], 'retyped']),
    )
  })

  test('through an import that widened it: values become texts, and days become moments', async () => {
    await query(`UPDATE portico.accounts SET time_zone = 'Europe/Zurich' WHERE id = $1`, ann.account)
    const typed = { ...settings, typeCasting: true, onMismatch: 'text' }
    const columns = 'Email,Born,Size,Member,Seen'
    await load(
      `${columns}\na@x,2024-04-25,0.0000001,true,2024-04-25 09:30\nb@x,2024-04-25,2,true,2024-04-25 09:30\n`,
      typed,
    )
    const { _id } = await deleteBy(ann, [{ $match: { Email: 'a@x' } }], 1)
    await load(`${columns}\nc@x,2024-04-25 09:30,small,perhaps,once\n`, typed)
    await restored(ann, _id)
    const widened = { Born: '2024-04-24T22:00:00.000Z', Member: 'true', Seen: '2024-04-25T07:30:00.000Z' }
    expect((await contactsOf(ann)).slice(0, 2)).toMatchObject([
      { ...widened, Size: '0.0000001' },
      { ...widened, Size: '2' },
    ])
  })

  test('by being deleted: the value is restored with the field, and neither can be after 30 days', async () => {
    await load(oddFile, settings)
    const [contact] = await contactsOf(ann)
    const changes = { Score: { from: '007', to: '8' } }
    await ann.put(`${offers}/${contact?._id}`, { changes })
    const before = await allRows(portal, ann)
    const hidden = await deleteBy(ann, all, 5)
    const { _id: field } = await fieldOf('Score')
    expect(await ann.delete(`${service}/fields/${field}`)).toMatchObject({ status: 200 })
    await restored(ann, hidden._id)
    expect(await allRows(portal, ann)).toEqual(before)

    const gone = await deleteBy(ann, all, 5)
    expect(await removeDeletedFields(portal.parts.database.db, ann.account, new Date(Date.now() + 31 * 864e5))).toBe(1)
    expect(await restored(ann, gone._id)).toMatchObject({ restore: { restoredRecords: 5, missingValues: 0 } })
    expect((await contactsOf(ann)).map(({ Email }) => Email)).toHaveLength(5)
    expect(await allRows(portal, ann)).toMatchObject({ contact_changes: [] })
  })
})

describe('a delete cannot be undone', () => {
  test('after its contents are erased', async () => {
    await load(first)
    const { _id } = await deleteBy(ann, all, 3)
    expect(await countKept(portal, ann)).toBeGreaterThan(3)
    const contents = `${service}/deletes/${_id}/contents`
    expect(await ann.delete(contents, { deletedRecords: 2 })).toMatchObject({
      status: 409,
      body: {
        error: { code: 'count_changed', details: { count: 3 }, message: expect.stringContaining('Nothing was erased') },
      },
    })
    for (const deletedRecords of [0, 1.5, '3', undefined]) {
      expect(await ann.delete(contents, { deletedRecords })).toMatchObject({ status: 400 })
    }
    expect(await ann.delete(contents, { deletedRecords: 3 })).toMatchObject({ status: 200, body: { erasedRecords: 3 } })
    expect(await countKept(portal, ann)).toBe(0)
    const reason = 'The contacts of this delete were erased for good.'
    expect(await askRestore(ann, _id)).toMatchObject(refused('not_restorable', reason))
    expect(await ann.delete(contents, { deletedRecords: 3 })).toMatchObject(refused('not_restorable', reason))
    expect(await readDelete(ann, _id)).toMatchObject({ restorableRecords: 0, restorableUntil: null })
    const { rows } = await query(
      `SELECT action, subject FROM portico.audit_log WHERE account_id = $1 AND action ~ 'delete' ORDER BY id`,
      ann.account,
    )
    expect(rows).toEqual([
      { action: 'contacts deleted', subject: '3 contacts' },
      { action: 'deleted contacts erased', subject: '3 contacts' },
    ])
  })

  test('30 days after its end, when its rows are removed, even after an interruption', async () => {
    await load(first)
    const { _id } = await deleteBy(ann, all, 3)
    const { db } = portal.parts.database
    await forgetOldDeletes(db, ann.account, new Date(Date.now() + 29 * 864e5))
    expect(await readDelete(ann, _id)).toMatchObject({ restorableRecords: 3 })
    await query(`UPDATE ${schema()}.deletes SET completed_at = completed_at - interval '30 days 1 minute'`)
    const reason = 'This delete ended more than 30 days ago and cannot be undone any more.'
    expect(await askRestore(ann, _id)).toMatchObject(refused('not_restorable', reason))
    await query(`UPDATE ${schema()}.deletes SET contents = 'expired'`)
    await forgetOldDeletes(db, ann.account)
    expect(await countKept(portal, ann)).toBe(0)
    expect(await askRestore(ann, _id)).toMatchObject(refused('not_restorable', reason))
  })

  test('made by an earlier release', async () => {
    await load(first)
    const { _id } = await deleteBy(ann, all, 3)
    await query(`UPDATE ${schema()}.deletes SET contents = 'none', kept_records = 0`)
    const reason = 'This delete was made before deletes could be undone.'
    expect(await askRestore(ann, _id)).toMatchObject(refused('not_restorable', reason))
  })

  test('after the import of its contacts is undone or the dedup columns have changed', async () => {
    const imported = await load(first)
    const { _id } = await deleteBy(ann, all, 3)
    await ann.post(`${service}/imports/${imported._id}/undo`)
    await expect
      .poll(async () => (await ann.get(`${service}/imports/${imported._id}`)).body)
      .toMatchObject({ undo: { status: 'completed' }, binds: false })
    expect(await askRestore(ann, _id)).toMatchObject(
      refused('not_restorable', expect.stringContaining(`"${imported.name}" of these contacts was taken back`)),
    )
    await load('Mail,Name\na@x,Ada\n', keyless)
    const other = await deleteBy(ann, all, 1)
    const keyed = await load('Mail,Name\nb@x,Bob\n', { ...keyless, dedupColumns: ['Mail'], dedupHashMatching: true })
    expect(await askRestore(ann, other._id)).toMatchObject(
      refused('not_restorable', expect.stringContaining(`Since the import "${keyed.name}"`)),
    )
  })

  test('of contacts entered in a form, after the imports that define their keys are undone', async () => {
    const imported = await load(first)
    expect(await ann.post(offers, { values: { First: 'Eve', Email: 'e@x' } })).toMatchObject({ status: 201 })
    const { _id } = await deleteBy(ann, [{ $match: { First: 'Eve' } }], 1)
    await ann.post(`${service}/imports/${imported._id}/undo`)
    const read = async () => (await ann.get(`${service}/imports/${imported._id}`)).body
    await expect.poll(read).toMatchObject({ undo: { status: 'completed' }, binds: false })
    expect(await askRestore(ann, _id)).toMatchObject(
      refused('not_restorable', expect.stringContaining('The imports whose rules these contacts follow')),
    )
  })
})
