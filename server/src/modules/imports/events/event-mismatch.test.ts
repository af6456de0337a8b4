import type { Import, NewEventImport } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { anEventImport, contactsOf, ended, importFile, upload, submitEvents } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

/** Contacts with PURLs, identified by email. */
async function withPeople(file = 'Name,Email\nAda,ada@x.org\nAlan,alan@x.org\n'): Promise<void> {
  await importFile(portal, member, file, { generatePURL: true, purlColumns: ['Name'], dedupColumns: ['Email'] })
}

const importEvents = async (file: string, changes: Partial<NewEventImport> = {}): Promise<Import> =>
  ended(member, (await submitEvents(portal, member, file, changes))._id)

async function eventsOf(email: string): Promise<unknown[]> {
  const contact = (await contactsOf(member)).find((one) => one['Email'] === email)
  return (await member.get(`/contact-service/v1/offers/${contact?._id}`)).json<{ events: unknown[] }>().events
}

async function setAside({ _id }: Import): Promise<string[]> {
  const { url } = (await member.get(`/contact-service/v1/imports/${_id}/set-aside`)).json<{ url: string }>()
  return (await portal.app.inject({ url })).body.replace('\uFEFF', '').trimEnd().split('\r\n')
}

test('an event is loaded without its misfit cell, which the report lists among the set-aside rows', async () => {
  await withPeople()
  const rows = ['ada@x.org,a,perhaps', 'ada@x.org,b,true', 'nobody@x.org,c,perhaps', ',d,perhaps', 'ada@x.org,e, yes ']
  const file = (count: number) =>
    `Email,event_code,is_trigger,event_date\n${rows.slice(0, count).join(',2026-01-01\n')},2026-01-01\n`
  const matched = await importEvents(file(2))
  expect(matched).toMatchObject({ createdRecords: 2, setAsideRecords: 0, setAsideCells: 1, onMismatch: 'cell' })
  const end = await importEvents(file(5))
  expect(end).toMatchObject({ createdRecords: 3, setAsideRecords: 2, setAsideCells: 2 })
  const reason = (value: string) =>
    `"In is_trigger, ""${value}"" is neither true nor false. The row is loaded without this cell."`
  expect((await setAside(end)).slice(1)).toEqual([
    `2,${reason('perhaps')},ada@x.org,a,perhaps,2026-01-01`,
    '4,No such contact.,nobody@x.org,c,perhaps,2026-01-01',
    '5,"The key column ""Email"" is empty.",,d,perhaps,2026-01-01',
    `6,${reason('yes')},ada@x.org,e, yes ,2026-01-01`,
  ])
  const events = (await eventsOf('ada@x.org')) as { event_code: string; is_trigger: boolean }[]
  expect(events.map((event) => [event.event_code, event.is_trigger])).toEqual([
    ['a', false],
    ['b', true],
    ['a', false],
    ['b', true],
    ['e', false],
  ])
})

test('an event import refuses to turn fields into text', async () => {
  await withPeople()
  await upload(portal, member, 'events.csv', 'Email,event_code,event_date\n')
  const reply = await member.post('/contact-service/v1/imports', { ...anEventImport(), onMismatch: 'text' })
  expect(fieldProblems(reply)).toMatchObject([{ field: 'onMismatch' }])
})
