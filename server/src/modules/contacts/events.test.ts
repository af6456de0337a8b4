import { randomUUID } from 'node:crypto'
import type { Offer } from '@portico/contract/contacts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type NewEvent, recordEvents } from '#contacts'
import { contactsOf, importFile } from '#test/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'

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

function anEvent(changes: Partial<NewEvent> = {}): NewEvent {
  return {
    id: randomUUID(),
    contactId,
    code: 'page_view',
    date: new Date('2026-05-06T07:08:09.123Z'),
    appCode: null,
    path: null,
    element: null,
    browser: null,
    os: null,
    ip: null,
    pdid: null,
    isTrigger: false,
    ...changes,
  }
}

const record = (events: Iterable<NewEvent> | AsyncIterable<NewEvent>) =>
  recordEvents(portal.parts.database.db, member.account, events)

const recorded = async (): Promise<Record<string, unknown>[]> =>
  (await member.get(`/contact-service/v1/offers/${contactId}`)).json<Offer & { events: Record<string, unknown>[] }>()
    .events

test('keeps what is known of an event as it was given', async () => {
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

test('has an event once that is sent again, or twice at once', async () => {
  const event = anEvent()
  expect(await record([event, event, anEvent()])).toBe(2)
  expect(await record([{ ...event, code: 'another' }, anEvent()])).toBe(1)
  expect((await recorded()).map((one) => one['event_code'])).toEqual(['page_view', 'page_view', 'page_view'])
})

test('leaves out events of contacts that are not in the account', async () => {
  const stranger = await portal.member(await portal.account())
  // The other account's third contact has an id that nobody has here.
  await importFile(portal, stranger, 'Name\nBob\nEve\nMallory\n')
  const theirs = (await contactsOf(stranger))[2]?._id ?? ''
  expect(await record([anEvent({ contactId: theirs }), anEvent({ contactId: '1' }), anEvent()])).toBe(1)
})

test('takes more events than fit in one statement, as they come', async () => {
  async function* many() {
    for (let number = 0; number < 2500; number++) yield anEvent()
  }
  expect(await record(many())).toBe(2500)
  expect(await recorded()).toHaveLength(2500)
  expect(await record([])).toBe(0)
})
