import type { AuditEntry } from '@portico/contract/audit'
import type { Stages } from '@portico/contract/filter'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memberWith, setConditions } from '#test/resources/access.ts'
import { listDeletes } from '#test/resources/delete-undos.ts'
import { contactsOf, ended, importFile, upload, withPurl } from '#test/resources/imports.ts'
import {
  addThreeEvents,
  addUniqueIndex,
  askMerge,
  type BothValues,
  changesOfContact,
  differing,
  editField,
  memberWithTwins,
  merged,
  readContact,
  twins,
} from '#test/resources/merges.ts'
import { addAccess, readOffer, stranger, untilServed } from '#test/resources/remote-accesses.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Merging a contact into another one.

let portal: TestPortal
let ann: Member
let a: string
let b: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  ;({ member: ann, a, b } = await memberWithTwins(portal))
})

const service = '/contact-service/v1'
const offers = `${service}/offers`
const load = (content: string) => importFile(portal, ann, content, { ...withPurl })
const idOf = async (email: string) => (await contactsOf(ann)).find(({ Email }) => Email === email)?._id ?? ''
/** Imports events whose contacts are named by their PURLs. */
async function importEvents(content: string): Promise<void> {
  const draft = { kind: 'events', name: 'Clicks', filePath: 'clicks.csv', fileDelimiter: 'comma', processBatchSize: 25 }
  await upload(portal, ann, draft.filePath, content)
  const answer = await ann.post(`${service}/imports`, { ...draft, keyColumn: 'purl', keyField: 'PURL' })
  expect(answer).toMatchObject({ status: 201 })
  expect(await ended(ann, answer.json<{ _id: string }>()._id)).toMatchObject({ status: 'completed', createdRecords: 1 })
}
const refused = (code: string, status: number, more: object = {}) => ({ status, body: { error: { code, ...more } } })

describe('a merge', () => {
  test('gives the chosen values and the events to one contact, and removes the other', async () => {
    await addThreeEvents(portal, ann, a, b)
    const { movedEvents, delete: id } = await merged(ann, a, b, { ...differing, City: ['Bern', 'Rome', 'other'] })
    expect(movedEvents).toBe(2)
    expect(await readContact(ann, a)).toMatchObject({ Email: 'a@x', City: 'Rome', Phone: '555', purl: 'adaking' })
    expect((await ann.get(`${offers}/${a}/events`)).json()).toHaveLength(3)
    expect((await ann.get(`${offers}/${b}`)).status).toBe(404)
    expect(await changesOfContact(ann, a)).toMatchObject([
      {
        kind: 'merged',
        changedBy: ann.email,
        merged: { contact: b, delete: id },
        values: [
          { field: 'City', from: 'Bern', to: 'Rome' },
          { field: 'Phone', from: null, to: '555' },
        ],
        isUndone: false,
      },
    ])
    expect(await listDeletes(ann)).toMatchObject([
      { _id: id, mergedInto: a, status: 'completed', restorableRecords: 1 },
    ])
    const log = (await ann.get('/identity/v1/audit?what=contacts%20')).json<AuditEntry[]>()
    const entry = log.find(({ action }) => action === 'contacts merged')
    expect(entry).toMatchObject({
      subject: `contact ${a}`,
      details: { merged: b, delete: id, fields: ['City', 'Phone'] },
    })
    expect(JSON.stringify(entry)).not.toMatch(/Rome|555|Bern/)
  })

  test('is part of the history even if it changes no value', async () => {
    await merged(ann, a, b, { ...differing, Phone: [null, '555', 'kept'] })
    expect(await changesOfContact(ann, a)).toMatchObject([{ kind: 'merged', values: [] }])
    expect((await readContact(ann, a))['Phone']).toBeUndefined()
  })

  test('can give a contact the value of a unique index that the other one had', async () => {
    await addUniqueIndex(ann, 'Email')
    await merged(ann, a, b, { ...differing, Email: ['a@x', 'b@x', 'other'] })
    expect(await readContact(ann, a)).toMatchObject({ Email: 'b@x' })
  })

  test('lets later imports find the contact by the keys of both', async () => {
    await merged(ann, a, b, { ...differing, Email: ['a@x', 'b@x', 'other'] })
    const done = await load('First,Last,Email,City,Phone\nAda,King,A@x,Paris,\nAda,King,b@x,,777\nDan,Poe,d@x,Rome,1\n')
    expect(done).toMatchObject({ status: 'completed' })
    expect(await contactsOf(ann)).toHaveLength(3)
    expect(await readContact(ann, a)).toMatchObject({ City: 'Paris', Phone: '777', purl: 'adaking' })
    // Nor can a key of the other one be entered again, until the merge is undone.
    const entered = await ann.post(offers, { values: { First: 'Ada', Last: 'King', Email: 'a@x' } })
    expect(entered).toMatchObject(refused('key_taken', 409, { details: { contact: a } }))
  })

  test('leads the PURL of the other contact to the one that stays, and gives it to no one else', async () => {
    const { _id } = await addAccess(ann, { filter: '{"purl":"{{purl}}"}', publicColumns: 'City' })
    await untilServed(ann, _id)
    const shop = stranger(portal, 'https://shop.example.com')
    expect(await readOffer(shop, ann.account, { purl: 'adaking2' })).toMatchObject({ body: { City: 'Rome' } })
    await merged(ann, a, b)
    for (const purl of ['adaking', 'adaking2']) {
      expect(await readOffer(shop, ann.account, { purl })).toMatchObject({ status: 200, body: { City: 'Bern' } })
    }
    await load('First,Last,Email\nAda,King,e@x\n')
    expect(await readContact(ann, await idOf('e@x'))).toMatchObject({ purl: 'adaking3' })
    const events = 'purl,event_code,event_date\nadaking2,click,2026-01-02\n'
    await importEvents(events)
    expect((await ann.get(`${offers}/${a}/events`)).json()).toHaveLength(1)
  })
})

describe('a merge is refused', () => {
  test('where a value is not the one that was shown, with who changed it and when', async () => {
    expect((await editField(ann, b, 'City', 'Rome', 'Lima')).status).toBe(200)
    const changed = { contact: b, field: 'City', expected: 'Rome', current: 'Lima', changedBy: ann.email }
    expect(await askMerge(ann, a, b)).toMatchObject(
      refused('value_changed', 409, { details: [{ ...changed, changedAt: expect.any(String) }] }),
    )
    const { City: _city, ...others } = differing
    expect(await askMerge(ann, a, b, others)).toMatchObject(refused('value_changed', 409))
    expect(await readContact(ann, b)).toMatchObject({ City: 'Lima' })
  })

  test('for input that names no two contacts, or no field', async () => {
    expect(await askMerge(ann, a, a, {})).toMatchObject(refused('invalid_input', 400))
    expect(await askMerge(ann, a, b, { ...differing, Nothing: [null, null] })).toMatchObject(
      refused('invalid_input', 400),
    )
    expect(await askMerge(ann, a, '999')).toMatchObject(refused('not_found', 404))
    expect(await askMerge(ann, a, 'x')).toMatchObject(refused('not_found', 404))
  })

  test('for members of another account, whose contacts cannot be named either', async () => {
    const other = await portal.member(await portal.account())
    expect(await askMerge(other, a, b)).toMatchObject(refused('not_found', 404))
    expect(await importFile(portal, other, twins, withPurl)).toMatchObject({ status: 'completed' })
    const [theirs] = await contactsOf(other)
    // Ids are the same in both accounts, so it is another contact of one's own that is meant.
    expect(await askMerge(other, theirs?._id ?? '', theirs?._id ?? '')).toMatchObject(refused('invalid_input', 400))
    expect(await contactsOf(ann)).toHaveLength(3)
  })

  test('without the right to change the one, to delete the other, or to read both', async () => {
    const [change, remove, look] = ['put', 'delete', 'get'].map((method) => `contact-service::offers::${method}`)
    const by = (...actions: (string | undefined)[]) =>
      memberWith(portal, ann.account, { actions: actions.filter((action) => action !== undefined) })
    for (const member of [await by(remove, look), await by(change, look), await by(change, remove)]) {
      expect(await askMerge(member, a, b)).toMatchObject(refused('not_allowed', 403))
    }
    const conditional = await by(change, remove, look)
    await setConditions(portal, conditional, [`params::id::neq::${a}`])
    expect(await askMerge(conditional, a, b)).toMatchObject(refused('not_allowed', 403))
    expect(await askMerge(await by(change, remove, look), a, b)).toMatchObject({ status: 200 })
  })

  test('where the caller may not read a field of them', async () => {
    const member = await memberWith(
      portal,
      ann.account,
      { actions: ['contact-service::offers::put', 'contact-service::offers::delete'] },
      { actions: ['contact-service::offers::get'], conditions: ['query::select::nin::Phone'] },
    )
    expect(await askMerge(member, a, b)).toMatchObject(refused('not_allowed', 403))
  })

  test.each<[string, Stages, string, number]>([
    ['the other contact', [{ $match: { City: 'Bern' } }], 'not_found', 404],
    [
      'the contact with its new values',
      [{ $match: { City: { $in: ['Bern', 'Rome'] }, Email: 'a@x' } }],
      'not_found',
      404,
    ],
  ])('where a row rule hides %s', async (_what, rule, code, status) => {
    const member = await restrictedMember(portal, ann.account, rule)
    expect(await askMerge(member, a, b)).toMatchObject(refused(code, status))
  })

  test('where the caller would not see the contact any more', async () => {
    const member = await restrictedMember(portal, ann.account, [
      { $match: { $or: [{ City: 'Bern' }, { Email: 'b@x' }] } },
    ])
    const values: BothValues = { ...differing, City: ['Bern', 'Rome', 'other'] }
    expect(await askMerge(member, a, b, values)).toMatchObject(refused('not_allowed', 403))
    expect(await contactsOf(ann)).toHaveLength(3)
  })
})
