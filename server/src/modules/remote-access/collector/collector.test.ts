import type { OfferEvent } from '@portico/contract/contacts'
import type { CellAnswer } from '@portico/contract/dashboards'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { addContacts } from '#test/resources/contacts.ts'
import { createDashboard, dashboardsPath, definition } from '#test/resources/dashboards.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addAccess, noLimits, sendEvents } from '#test/resources/remote-accesses.ts'

type Event = z.output<typeof OfferEvent>

const shop = 'https://shop.example.com'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'
const ada = { Email: 'ada@example.com' }
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

let portal: TestPortal
let member: Member
let page: Client
let ids: string[]

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  const account = await portal.account()
  const emails = [{ Email: 'ada@example.com' }, { Email: 'eve@example.com' }]
  ids = await addContacts(portal.parts.database, account, { Email: 'string', City: 'string' }, emails)
  member = await portal.member(account)
  await addAccess(member, { publicColumns: 'City' })
  page = portal.asking({ origin: shop, 'user-agent': firefox }, '203.0.113.77')
})

const send = (body: unknown, values = ada): Promise<Answer> => sendEvents(page, member.account, values, body)

async function eventsOf(id = ids[0]): Promise<Event[]> {
  const { events = [] } = (await member.get(`/contact-service/v1/offers/${id}`)).json<{ events?: Event[] }>()
  return events
}

const eventFieldsPath = '/contact-service/v1/fields/events'
const addFields = async (...names: string[]): Promise<void> => {
  for (const name of names) expect(await member.post(eventFieldsPath, { name })).toMatchObject({ status: 201 })
}

const details = (answer: Answer) => answer.json<{ error: { details: unknown } }>().error.details
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

describe('events of a visitor', () => {
  test('are recorded with the browser from the request, and shown with the contact', async () => {
    const at = ago(5000)
    await addFields('price', 'isNew', 'coupon')
    const answer = await send({
      events: [
        {
          id: '1',
          event_code: 'page_view',
          event_date: at,
          event_path: '/summer',
          price: 12.5,
          isNew: true,
          coupon: null,
        },
        { id: '2', event_code: 'click', event_element: 'buy', app_code: 'shop', is_trigger: true, pdid: 'p7' },
      ],
    })
    expect(answer).toMatchObject({
      status: 202,
      body: { recorded: 2, dropped: 0 },
      headers: { 'access-control-allow-origin': shop, vary: 'Origin' },
    })
    const [second, first] = await eventsOf()
    expect(first).toEqual({
      event_code: 'page_view',
      event_date: at,
      app_code: null,
      event_path: '/summer',
      event_element: null,
      browser: 'Firefox',
      os: 'Linux',
      // Without its last part.
      ip: '203.0.113.0',
      is_trigger: false,
      details: { price: 12.5, isNew: true },
    })
    expect(second).toMatchObject({
      event_code: 'click',
      event_element: 'buy',
      app_code: 'shop',
      is_trigger: true,
      pdid: 'p7',
    })
    expect(await eventsOf(ids[1])).toEqual([])
  })

  test('are found by behavioral filters and offered as fields', async () => {
    await addFields('basket')
    expect(await send({ id: '1', event_code: 'purchase', basket: 'large' })).toMatchObject({ status: 202 })
    const find = encodeURIComponent(JSON.stringify([{ $match: { events: { $elemMatch: { basket: 'large' } } } }]))
    const found = (await member.get(`/contact-service/v1/offers?find=${find}`)).json<{ Email: string }[]>()
    expect(found.map(({ Email }) => Email)).toEqual(['ada@example.com'])
    expect((await member.get('/contact-service/v1/fields/events')).body).toEqual([{ name: 'basket' }])
  })

  test('are counted by dashboard cells', async () => {
    const events = ['page_view', 'page_view', 'purchase'].map((event_code, at) => ({ id: String(at), event_code }))
    expect(await send({ events })).toMatchObject({ status: 202 })
    const byCode = [
      { $match: { events: { $elemMatch: { event_code: { $exists: true } } } } },
      { $unwind: '$events' },
      { $group: { _id: { event_code: '$events.event_code' }, count: { $count: {} } } },
    ]
    const chart = {
      type: 'Bar',
      filter: { standard: byCode, sort: { event_code: 1 } },
      options: { colors: ['#1971c2'] },
    }
    const dashboard = await createDashboard(member, { definition: definition([{ id: 'codes', cols: 12, chart }]) })
    const cell = await member.post(`${dashboardsPath}/${dashboard._id}/cells/codes`, { version: dashboard.version })
    expect(cell.json<CellAnswer>().rows).toEqual([
      { event_code: 'page_view', count: 2 },
      { event_code: 'purchase', count: 1 },
    ])
  })

  test('sent again are recorded once, in any order and concurrently', async () => {
    const events = Array.from({ length: 20 }, (_each, at) => ({
      id: `e${at}`,
      event_code: 'click',
      event_date: ago(1000),
    }))
    const answers = await Promise.all([send({ events }), send({ events: events.toReversed() }), send(events[0])])
    for (const answer of answers) expect(answer).toMatchObject({ status: 202 })
    expect(await eventsOf()).toHaveLength(20)
  })

  test('with the id used for another contact or account are separate events', async () => {
    const event = { id: 'same', event_code: 'click' }
    await send(event)
    await send(event, { Email: 'eve@example.com' })
    expect(await eventsOf()).toHaveLength(1)
    expect(await eventsOf(ids[1])).toHaveLength(1)
  })

  test.each(['text/plain;charset=UTF-8', 'application/json'])('may be sent as %s', async (type) => {
    const url = `/api/contact-service/v1/public/${member.account}/events?Email=ada%40example.com`
    const payload = JSON.stringify({ id: '1', event_code: 'click' })
    const headers = { origin: shop, 'content-type': type }
    expect((await portal.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(202)
    expect(await eventsOf()).toHaveLength(1)
  })

  test('with texts ending in half a character are recorded, once each', async () => {
    const half = '\ud83d'
    await addFields('name\ufffd')
    const event = { id: `1${half}`, event_code: `click${half}`, event_path: half, [`name${half}`]: `value${half}` }
    expect(await send({ events: [event, event] })).toMatchObject({ status: 202 })
    expect(await eventsOf()).toMatchObject([
      { event_code: 'click\ufffd', event_path: '\ufffd', details: { 'name\ufffd': 'value\ufffd' } },
    ])
  })

  test('without a user agent have no browser', async () => {
    page = portal.asking({ origin: shop, 'user-agent': '' })
    expect(await send({ id: '1', event_code: 'click' })).toMatchObject({ status: 202 })
    expect((await eventsOf())[0]).toMatchObject({ browser: null, os: null })
  })
})

describe('times of events', () => {
  test('are corrected by the clock difference before they are validated', async () => {
    // A clock that is two years slow.
    const late = 730 * dayMs
    const answer = await send({
      sentAt: ago(late),
      events: [{ id: '1', event_code: 'click', event_date: ago(late + 10 * minuteMs) }],
    })
    expect(answer).toMatchObject({ status: 202 })
    const [event] = await eventsOf()
    const age = Date.now() - Date.parse(event?.event_date ?? '')
    expect(Math.abs(age - 10 * minuteMs)).toBeLessThan(30_000)
  })

  test('in the future or more than seven days ago are refused by field, and nothing of the request is recorded', async () => {
    const answer = await send({
      events: [
        { id: '1', event_code: 'click' },
        { id: '2', event_code: 'click', event_date: ago(-2 * minuteMs) },
        { id: '3', event_code: 'click', event_date: ago(7 * dayMs + minuteMs) },
        { id: '4', event_code: 'click', event_date: ago(7 * dayMs - minuteMs) },
      ],
    })
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(details(answer)).toEqual([
      { field: 'events.1.event_date', message: 'Value is invalid! The event is in the future.' },
      { field: 'events.2.event_date', message: 'Value is invalid! The event is more than 7 days old.' },
    ])
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': shop })
    expect(await eventsOf()).toEqual([])
  })

  test('of a clock slightly ahead count as now', async () => {
    expect(await send({ id: '1', event_code: 'click', event_date: ago(-20_000) })).toMatchObject({ status: 202 })
    expect(Date.parse((await eventsOf())[0]?.event_date ?? '')).toBeLessThanOrEqual(Date.now())
  })
})

describe('the collector refuses', () => {
  test.each([
    [{ id: '1', event_code: 'click', ip: '1.2.3.4' }, 'ip', 'Value is not allowed!'],
    [{ id: '1', event_code: 'click', browser: 'Firefox' }, 'browser', 'Value is not allowed!'],
    [{ id: '1', event_code: 'click', os: 'Linux' }, 'os', 'Value is not allowed!'],
    [{ id: '1', event_code: ' ' }, 'event_code', 'Value is required!'],
    [{ id: '', event_code: 'click' }, 'id', 'Value is required!'],
    [{ id: '1', event_code: 'click', event_date: 'yesterday' }, 'event_date', 'Value is invalid!'],
    [{ id: '1', event_code: 'click', price: { $gt: 1 } }, 'price', 'Enter text, a number, true or false or null.'],
    [{ id: '1', event_code: 'click', $where: 'x' }, '$where', 'Value is not allowed!'],
    [{ id: '1', event_code: 'click', details: 'x' }, 'details', 'Value is not allowed!'],
    [{ id: 'x'.repeat(65), event_code: 'click' }, 'id', expect.any(String) as string],
    [{ events: [] }, 'events', 'Value is required!'],
    [{ sentAt: 'now', events: [{ id: '1', event_code: 'click' }] }, 'sentAt', 'Value is invalid!'],
  ])('%j: %s', async (body, field, message) => {
    const answer = await send(body)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(details(answer)).toContainEqual({ field, message })
    expect(await eventsOf()).toEqual([])
  })

  test('more than 100 events at once', async () => {
    const answer = await send({ events: Array(101).fill({ id: '1', event_code: 'click' }) })
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(details(answer)).toEqual([{ field: 'events', message: 'At most 100 events can be recorded at once.' }])
    expect(await eventsOf()).toEqual([])
  })

  test.each([
    ['no body', undefined, 400],
    ['no JSON', '{"id":', 400],
    ['a number', '7', 400],
    ['null', 'null', 400],
    ['a text', '"click"', 400],
    ['a deep one', '['.repeat(20_000) + ']'.repeat(20_000), 400],
    ['NUL', JSON.stringify({ id: '1', event_code: 'a\0b' }), 400],
    ['64 kB and a byte', 'x'.repeat(64 * 1024 + 1), 413],
  ])('a body of the wrong kind: %s', async (_what, payload, status) => {
    const url = `/api/contact-service/v1/public/${member.account}/events?Email=ada%40example.com`
    const headers = { origin: shop, 'content-type': 'text/plain' }
    const answer = await portal.app.inject({ method: 'POST', url, headers, ...(payload !== undefined && { payload }) })
    expect(answer.statusCode).toBe(status)
    expect(answer.json()).toHaveProperty('error.code')
    expect(await eventsOf()).toEqual([])
  })

  test.each(['application/xml', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
    'a body of type %s',
    async (type) => {
      const url = `/api/contact-service/v1/public/${member.account}/events?Email=ada%40example.com`
      const headers = { origin: shop, 'content-type': type }
      const answer = await portal.app.inject({
        method: 'POST',
        url,
        headers,
        payload: '{"id":"1","event_code":"click"}',
      })
      expect(answer.statusCode).toBe(400)
      const wanted = [{ field: 'Content-Type', message: 'Send JSON, as application/json.' }]
      expect(answer.json()).toHaveProperty('error.details', wanted)
      expect(await eventsOf()).toEqual([])
    },
  )

  test('an event of no contact, of several, or from a page that is not allowed', async () => {
    const event = { id: '1', event_code: 'click' }
    expect(await send(event, { Email: 'unknown@example.com' })).toMatchObject({ status: 404 })
    page = portal.asking({ origin: 'https://evil.io' })
    expect(await send(event)).toMatchObject({ status: 403 })
    page = portal.asking({ authorization: `Bearer ${member.token}` })
    expect(await send(event)).toMatchObject({ status: 403 })
    expect(await eventsOf()).toEqual([])
  })
})
