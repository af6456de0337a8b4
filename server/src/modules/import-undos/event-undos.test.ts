import type { UndoFigures } from '@portico/contract/import-undo'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { deleteBy, restored } from '#test/resources/delete-undos.ts'
import { contactsOf, ended, submitEvents } from '#test/resources/imports.ts'
import { addThreeEvents, editField, memberWithTwins, merged } from '#test/resources/merges.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Undoing an import of events deletes its events, whichever contact has them by now, and no others.

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

const imports = '/contact-service/v1/imports'
const file = `Email,event_code,event_date,price
a@x,bought,2026-05-01,1
b@x,bought,2026-05-02,2
c@x,bought,2026-05-03,3
c@x,returned,2026-05-04,3
`
const nothing = {
  removedContacts: 0,
  removedOthers: 0,
  returnedContacts: 0,
  keptContacts: 0,
  keptValues: 0,
  removedFields: [],
  kept: [],
}

const read = async (id: string) => (await ann.get(`${imports}/${id}`)).json<Import>()
const figures = async (id: string) => (await ann.get(`${imports}/${id}/undo`)).json<UndoFigures>()
const load = async () => ended(ann, (await submitEvents(portal, ann, file))._id)

async function codesOf(id: string): Promise<string[]> {
  const events = (await ann.get(`/contact-service/v1/offers/${id}/events`)).json<{ event_code: string }[]>()
  return events.map((event) => event.event_code).toSorted()
}

/** Undoes an import and waits for the end. */
async function undone(id: string): Promise<UndoFigures> {
  expect(await ann.post(`${imports}/${id}/undo`)).toMatchObject({ status: 202, body: { undo: { status: 'waiting' } } })
  await vi.waitUntil(async () => (await read(id)).undo?.status === 'completed', { timeout: 20_000, interval: 20 })
  return figures(id)
}

test('an undo of an import of events deletes its events, also those that a merge has moved, and no others', async () => {
  await addThreeEvents(portal, ann, a, b)
  const { _id } = await load()
  const other = await load()
  const { delete: merge, movedEvents } = await merged(ann, a, b)
  expect(movedEvents).toBe(4)
  expect(await figures(_id)).toEqual({ ...nothing, removedEvents: 4 })
  expect(await read(_id)).toMatchObject({ createdRecords: 4, undoUntil: expect.any(String), binds: true })
  expect(await undone(_id)).toEqual({ ...nothing, removedEvents: 4 })
  expect(await read(_id)).toMatchObject({ undo: { status: 'completed', by: ann.email }, undoUntil: null, binds: false })
  expect(await codesOf(a)).toEqual(['bought', 'bought', 'page_view', 'page_view', 'page_view'])
  expect(await codesOf(c)).toEqual(['bought', 'returned'])
  expect(await ann.post(`${imports}/${_id}/undo`)).toMatchObject({
    status: 409,
    body: { error: { code: 'not_undoable' } },
  })

  await undone(other._id)
  // The merge kept the events of the other contact.
  expect(await restored(ann, merge)).toMatchObject({ restore: { restoredRecords: 1, missingRecords: 0 } })
  expect([await codesOf(a), await codesOf(b), await codesOf(c)]).toEqual([
    ['page_view'],
    ['page_view', 'page_view'],
    [],
  ])
})

test('contacts that return from a delete come without events whose import was taken back, in whole or in part', async () => {
  await addThreeEvents(portal, ann, a, c)
  const whole = await load()
  const part = await load()
  const { _id } = await deleteBy(ann, [{ $match: { Email: { $in: ['b@x', 'c@x'] } } }], 2)
  expect(await undone(whole._id)).toMatchObject({ removedEvents: 1 })
  await undone(part._id)
  // As if it had ended after the third row.
  const { rowCount } = await portal.parts.database.pool.query(
    `UPDATE account_${ann.account}.imports SET undo_status = 'rejected', undo = undo || $2 WHERE id = $1`,
    [part._id, { eventsUpTo: `${part._id.padStart(8, '0')}-0000-8000-8000-000000000002` }],
  )
  expect(rowCount).toBe(1)
  expect(await restored(ann, _id)).toMatchObject({ restore: { restoredRecords: 2, missingRecords: 0 } })
  expect([await codesOf(a), await codesOf(b), await codesOf(c)]).toEqual([
    ['page_view'],
    [],
    ['page_view', 'page_view', 'returned'],
  ])
  // Counted on from there.
  expect(await undone(part._id)).toMatchObject({ removedEvents: 2 })
  expect(await codesOf(c)).toEqual(['page_view', 'page_view'])
})

test('an import of contacts that was kept for its events goes after these were taken back, edited contacts stay', async () => {
  const { _id } = await load()
  await editField(ann, a, 'City', 'Bern', 'Lima')
  expect(await figures('1')).toMatchObject({ removedContacts: 0, keptContacts: 3 })
  await undone(_id)
  expect(await undone('1')).toMatchObject({ removedContacts: 2, kept: [{ contact: a, reason: 'edited' }] })
})

test('contacts whose import was taken back go with their last events, unless people brought them back since', async () => {
  const { _id: events } = await load()
  const { _id: other } = await load()
  expect(await undone('1')).toMatchObject({ removedContacts: 0, keptContacts: 3 })
  const { _id: deleted } = await deleteBy(ann, [{ $match: { First: 'Bob' } }], 1)
  expect(await restored(ann, deleted)).toMatchObject({ restore: { restoredRecords: 1 } })
  expect(await undone(events)).toMatchObject({ removedOthers: 0, removedEvents: 4 })
  expect(await figures(other)).toMatchObject({ removedOthers: 2, removedEvents: 4 })
  expect(await undone(other)).toMatchObject({ removedOthers: 2, removedEvents: 4 })
  expect((await contactsOf(ann)).map(({ First }) => First)).toEqual(['Bob'])
})

test('an import of events of an earlier release can be taken back, with the right to delete and to change contacts', async () => {
  const { _id } = await load()
  await portal.parts.database.pool.query(`UPDATE account_${ann.account}.imports SET records_changes = false`)
  const refused = { status: 403, body: { error: { code: 'not_allowed' } } }
  for (const right of ['delete', 'put']) {
    const some = await memberWith(portal, ann.account, {
      actions: ['contact-service::imports::*', `contact-service::offers::${right}`],
    })
    expect(await some.post(`${imports}/${_id}/undo`)).toMatchObject(refused)
  }
  const stranger = await portal.member(await portal.account())
  expect(await stranger.post(`${imports}/${_id}/undo`)).toMatchObject({ status: 404 })
  expect(await undone(_id)).toMatchObject({ removedEvents: 4 })
})
