import type { NewExport } from '@portico/contract/exports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { createExport, downloadExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { unzipped } from '#test/kit/unzipped.ts'
import { runExport } from './export-run.service.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  const { database } = portal.parts
  const rows = [
    { Name: 'Ada', Age: 30 },
    { Name: 'Bob', Age: 40 },
    { Name: 'Eve', Age: 50 },
  ]
  const [ada = '', bob = ''] = await addContacts(database, member.account, { Name: 'string', Age: 'number' }, rows)
  const event = (contactId: string, code: string, day: string, os: string) => ({
    contactId,
    code,
    date: new Date(`2026-01-${day}T12:00:00Z`),
    os,
  })
  await addEvents([event(ada, 'click', '03', 'mac'), event(ada, 'open', '01', ''), event(bob, 'open', '02', 'linux')])
})
afterAll(() => portal.close())

async function addEvents(events: { contactId: string; code: string; date: Date; os: string }[]): Promise<void> {
  for (const { contactId, code, date, os } of events) {
    await portal.parts.database.pool.query(
      `INSERT INTO account_${member.account}.events (id, contact_id, event_code, event_date, os, is_trigger)
        VALUES ($1, $2, $3, $4, $5, false)`,
      [crypto.randomUUID(), contactId, code, date, os],
    )
  }
}

async function fileOf(exportFields: string[], stages: unknown[], more: Partial<NewExport> = {}): Promise<string> {
  const draft = exportDraft(exportFields, { aggregateQuery: JSON.stringify(stages), ...more })
  const { _id } = await createExport(member, draft)
  await runExport(portal.parts, member.account, _id, new AbortController().signal)
  expect(await readExport(member, _id)).toMatchObject({ status: 'completed' })
  return (await downloadExport(portal, member, `${_id}.csv`)).text
}

describe('with fields of events', () => {
  const fields = ['Name', 'events.event_code', 'events.event_date', 'Events.OS', 'events.is_trigger']
  const header = 'Name,events.event_code,events.event_date,events.os,events.is_trigger'
  const adaOpen = 'Ada,open,2026-01-01T12:00:00.000Z,,false'
  const adaClick = 'Ada,click,2026-01-03T12:00:00.000Z,mac,false'
  const bobOpen = 'Bob,open,2026-01-02T12:00:00.000Z,linux,false'
  const unwind = { $unwind: '$events' }

  test.each<[string, unknown[], string[]]>([
    ['a row for each event, contact by contact, in their order', [], [adaOpen, adaClick, bobOpen]],
    ['the same when the filter says so', [unwind], [adaOpen, adaClick, bobOpen]],
    ['those of the contacts that match', [{ $match: { Age: { $gt: 35 } } }, unwind], [bobOpen]],
    [
      'all events of contacts that had one',
      [{ $match: { events: { $elemMatch: { event_code: 'click' } } } }, unwind],
      [adaOpen, adaClick],
    ],
    ['events that match', [unwind, { $match: { 'events.event_code': 'open' } }], [adaOpen, bobOpen]],
    ['events sorted and cut', [unwind, { $sort: { 'events.event_date': -1 } }, { $limit: 2 }], [adaClick, bobOpen]],
    ['events of contacts sorted and cut', [{ $sort: { Age: -1 } }, { $limit: 2 }, unwind], [bobOpen]],
    ['what a projection names', [unwind, { $project: { Name: 1, events: 1 } }], [adaOpen, adaClick, bobOpen]],
  ])('an export contains %s', async (_what, stages, expected) => {
    expect(await fileOf(fields, stages)).toBe([header, ...expected, ''].join('\n'))
  })

  test('an export of unwound events has a row for each event even without an event field', async () => {
    expect(await fileOf(['Name'], [unwind])).toBe('Name\nAda\nAda\nBob\n')
  })

  test('fields that a projection leaves out are refused', async () => {
    const aggregateQuery = JSON.stringify([unwind, { $project: { 'events.os': 1, Name: 1 } }])
    const answer = await member.post(exportsPath, exportDraft(fields, { aggregateQuery }))
    expect(answer.body).toMatchObject({
      error: { message: '"$project" leaves out "events.event_code", which the export needs.' },
    })
  })
})

test('a saved filter is expanded to its stages', async () => {
  const saved = await member.post('/contact-service/v1/rdls', {
    name: 'Those over 35',
    aggregateQuery: JSON.stringify([{ $match: { Age: { $gt: 35 } } }]),
  })
  const { _id } = saved.json<{ _id: string }>()
  const stages = [{ $predefined: _id }, { $match: { Name: { $ne: 'Eve' } } }]
  expect(await fileOf(['Name'], stages)).toBe('Name\nBob\n')
})

test('a projection can exclude internal fields', async () => {
  const stages = [{ $project: { events: 0, purlNumber: 0, basePurl: 0, dedupHash: 0, __v: 0, rowNumber: 0 } }]
  expect(await fileOf(['Name', 'Age'], stages)).toBe('Name,Age\nAda,30\nBob,40\nEve,50\n')
})

test('a zipped export is a .zip of the file', async () => {
  const { _id, name } = await createExport(member, exportDraft(['Name'], { shouldZip: true, delimiter: 'tab' }))
  await runExport(portal.parts, member.account, _id, new AbortController().signal)
  const made = await readExport(member, _id)
  expect(made).toMatchObject({ status: 'completed', shouldZip: true, processedRecords: 3 })
  expect((await member.get(`/contact-service/v1/downloads/${_id}.csv`)).status).toBe(404)
  // Clients that cannot read archives request the text in it.
  expect((await member.get(`/contact-service/v1/downloads/${_id}.txt`)).status).toBe(200)
  const { url } = (await member.get(`/contact-service/v1/downloads/${_id}.zip`)).json<{ url: string }>()
  const reply = await portal.app.inject({ url })
  expect(reply.headers['content-type']).toBe('application/zip')
  expect(reply.headers['content-disposition']).toContain(`${name}.zip`)
  expect(reply.rawPayload.length).toBe(made.fileSize)
  expect(await unzipped(reply.rawPayload)).toEqual({ [`${name}.txt`]: 'Name\nAda\nBob\nEve\n' })
})
