import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import {
  allRows,
  askRestore,
  countKept,
  deleteBy,
  listDeletes,
  missingOf,
  restored,
} from '#test/resources/delete-undos.ts'
import { contactsOf, importFile, withPurl } from '#test/resources/imports.ts'
import {
  addThreeEvents,
  addUniqueIndex,
  type BothValues,
  changesOfContact,
  differing,
  editField,
  memberWithTwins,
  merged,
  readContact,
} from '#test/resources/merges.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Undoing the merge of two contacts, and erasing what it keeps.

let portal: TestPortal
let ann: Member
let a: string
let b: string
let c: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  ;({ member: ann, a, b, c } = await memberWithTwins(portal))
})

const service = '/contact-service/v1'
const offers = `${service}/offers`
const load = (content: string) => importFile(portal, ann, content, { ...withPurl })
const refused = (code: string, status: number, more: object = {}) => ({ status, body: { error: { code, ...more } } })

describe('an undone merge', () => {
  const eventsOf = async (id: string) => (await ann.get(`${offers}/${id}/events`)).json<unknown[]>().length
  const intoC: BothValues = {
    First: ['Bob', 'Ada'],
    Last: ['Ray', 'King'],
    Email: ['c@x', 'a@x'],
    City: ['Oslo', 'Bern'],
    Phone: [null, '555'],
  }

  test('leaves both contacts as they were, with all of theirs', async () => {
    await addThreeEvents(portal, ann, a, b)
    const before = await allRows(portal, ann)
    const { delete: id } = await merged(ann, a, b, { ...differing, Email: ['a@x', 'b@x', 'other'] })
    expect(await restored(ann, id)).toMatchObject({
      restore: { status: 'completed', restoredRecords: 1, missingValues: 0 },
    })
    const after = await allRows(portal, ann)
    // The history says both.
    expect({ ...after, contact_changes: [] }).toEqual({ ...before, contact_changes: [] })
    expect(await changesOfContact(ann, a)).toMatchObject([
      {
        kind: 'undone',
        merged: { contact: b },
        values: [{ field: 'Email', from: 'b@x', to: 'a@x' }, { field: 'Phone' }],
      },
      { kind: 'merged', isUndone: true },
    ])
    expect(await countKept(portal, ann)).toBe(0)
    expect(await askRestore(ann, id)).toMatchObject(refused('not_restorable', 409))
    // By its own key again.
    await load('First,Last,Email,City,Phone\nAda,King,b@x,Paris,\n')
    expect([await readContact(ann, a), await readContact(ann, b)]).toMatchObject([{ City: 'Bern' }, { City: 'Paris' }])
  })

  test('keeps values that were changed since, and tells them', async () => {
    const { delete: id } = await merged(ann, a, b, { ...differing, City: ['Bern', 'Rome', 'other'] })
    expect((await editField(ann, a, 'City', 'Rome', 'Lima')).status).toBe(200)
    expect(await restored(ann, id)).toMatchObject({ restore: { restoredRecords: 1, missingValues: 1 } })
    expect(await missingOf(ann, id)).toEqual([{ contact: a, fields: ['City'], reason: 'changed' }])
    expect(await readContact(ann, a)).toMatchObject({ City: 'Lima' })
    expect((await readContact(ann, a))['Phone']).toBeUndefined()
  })

  test('changes nothing where one of the two could not be as before', async () => {
    const { delete: id } = await merged(ann, a, b)
    await addUniqueIndex(ann, 'City')
    expect((await editField(ann, c, 'City', 'Oslo', 'Rome')).status).toBe(200)
    expect((await restored(ann, id)).restore).toMatchObject({
      status: 'completed',
      restoredRecords: 0,
      missingRecords: 1,
    })
    expect(await missingOf(ann, id)).toEqual([{ contact: b, fields: ['City'], reason: 'value_taken' }])
    expect(await readContact(ann, a)).toMatchObject({ Phone: '555' })
    expect((await editField(ann, c, 'City', 'Rome', 'Oslo')).status).toBe(200)
    expect(await restored(ann, id)).toMatchObject({ restore: { restoredRecords: 1 } })
    expect((await readContact(ann, a))['Phone']).toBeUndefined()
  })

  test('comes after later merges of the same contact', async () => {
    await addThreeEvents(portal, ann, a, b)
    const before = await allRows(portal, ann)
    const first = await merged(ann, a, b)
    const second = await merged(ann, c, a, intoC)
    expect(second.movedEvents).toBe(3)
    expect(await contactsOf(ann)).toMatchObject([{ _id: c, Phone: '555' }])
    expect(await askRestore(ann, first.delete)).toMatchObject(refused('not_restorable', 409))
    await restored(ann, second.delete)
    await restored(ann, first.delete)
    const after = await allRows(portal, ann)
    expect({ ...after, contact_changes: [] }).toEqual({ ...before, contact_changes: [] })
  })

  test('returns the other contact with its events after the one that stayed was deleted, which can return too', async () => {
    await addThreeEvents(portal, ann, a, b)
    const { delete: id } = await merged(ann, a, b)
    const { _id: later } = await deleteBy(ann, [{ $match: { Email: 'a@x' } }], 1)
    await restored(ann, id)
    expect((await ann.get(`${offers}/${b}/events`)).json()).toHaveLength(2)
    expect(await restored(ann, later)).toMatchObject({ restore: { restoredRecords: 1 } })
    expect((await ann.get(`${offers}/${a}/events`)).json()).toHaveLength(1)
    expect((await ann.get(`${offers}/${b}/events`)).json()).toHaveLength(2)
  })

  test('leaves the events to its contact when the two are deleted and return in any order', async () => {
    await addThreeEvents(portal, ann, a, b)
    const { delete: id } = await merged(ann, a, b)
    const first = await deleteBy(ann, [{ $match: { Email: 'a@x' } }], 1)
    await restored(ann, id)
    const second = await deleteBy(ann, [{ $match: { Email: 'b@x' } }], 1)
    expect(await restored(ann, first._id)).toMatchObject({ restore: { restoredRecords: 1, missingRecords: 0 } })
    expect(await eventsOf(a)).toBe(1)
    expect(await restored(ann, second._id)).toMatchObject({ restore: { restoredRecords: 1, missingRecords: 0 } })
    expect([await eventsOf(a), await eventsOf(b)]).toEqual([1, 2])
    expect(await countKept(portal, ann)).toBe(0)
  })

  test('leaves the events to its contact after a later merge of a contact that was deleted then', async () => {
    await addThreeEvents(portal, ann, a, b)
    const first = await merged(ann, a, b)
    const second = await merged(ann, c, a, intoC)
    const { _id: later } = await deleteBy(ann, [{ $match: { Email: 'c@x' } }], 1)
    await restored(ann, first.delete)
    const { _id: last } = await deleteBy(ann, [{ $match: { Email: 'b@x' } }], 1)
    for (const id of [second.delete, later, last]) {
      expect(await restored(ann, id)).toMatchObject({ restore: { restoredRecords: 1, missingRecords: 0 } })
    }
    expect([await eventsOf(a), await eventsOf(b), await eventsOf(c)]).toEqual([1, 2, 0])
  })

  test('leaves nothing of its contact with the other, so that erasing it for good erases all of its events', async () => {
    await addThreeEvents(portal, ann, a, b)
    const { delete: id } = await merged(ann, a, b)
    const { _id: later } = await deleteBy(ann, [{ $match: { Email: 'a@x' } }], 1)
    await restored(ann, id)
    const { _id } = await deleteBy(ann, [{ $match: { Email: 'b@x' } }], 1)
    expect(await ann.delete(`${service}/deletes/${_id}/contents`, { deletedRecords: 1 })).toMatchObject({ status: 200 })
    const schema = `account_${ann.account}`
    const kept = await portal.parts.database.pool.query(`SELECT FROM ${schema}.deleted_rows WHERE source = 'events'`)
    expect(kept.rowCount).toBe(1)
    await restored(ann, later)
    expect(await eventsOf(a)).toBe(1)
  })

  test('returns the keys of earlier merges too, and a deleted contact that had them since returns without', async () => {
    const ofC: BothValues = {
      First: ['Ada', 'Bob'],
      Last: ['King', 'Ray'],
      Email: ['b@x', 'c@x'],
      City: ['Rome', 'Oslo'],
      Phone: ['555', null],
    }
    await merged(ann, b, c, ofC)
    const { delete: id } = await merged(ann, a, b)
    const { _id: later } = await deleteBy(ann, [{ $match: { Email: 'a@x' } }], 1)
    expect(await restored(ann, id)).toMatchObject({ restore: { restoredRecords: 1 } })
    expect(await restored(ann, later)).toMatchObject({ restore: { status: 'completed', restoredRecords: 1 } })
    await load('First,Last,Email,City,Phone\nBob,Ray,c@x,Lima,\n')
    expect([await readContact(ann, a), await readContact(ann, b)]).toMatchObject([{ City: 'Bern' }, { City: 'Lima' }])
  })

  test('takes the right to change contacts, too', async () => {
    const { delete: id } = await merged(ann, a, b)
    const member = await memberWith(portal, ann.account, {
      actions: ['contact-service::offers::delete', 'contact-service::offers::get'],
    })
    expect(await askRestore(member, id)).toMatchObject(refused('not_allowed', 403))
  })
})

test('erasing a deleted contact for good erases those that were merged into it', async () => {
  await merged(ann, a, b)
  const { _id } = await deleteBy(ann, [{ $match: { Email: 'a@x' } }], 1)
  expect(await ann.delete(`${service}/deletes/${_id}/contents`, { deletedRecords: 1 })).toMatchObject({ status: 200 })
  expect(await countKept(portal, ann)).toBe(0)
  expect(await listDeletes(ann)).toMatchObject([{ restorableUntil: null }, { restorableUntil: null, mergedInto: a }])
})
