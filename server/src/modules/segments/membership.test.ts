import type { Membership, MembershipNode } from '@portico/contract/segments'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/segments'
const nobodys = '00000000-0000-4000-8000-000000000000'

let portal: TestPortal
let owner: Member
/** Ada lives in Chicago, is 30 and has two events; Bob lives in Boston and has no age. */
let [ada, bob] = ['', '']

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  const types = { Name: 'string', City: 'string', Age: 'number', Joined: 'date', Born: 'day' } as const
  const contacts = [
    { Name: 'Ada', City: 'Chicago', Age: 30, Joined: '2026-01-02T03:04:05Z', Born: '1996-02-29' },
    { Name: 'Bob', City: 'Boston' },
  ]
  ;[ada = '', bob = ''] = await addContacts(portal.parts.database, owner.account, types, contacts)
  for (const [event_code, event_date, price] of [
    ['buy', '2026-05-06T07:08:09Z', 12.5],
    ['open', '2026-05-07T07:08:09Z', 0],
  ]) {
    await owner.post(`/contact-service/v1/offers/${ada}/events`, { event_code, event_date, price })
  }
})
afterAll(() => portal.close())

let lastNumber = 0

/** Saves a segment and returns its id. */
async function save(stages: object[], name = `Segment ${++lastNumber}`): Promise<string> {
  const draft = { name, aggregateQuery: JSON.stringify(stages) }
  const answer = await owner.post('/contact-service/v1/rdls', draft)
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<{ _id: string }>()._id
}

const ask = (id: string, contact: string, by: Client = owner) => by.get(`${path}/${id}/contacts/${contact}/why`)

/** Explains a new segment. */
async function why(stages: object[], contact: string, by: Client = owner): Promise<Membership> {
  const answer = await ask(await save(stages), contact, by)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<Membership>()
}

/** A condition on a field, with its value. */
const leaf = (isMet: boolean, condition: object, field: string, value: unknown) => ({
  kind: 'condition',
  isMet,
  condition,
  values: [{ field, value }],
  events: null,
})

describe('why a contact is in a segment', () => {
  test('has each condition with its verdict and the value that it was compared with', async () => {
    const match = { City: 'Chicago', age: { $gte: 18, $lt: 21 }, Born: { $month: 2 }, Joined: { $lt: '2026-01-03' } }
    expect(await why([{ $match: match }, { $match: { purl: null, _id: ada } }], ada)).toEqual({
      isIn: false,
      conditions: [
        leaf(true, { City: 'Chicago' }, 'City', 'Chicago'),
        leaf(false, { age: { $gte: 18, $lt: 21 } }, 'Age', 30),
        leaf(true, { Born: { $month: 2 } }, 'Born', '1996-02-29'),
        leaf(true, { Joined: { $lt: '2026-01-03' } }, 'Joined', '2026-01-02T03:04:05.000Z'),
        leaf(true, { purl: null }, 'purl', null),
        leaf(true, { _id: ada }, '_id', ada),
      ],
      more: 0,
    })
    expect(await why([{ $match: { Age: { $not: { $gt: 5 } } } }], bob)).toMatchObject({
      isIn: true,
      conditions: [leaf(true, { Age: { $not: { $gt: 5 } } }, 'Age', null)],
    })
    expect(await why([], bob)).toEqual({ isIn: true, conditions: [], more: 0 })
  })

  test('shows groups as they are nested, each with its own verdict', async () => {
    const [chicago, boston, young] = [{ City: 'Chicago' }, { City: 'Boston' }, { Age: { $lt: 20 } }]
    const match = { $or: [boston, { $and: [{ $and: [chicago] }, young] }], $nor: [young, { City: 'Rome', Age: 30 }] }
    const [any, none] = (await why([{ $match: match }], ada)).conditions
    expect(any).toMatchObject({
      kind: 'any',
      isMet: false,
      of: [
        { condition: boston, isMet: false },
        {
          kind: 'all',
          isMet: false,
          of: [
            { condition: chicago, isMet: true },
            { condition: young, isMet: false },
          ],
        },
      ],
    })
    expect(none).toMatchObject({
      kind: 'none',
      isMet: true,
      of: [{ isMet: false }, { kind: 'all', isMet: false, of: [{ isMet: false }, { isMet: true }] }],
    })
  })

  test('counts the events that meet a condition, and says when the last of them was', async () => {
    const bought = { $elemMatch: { event_code: 'buy', price: { $gt: 10 } } }
    const match = { events: bought, $and: [{ events: { $not: bought } }, { events: { $elemMatch: { price: 7 } } }] }
    const events = { all: 2, meeting: 1, latest: '2026-05-06T07:08:09.000Z' }
    expect(await why([{ $match: match }], ada)).toMatchObject({
      conditions: [
        { isMet: true, events, values: [] },
        { isMet: false, events },
        { isMet: false, events: { all: 2, meeting: 0, latest: null } },
      ],
    })
    expect((await why([{ $match: match }], bob)).conditions.map(({ isMet }) => isMet)).toEqual([false, true, false])
  })

  test('shows the place of a contact, and no value of a search for words', async () => {
    const place = { location: { $geoWithin: { $centerSphere: [[0, 0], 1] } } }
    const { pool } = portal.parts.database
    const keys = `account_${owner.account}.contact_keys`
    await pool.query(`INSERT INTO ${keys} (id, latitude, longitude) VALUES ($1, 41.5, -87)`, [ada])
    expect((await why([{ $match: { ...place, $text: { $search: 'chic' } } }], ada)).conditions).toEqual([
      {
        kind: 'condition',
        isMet: false,
        condition: place,
        values: [
          { field: 'latitude', value: 41.5 },
          { field: 'longitude', value: -87 },
        ],
        events: null,
      },
      { kind: 'condition', isMet: true, condition: { $text: { $search: 'chic' } }, values: [], events: null },
    ])
  })

  test('shows a segment within a segment as one condition, and ends where one groups or limits', async () => {
    const inner = await save([{ $match: { City: 'Chicago', Age: 30 } }], 'Aged Chicagoans')
    const limited = await save([{ $predefined: inner }, { $limit: 1 }], 'One of them')
    const stages = [{ $predefined: inner }, { $match: { Name: 'Bob' } }, { $predefined: limited }]
    expect(await why([...stages, { $match: { Name: 'Eve' } }], ada)).toEqual({
      isIn: false,
      conditions: [
        { kind: 'segment', isMet: true, id: inner, name: 'Aged Chicagoans' },
        leaf(false, { Name: 'Bob' }, 'Name', 'Ada'),
        { kind: 'segment', isMet: true, id: limited, name: 'One of them' },
      ],
      more: 0,
    })
  })

  test('explains the first 300 conditions of a longer segment, and groups five deep', async () => {
    const many = Array.from({ length: 400 }, (_, at) => ({ City: { $ne: `C${at}` }, Age: { $gt: at } }))
    const { conditions, isIn } = await why([{ $match: { $or: many } }], ada)
    const [any] = conditions as (MembershipNode & { kind: 'any' })[]
    expect(isIn).toBe(true)
    expect(any).toMatchObject({ kind: 'any', isMet: true })
    const listed = (any?.of ?? []).reduce((sum, part) => sum + ('of' in part ? part.of.length + 1 : 1), 1)
    expect(listed).toBe(300)
    expect((any?.of.length ?? 0) + (any?.more ?? 0)).toBe(400)
    const nested = (depth: number): object =>
      depth === 0 ? { City: 'Chicago' } : { $or: [nested(depth - 1), { Age: depth }] }
    const deep = await why([{ $match: nested(10) }], ada)
    expect(JSON.stringify(deep).match(/"kind":"any"/g)).toHaveLength(5)
    expect(JSON.stringify(deep)).toContain('"condition":{"$or":[{"$or"')
  })
})

test('in a sub-account, a filter that the parent account does not share there is neither judged nor shown', async () => {
  const parent = await portal.member(await portal.account())
  const child = await portal.member(await portal.account(undefined, parent.account))
  const [contact = ''] = await addContacts(portal.parts.database, child.account, { Name: 'string' }, [{ Name: 'Ada' }])
  await addContacts(portal.parts.database, parent.account, { Name: 'string' }, [{ Name: 'Eve' }])
  const share = async (name: string, stages: object[], showInSubaccounts: boolean): Promise<string> => {
    const draft = { name, aggregateQuery: JSON.stringify(stages), showInSubaccounts }
    return (await parent.post('/contact-service/v1/rdls', draft)).json<{ _id: string }>()._id
  }
  const hidden = await share('Private list', [{ $match: { Name: { $in: ['Ada', 'Secret'] } } }], false)
  const shown = await share('Shared list', [{ $predefined: hidden }, { $match: { Name: 'Ada' } }], true)
  const answer = await ask(shown, contact, child)
  expect(answer).toMatchObject({
    status: 200,
    body: {
      isIn: true,
      conditions: [
        { kind: 'segment', isMet: null, id: null, name: 'a segment that the parent account does not share' },
        { kind: 'condition', isMet: true, condition: { Name: 'Ada' } },
      ],
    },
  })
  expect(JSON.stringify(answer.body)).not.toMatch(/Secret|Private/)
  // A delete by it is listed without its text too.
  await child.delete('/contact-service/v1/offers', { filter: [{ $predefined: shown }], deletedRecords: 1 })
  const deletes = await child.get('/contact-service/v1/deletes')
  expect(deletes.body).toMatchObject([{ filter: [{ $predefined: hidden }, { $match: { Name: 'Ada' } }] }])
})

test('parts with too long a text are only counted', async () => {
  const list = Array.from({ length: 1000 }, (_, at) => `${'Long name '.repeat(20)}${at}`)
  const one = { Name: { $in: [...list, 'Ada'] } }
  expect(await why([{ $match: { City: 'Chicago', ...one } }], ada)).toMatchObject({
    isIn: true,
    conditions: [{ kind: 'condition', isMet: true, condition: { City: 'Chicago' } }],
    more: 1,
  })
  const group = { $or: [{ City: 'Boston' }, { Name: { $in: list.slice(0, 700) } }] }
  expect(await why([{ $match: group }], ada)).toMatchObject({
    isIn: false,
    conditions: [{ kind: 'any', isMet: false, of: [{ condition: { City: 'Boston' } }], more: 1 }],
    more: 0,
  })
})

describe('the right to an explanation', () => {
  test('is that to open the segment, to read the contact and to search with all that the segment asks for', async () => {
    const id = await save([{ $match: { City: 'Chicago' } }])
    expect(await ask(id, ada)).toMatchObject({ status: 200 })
    const [see, search] = ['contact-service::rdls::get', 'contact-service::offers::get'] as const
    expect(await ask(id, ada, await portal.member(owner.account, see, search))).toMatchObject({ status: 200 })
    for (const action of [see, search]) {
      expect(await ask(id, ada, await portal.member(owner.account, action))).toMatchObject({ status: 403 })
    }
  })

  test('gives nothing of other accounts, of contacts behind a row rule, or of unknown ones', async () => {
    const id = await save([{ $match: { City: 'Chicago' } }])
    const stranger = await portal.member(await portal.account())
    const restricted = await restrictedMember(portal, owner.account, [{ $match: { Age: { $gt: 20 } } }])
    expect(await ask(id, ada, restricted)).toMatchObject({ status: 200, body: { isIn: true } })
    const notFound = { status: 404, body: { error: { code: 'not_found' } } }
    expect(await ask(id, bob, restricted)).toMatchObject(notFound)
    expect(await ask(id, ada, stranger)).toMatchObject(notFound)
    for (const contact of ['999', '0', '01', 'x', '9'.repeat(30)])
      expect(await ask(id, contact)).toMatchObject(notFound)
    for (const segment of [nobodys, 'x']) expect(await ask(segment, ada)).toMatchObject(notFound)
  })

  test('hides a field by which the person may not search: its verdict, its value, and the segment’s answer', async () => {
    const limited = (...conditions: string[]) =>
      memberWith(
        portal,
        owner.account,
        { actions: ['contact-service::rdls::get'] },
        ...conditions.map((one) => ({ actions: ['contact-service::offers::get'], conditions: [one] })),
      )
    const id = await save([{ $match: { City: 'Chicago', Age: 30 } }])
    const searcher = await limited('query::find::nct::City')
    const refused = await ask(id, ada, searcher)
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    expect(JSON.stringify(refused.body)).not.toContain('Chicago')
    expect(await ask(await save([{ $match: { Age: 30 } }]), ada, searcher)).toMatchObject({ body: { isIn: true } })
    // With the right to ask for this and nothing else of the one, the answer is known, and nothing of the one alone.
    const only = 'query::find::eq::[{"$match":{"City":"Chicago","Age":30}}]'
    const together = await ask(id, ada, await limited('query::find::nct::City', only))
    expect(together).toMatchObject({
      status: 200,
      body: {
        isIn: true,
        conditions: [
          { isMet: null, condition: { City: 'Chicago' }, values: [] },
          { isMet: true, values: [{ field: 'Age', value: 30 }] },
        ],
      },
    })
    // Nor of a column that may not be selected.
    const unselecting = await ask(id, ada, await limited('query::select::nct::Age'))
    expect(unselecting).toMatchObject({ body: { conditions: [{ isMet: true }, { isMet: null, values: [] }] } })
  })

  test('needs a segment that can be read', async () => {
    const id = await save([{ $match: { City: 'Chicago' } }])
    const text = JSON.stringify([{ $match: { Town: 'Chicago' } }])
    const { pool } = portal.parts.database
    await pool.query('UPDATE portico.saved_filters SET aggregate_query = $2 WHERE id = $1', [id, text])
    expect(await ask(id, ada)).toMatchObject({ status: 400, body: { error: { code: 'invalid_filter' } } })
  })
})
