import type { Offer } from '@portico/contract/contacts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type NewEvent, recordEvents } from '#contacts'
import { newEvent } from '#test/resources/events.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member
let contactId: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
  await importFile(portal, member, 'Name\nAda\nAlan\n')
  contactId = (await contactsOf(member))[0]?._id ?? ''
})

const anEvent = (changes: Partial<NewEvent> = {}): NewEvent => newEvent(contactId, changes)

const record = (events: Iterable<NewEvent> | AsyncIterable<NewEvent>) =>
  recordEvents(portal.parts.database.db, member.account, events)

const recorded = async (): Promise<Record<string, unknown>[]> =>
  (await member.get(`/contact-service/v1/offers/${contactId}`)).json<Offer & { events: Record<string, unknown>[] }>()
    .events

test('stores the values of an event unchanged', async () => {
  const path = '/a b/"c"/{d},\\e/ü'
  const event = anEvent({ code: 'click', appCode: 'web', path, element: 'a.b', browser: 'Firefox', ip: '::1', os: '' })
  expect(await record([event, anEvent({ isTrigger: true })])).toBe(2)
  const common = { event_date: '2026-05-06T07:08:09.123Z' }
  expect(await recorded()).toEqual(
    expect.arrayContaining([
      {
        ...common,
        event_code: 'click',
        app_code: 'web',
        event_path: path,
        event_element: 'a.b',
        browser: 'Firefox',
        os: '',
        ip: '::1',
        is_trigger: false,
      },
      {
        ...common,
        event_code: 'page_view',
        app_code: null,
        event_path: null,
        event_element: null,
        browser: null,
        os: null,
        ip: null,
        is_trigger: true,
      },
    ]),
  )
})

test('stores an event once when it is sent again or twice in one call', async () => {
  const event = anEvent()
  expect(await record([event, event, anEvent()])).toBe(2)
  expect(await record([{ ...event, code: 'another' }, anEvent()])).toBe(1)
  expect((await recorded()).map((one) => one['event_code'])).toEqual(['page_view', 'page_view', 'page_view'])
})

test('ignores events of contacts outside the account', async () => {
  const stranger = await portal.member(await portal.account())
  // The other account's third contact has an id that does not exist here.
  await importFile(portal, stranger, 'Name\nBob\nEve\nMallory\n')
  const theirs = (await contactsOf(stranger))[2]?._id ?? ''
  expect(await record([anEvent({ contactId: theirs }), anEvent({ contactId: '1' }), anEvent()])).toBe(1)
})

test('accepts a stream of more events than fit in one statement', async () => {
  async function* many() {
    for (let number = 0; number < 2500; number++) yield anEvent()
  }
  expect(await record(many())).toBe(2500)
  expect(await recorded()).toHaveLength(2500)
  expect(await record([])).toBe(0)
})

describe('over the API', () => {
  const pathFor = (id: string) => `/contact-service/v1/offers/${id}/events`
  const least = { event_code: 'click', event_date: '2026-05-06T07:08:09Z' }
  const foundBy = async (condition: object): Promise<unknown> => {
    const find = encodeURIComponent(JSON.stringify([{ $match: { events: { $elemMatch: condition } } }]))
    return (await member.get(`/contact-service/v1/offers?find=${find}&count=`)).body
  }

  test('records one event with all values that an application sends', async () => {
    const event = {
      event_code: ' buy ',
      event_date: '2026-05-06T09:08:09.5+02:00',
      app_code: 'shop',
      event_path: '/cart',
      event_element: 'button.pay',
      browser: 'Firefox',
      os: 'Linux',
      ip: '192.0.2.7',
      pdid: 'p-1',
      is_trigger: true,
    }
    const own = { price: 12.5, gift: false, 'Page Title': 'Cart "two"', nothing: null }
    const reply = await member.post(pathFor(contactId), { ...event, ...own, details: { coupon: 'MAY' } })
    expect(reply).toMatchObject({ status: 201, body: { recorded: 1 } })
    expect(await recorded()).toEqual([
      {
        ...event,
        event_code: 'buy',
        event_date: '2026-05-06T07:08:09.500Z',
        details: { price: 12.5, gift: false, 'Page Title': 'Cart "two"', coupon: 'MAY' },
      },
    ])
    expect(await foundBy({ event_code: 'buy', price: { $gt: 12 }, coupon: 'MAY' })).toEqual({ count: 1 })
    expect(await foundBy({ event_code: 'buy', price: { $gt: 13 } })).toEqual({ count: 0 })
  })

  test('records up to 1,000 events at once', async () => {
    expect(await member.post(pathFor(contactId), [least])).toMatchObject({ status: 201, body: { recorded: 1 } })
    const many = await member.post(pathFor(contactId), Array(1000).fill(least))
    expect(many).toMatchObject({ status: 201, body: { recorded: 1000 } })
    expect(await member.post(pathFor(contactId), Array(1001).fill(least))).toMatchObject({ status: 400 })
    expect(await recorded()).toHaveLength(1001)
  })

  test('names each problem with the position of its event, and records none of the events', async () => {
    const problems = async (body: unknown) =>
      (await member.post(pathFor(contactId), body)).json<{ error: { details: unknown } }>().error.details
    const required = 'Value is required!'
    expect(await problems({})).toEqual([
      { field: 'event_code', message: required },
      { field: 'event_date', message: required },
    ])
    expect(await problems([least, { ...least, event_date: '2026-02-30T00:00:00Z' }])).toEqual([
      { field: '1.event_date', message: 'Value is invalid!' },
    ])
    expect(await problems({ ...least, Event_Code: 'x', price: 1, details: { price: 2 } })).toEqual([
      { field: 'Event_Code', message: 'Value is not allowed!' },
      { field: 'details.price', message: 'Value is duplicate!' },
    ])
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`own ${at}`, at]))
    expect(await problems({ ...least, ...fields(51) })).toEqual([
      { field: 'details', message: 'An event has at most 50 fields of its own.' },
    ])
    expect(await problems({ ...least, note: 'NUL \0' })).toMatchObject([{ message: expect.stringContaining('NUL') }])
    expect(await problems([])).toEqual([{ field: 'body', message: required }])
    expect(await recorded()).toEqual([])
    expect(await member.post(pathFor(contactId), { ...least, ...fields(50) })).toMatchObject({ status: 201 })
  })

  test('refuses an event with too many fields before comparing their names', async () => {
    const names = Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`own ${at}`, at]))
    const refused = await member.post(pathFor(contactId), { ...least, ...names, details: names })
    // One problem, not one for each name given twice.
    expect(fieldProblems(refused)).toEqual([
      { field: 'details', message: 'An event has at most 50 fields of its own.' },
    ])
  })

  test('finds contacts of this account only', async () => {
    const stranger = await portal.member(await portal.account())
    await importFile(portal, stranger, 'Name\nBob\nEve\nMallory\n')
    const theirs = (await contactsOf(stranger))[2]?._id ?? ''
    for (const id of [theirs, '1', 'x', '9'.repeat(30)]) {
      expect(await member.post(pathFor(id), least)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      })
    }
    expect((await stranger.get(`/contact-service/v1/offers/${theirs}`)).body).toMatchObject({ events: [] })
  })

  test('requires the right to change contacts', async () => {
    const reader = await portal.member(member.account, 'contact-service::offers::get')
    expect(await reader.post(pathFor(contactId), least)).toMatchObject({ status: 403 })
    const writer = await portal.member(member.account, 'contact-service::offers::put')
    expect(await writer.post(pathFor(contactId), least)).toMatchObject({ status: 201 })
  })
})
