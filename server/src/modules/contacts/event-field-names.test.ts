import type { OfferedEventField } from '@portico/contract/events'
import type { Import } from '@portico/contract/imports'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrateAccount } from '#platform/migrations.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { createExport, downloadExport, endedExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { ended, upload } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addAccess, noLimits, sendEvents, stranger } from '#test/resources/remote-accesses.ts'

const fieldsPath = '/contact-service/v1/fields/events'
const kept = 'Gr\u00f6\u00dfe'
const apart = 'Gro\u0308\u00dfe'
const written = `\u00a0${apart} \u200b`
const unclear = 'a\u200bb'
const event = { event_code: 'buy', event_date: '2026-05-06T07:08:09Z' }
const ada = { Email: 'ada@example.com' }

let portal: TestPortal
let member: Member
let contactId: string

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
  const [id] = await addContacts(portal.parts.database, member.account, { Email: 'string' }, [ada])
  contactId = id ?? ''
})

const post = (body: unknown): Promise<Answer> => member.post(`/contact-service/v1/offers/${contactId}/events`, body)
const send = (own: object): Promise<Answer> =>
  sendEvents(stranger(portal, 'https://shop.example.com'), member.account, ada, {
    id: crypto.randomUUID(),
    event_code: 'buy',
    ...own,
  })
const add = (name: string): Promise<Answer> => member.post(fieldsPath, { name })
const namesAt = async (path: string): Promise<string[]> =>
  (await member.get(path)).json<OfferedEventField[]>().map(({ name }) => name)
const offered = (): Promise<string[]> => namesAt(`${fieldsPath}/offered`)

async function detailsOf(): Promise<unknown[]> {
  const { body } = await member.get(`/contact-service/v1/offers/${contactId}`)
  return (body as { events: { details?: unknown }[] }).events.map(({ details }) => details)
}

async function importEvents(file: string): Promise<Import> {
  await upload(portal, member, 'events.csv', file)
  const settings = { name: 'Some events', filePath: 'events.csv', fileDelimiter: 'comma', processBatchSize: 25 }
  const columns = { kind: 'events', keyColumn: 'Email', keyField: 'Email' }
  const reply = await member.post('/contact-service/v1/imports', { ...settings, ...columns })
  expect(reply).toMatchObject({ status: 201 })
  return ended(member, reply.json<Import>()._id)
}

async function collect(name: string): Promise<void> {
  await addAccess(member, { publicColumns: 'Email' })
  expect(await add(name)).toMatchObject({ status: 201 })
  expect(await send({ [name]: '42' })).toMatchObject({ status: 202, body: { dropped: 0 } })
}

const waysIn: [string, (name: string) => Promise<unknown>][] = [
  ['an application', (name) => post({ ...event, [name]: '42' })],
  ['the details of an application', (name) => post([{ ...event, details: { [name]: '42' } }])],
  ['an event file', (name) => importEvents(`Email,event_code,event_date,${name}\nada@example.com,buy,2026-05-06,42\n`)],
  ['a page, once a person has added it', collect],
]

describe('the name of an event field', () => {
  test.each(waysIn)('is kept composed and without white space around it from %s', async (_way, bring) => {
    await bring(written)
    expect(await namesAt(fieldsPath)).toEqual([kept])
    expect(await detailsOf()).toEqual([{ [kept]: '42' }])
  })

  test('is offered as it would be added, and no longer once it is', async () => {
    await addAccess(member, { publicColumns: 'Email' })
    await send({ ' color ': 'red', [unclear]: 1, [written]: 2 })
    expect((await offered()).toSorted()).toEqual([kept, 'color'])
    expect(await add(' color ')).toMatchObject({ status: 201, body: { name: 'color' } })
    expect(await offered()).toEqual([kept])
    expect(await member.delete(`${fieldsPath}/${encodeURIComponent(apart)}`)).toMatchObject({ status: 200 })
    expect(await offered()).toEqual([])
    expect(await namesAt(fieldsPath)).toEqual(['color'])
  })

  test('is read by filters, groups and exports however its letters are composed', async () => {
    await post({ ...event, [kept]: '42' })
    const rowsOf = async (stages: object[]) =>
      (await member.get(`/contact-service/v1/offers?aggregate=${encodeURIComponent(JSON.stringify(stages))}`)).body
    for (const name of [kept, apart]) {
      expect(await rowsOf([{ $match: { events: { $elemMatch: { [name]: '42' } } } }])).toHaveLength(1)
      expect(await rowsOf([{ $unwind: '$events' }, { $match: { [`events.${name}`]: '42' } }])).toHaveLength(1)
      const group = { _id: { size: `$events.${name}` }, count: { $sum: 1 } }
      expect(await rowsOf([{ $unwind: '$events' }, { $group: group }])).toEqual([{ size: '42', count: 1 }])
      const { _id } = await createExport(member, exportDraft(['Email', `events.${name}`]))
      expect(await endedExport(member, _id)).toMatchObject({ status: 'completed' })
      const { text } = await downloadExport(portal, member, `${_id}.csv`)
      expect(text).toBe(`Email,events.${kept}\nada@example.com,42\n`)
    }
    // Conditions of policies would judge it as another name.
    expect(await member.post(exportsPath, exportDraft(['Email', `events. ${kept}`]))).toMatchObject({ status: 400 })
  })

  test('is no new one with an invisible character, nor twice in one event, nor that of a field of every event', async () => {
    const message = 'The name contains an invisible character. Type the name again.'
    expect(fieldProblems(await add(unclear))).toEqual([{ field: 'name', message }])
    expect(fieldProblems(await post({ ...event, [unclear]: 1 }))).toEqual([{ field: unclear, message }])
    expect(
      await importEvents(`Email,event_code,event_date,${unclear}\nada@example.com,buy,2026-05-06,1\n`),
    ).toMatchObject({ status: 'rejected', recoveryError: `Column 4, "${unclear}", cannot be imported. ${message}` })
    const twice = await post({ ...event, [kept]: 1, details: { [apart]: 2 } })
    expect(fieldProblems(twice)).toEqual([{ field: `details.${apart}`, message: 'Value is duplicate!' }])
    expect(await post({ ...event, ' Event_Code': 1 })).toMatchObject({ status: 400 })
    expect(await add(' details ')).toMatchObject({ status: 400 })
    expect(await namesAt(fieldsPath)).toEqual([])
  })
})

test('names and values of an earlier release are brought to this form, and none is lost', async () => {
  const { pool, url } = portal.parts.database
  const schema = `account_${member.account}`
  const earlier = [
    { [apart]: 1 },
    { ' color ': 'red', [unclear]: true },
    { [kept]: 2, [apart]: 3 },
    { [kept]: 4, [apart]: 4 },
  ]
  await post(earlier.map((_each, at) => ({ ...event, event_code: `e${at}` })))
  for (const [at, details] of earlier.entries()) {
    await pool.query(`UPDATE ${schema}.events SET details = $1 WHERE event_code = $2`, [details, `e${at}`])
  }
  await pool.query(`INSERT INTO ${schema}.event_fields SELECT unnest($1::text[])`, [[apart, kept, ' color ', unclear]])
  await pool.query(`INSERT INTO ${schema}.offered_event_fields SELECT unnest($1::text[]), now(), now()`, [
    [' size', 'size', ' Event_Code', `${kept} `],
  ])
  await pool.query(
    `INSERT INTO ${schema}.deleted_rows VALUES (1, 'events', 1, 1, jsonb_build_object('details', $1::jsonb)),
       (1, 'events', 1, 2, '{"details": null}'), (1, 'contacts', 1, 1, '{}')`,
    [{ [apart]: 5 }],
  )
  // As often as an update begins again.
  for (const _time of [1, 2]) {
    await pool.query(`DELETE FROM ${schema}.migrations WHERE name LIKE '%-event-field-names.sql'`)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await migrateAccount(client, member.account)
    await client.end()
  }
  const { rows } = await pool.query<{ details: unknown }>(`SELECT details FROM ${schema}.events ORDER BY event_code`)
  const second = `${kept} (2)`
  expect(rows.map(({ details }) => details)).toEqual([
    { [kept]: 1 },
    { color: 'red', [unclear]: true },
    { [kept]: 2, [second]: 3 },
    { [kept]: 4 },
  ])
  expect((await namesAt(fieldsPath)).toSorted()).toEqual([kept, second, unclear, 'color'].toSorted())
  expect(await offered()).toEqual(['size'])
  const deleted = await pool.query(`SELECT data FROM ${schema}.deleted_rows ORDER BY source, place`)
  expect(deleted.rows.map(({ data }: { data: unknown }) => data)).toEqual([
    {},
    { details: { [kept]: 5 } },
    { details: null },
  ])
  expect(await post({ ...event, [unclear]: false })).toMatchObject({ status: 201 })
})
