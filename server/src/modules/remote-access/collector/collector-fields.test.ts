import type { OfferEvent } from '@portico/contract/contacts'
import type { OfferedEventField } from '@portico/contract/events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { addContacts } from '#test/resources/contacts.ts'
import { type Answer, type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, noLimits, sendEvents } from '#test/resources/remote-accesses.ts'

type Event = z.output<typeof OfferEvent>

const shop = 'https://shop.example.com'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'
const ada = { Email: 'ada@example.com' }

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

describe('custom fields', () => {
  const fields = (count: number, name = 'f') =>
    Object.fromEntries(Array.from({ length: count }, (_each, at) => [`${name}${at}`, at]))

  test('beyond ten per event, or with a long name or text, are dropped and counted', async () => {
    await addFields(...Object.keys(fields(12)), 'n'.repeat(50), 'text')
    const answer = await send({ id: '1', event_code: 'click', ...fields(12) })
    expect(answer).toMatchObject({ status: 202, body: { recorded: 1, dropped: 2 } })
    const long = { ['n'.repeat(51)]: 1, text: 'x'.repeat(501), ['n'.repeat(50)]: 'x'.repeat(500) }
    expect(await send({ id: '2', event_code: 'click', ...long })).toMatchObject({ body: { recorded: 1, dropped: 2 } })
    const stored = (await eventsOf()).map((event) => Object.keys(event.details ?? {}).length)
    expect(stored.toSorted((one, other) => one - other)).toEqual([1, 10])
    await expect
      .poll(async () => {
        const [{ _id: id } = { _id: '' }] = (await member.get(accessPath)).json<{ _id: string }[]>()
        const usage = (await member.get(`${accessPath}/${id}/usage`)).json<{
          days: { events: number; dropped: number }[]
        }>()
        return usage.days.map(({ events, dropped }) => ({ events, dropped }))
      })
      .toEqual([{ events: 2, dropped: 4 }])
  })

  test('with names not yet added are dropped and offered, and recorded once a person adds them', async () => {
    const event = { event_code: 'click', voucher: 'A1' }
    expect(await send({ ...event, id: '1' })).toMatchObject({ status: 202, body: { recorded: 1, dropped: 1 } })
    expect((await member.get(eventFieldsPath)).body).toEqual([])
    const offered = (await member.get(`${eventFieldsPath}/offered`)).json<OfferedEventField[]>()
    expect(offered.map(({ name }) => name)).toEqual(['voucher'])
    expect(await member.post(eventFieldsPath, { name: 'voucher' })).toMatchObject({ status: 201 })
    expect((await member.get(`${eventFieldsPath}/offered`)).body).toEqual([])
    // The process that takes events remembers names for some seconds.
    await expect
      .poll(async () => (await send({ ...event, id: crypto.randomUUID() })).json<{ dropped: number }>().dropped, {
        timeout: 30_000,
        interval: 1000,
      })
      .toBe(0)
    expect((await eventsOf())[0]?.details).toEqual({ voucher: 'A1' })
    expect(await member.delete(`${eventFieldsPath}/voucher`)).toMatchObject({
      status: 409,
      body: { error: { code: 'in_use', message: 'Events have values of "voucher", so it cannot be removed.' } },
    })
  })

  test('invented by strangers do not fill the account: the latest 200 are offered, and known fields stay usable', async () => {
    await addFields('known')
    const batch = (at: number) => ({ id: `e${at}`, event_code: 'click', known: at, ...fields(9, `b${at}_`) })
    for (let at = 0; at < 30; at++) expect(await send(batch(at))).toMatchObject({ status: 202, body: { dropped: 9 } })
    expect((await member.get(eventFieldsPath)).body).toEqual([{ name: 'known' }])
    expect((await member.get(`${eventFieldsPath}/offered`)).json<unknown[]>()).toHaveLength(200)
    await send({ id: 'own', event_code: 'click', known: 2, honest: 3 })
    const [first] = (await member.get(`${eventFieldsPath}/offered`)).json<OfferedEventField[]>()
    expect(first?.name).toBe('honest')
    expect(await member.post(eventFieldsPath, { name: 'size' })).toMatchObject({ status: 201 })
  })

  test('are added and removed with the right, in the own account only', async () => {
    await addFields('size')
    await send({ id: '1', event_code: 'click', colour: 'red' })
    const other = await portal.member(await portal.account())
    const viewer = await portal.member(member.account, 'contact-service::remoteAccess::get')
    expect(await viewer.post(eventFieldsPath, { name: 'x' })).toMatchObject({ status: 403 })
    expect(await viewer.delete(`${eventFieldsPath}/size`)).toMatchObject({ status: 403 })
    expect(await other.delete(`${eventFieldsPath}/size`)).toMatchObject({ status: 404 })
    expect((await other.get(`${eventFieldsPath}/offered`)).body).toEqual([])
    expect(await member.post(eventFieldsPath, { name: 'event_code' })).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'name', message: 'Value is not allowed!' }] } },
    })
    expect(await member.delete(`${eventFieldsPath}/size`)).toMatchObject({ status: 200 })
    expect(await member.delete(`${eventFieldsPath}/colour`)).toMatchObject({ status: 200 })
    expect((await member.get(eventFieldsPath)).body).toEqual([])
    expect((await member.get(`${eventFieldsPath}/offered`)).body).toEqual([])
  })

  test('may have any name except that of a standard event field', async () => {
    await addFields('toString')
    const odd = { id: '1', event_code: 'click', constructor: 1, '': 2 }
    expect(await send(odd)).toMatchObject({ status: 400 })
    const text = '{"id":"1","event_code":"click","__proto__":"x","toString":"y"}'
    const answer = await portal.app.inject({
      method: 'POST',
      url: `/api/contact-service/v1/public/${member.account}/events?Email=ada%40example.com`,
      headers: { origin: shop, 'content-type': 'text/plain' },
      payload: text,
    })
    expect(answer.statusCode).toBe(202)
    expect((await eventsOf())[0]?.details).toMatchObject({ toString: 'y' })
  })
})
