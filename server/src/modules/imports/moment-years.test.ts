import type { FieldEntry } from '@portico/contract/fields'
import type { NewEventImport } from '@portico/contract/imports'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createExport, downloadExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { contactsOf, ended, importFile, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Moments must be in the years 1000 to 9999 in UTC; reasons name these years, as no file could return other moments.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const near = [
  '0999-12-31T23:59:59Z',
  '1000-01-01T00:00:00Z',
  '1000-01-01T00:30:00+02:00',
  '1000-01-01T00:30:00-02:00',
  '1000-01-01T01:59:59.9995+02:00',
  '1000-01-01T00:30',
  '1000-01-01T13:00',
  '1000-01-01',
  '1/1/1000',
  '1/1/1000 12:30 AM',
  '1/2/1000 12:30 AM',
  '12/30/9999',
  '12/31/9999',
  '12/31/9999 11:30 PM',
  '9999-12-31',
  '9999-12-31T11:00',
  '9999-12-31T23:59:59.9994',
  '9999-12-31T23:59:59.9995Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:30:00-02:00',
  '9999-12-31T23:30:00+02:00',
]
const inYears = /^[1-9]\d{3}-.*Z$/
const named = /years 1000 to 9999/
const service = '/contact-service/v1'
const byEmail = { typeCasting: true, dedupColumns: ['Email'] }

async function memberIn(zone: string): Promise<Member> {
  const member = await portal.member(await portal.account())
  const { pool } = portal.parts.database
  await pool.query('UPDATE portico.accounts SET time_zone = $2 WHERE id = $1', [member.account, zone])
  return member
}

const rowsOf = (values: readonly string[]): string => values.map((value, at) => `p${at}@x.org,${value}\n`).join('')

async function reasonsOf(member: Member, id: string): Promise<string[]> {
  const { url } = (await member.get(`${service}/imports/${id}/set-aside`)).json<{ url: string }>()
  return (await portal.app.inject({ url })).body.trim().split('\n').slice(1)
}

const momentsOf = async (member: Member): Promise<string[]> =>
  (await contactsOf(member)).flatMap(({ At }) => (typeof At === 'string' ? [At] : []))

/** Exports all moments and imports the file again, which changes nothing. */
async function expectToComeBack(member: Member, delimiter: 'csv' | 'xlsx'): Promise<void> {
  const moments = await momentsOf(member)
  expect(moments.filter((moment) => !inYears.test(moment))).toEqual([])
  const { _id } = await createExport(member, exportDraft(['Email', 'At'], { delimiter }))
  await endedExport(member, _id)
  const { bytes } = await downloadExport(portal, member, `${_id}.${delimiter}`)
  const again = await importFile(portal, member, bytes, { ...byEmail, filePath: `again.${delimiter}` })
  expect({ delimiter, moments: await momentsOf(member) }).toEqual({ delimiter, moments })
  expect({ reasons: again.setAsideCells === 0 ? [] : await reasonsOf(member, again._id) }).toEqual({ reasons: [] })
  expect(again).toMatchObject({ status: 'completed', createdRecords: 0, updatedRecords: 0, setAsideCells: 0 })
}

describe.each(['UTC', 'Pacific/Kiritimati', 'America/New_York', 'Asia/Tokyo'])('in %s', (zone) => {
  test.each([
    ['as they are', {}],
    ['in a chosen order', { columnTypes: { At: { type: 'date', order: 'month-first' } } } as const],
  ])('cells of a file, read %s, round-trip or are reported with the valid years', async (_how, more) => {
    const member = await memberIn(zone)
    await importFile(portal, member, 'Email,At\nfirst@x.org,2025-01-01T10:00Z\n', byEmail)
    const loaded = await importFile(portal, member, `Email,At\n${rowsOf(near)}`, { ...byEmail, ...more })
    expect(loaded).toMatchObject({ status: 'completed', createdRecords: near.length, setAsideRecords: 0 })
    const reasons = await reasonsOf(member, loaded._id)
    expect(reasons.filter((reason) => !named.test(reason))).toEqual([])
    expect(reasons).toHaveLength(loaded.setAsideCells)
    expect(loaded.setAsideCells).toBeGreaterThan(3)
    expect(await momentsOf(member)).toHaveLength(near.length + 1 - loaded.setAsideCells)
    await expectToComeBack(member, 'csv')
    await expectToComeBack(member, 'xlsx')
  })

  test('a new field keeps the values as text', async () => {
    const member = await memberIn(zone)
    const texts = near.slice(1)
    await importFile(portal, member, `Email,At\n${rowsOf(texts)}`, byEmail)
    expect(await momentsOf(member)).toEqual(texts)
  })

  test('texts converted to moments round-trip', async () => {
    const member = await memberIn(zone)
    await importFile(portal, member, `Email,At\n${rowsOf(near)}`, { dedupColumns: ['Email'] })
    const fields = async () => (await member.get(`${service}/fields/details`)).json<FieldEntry[]>()
    const field = (await fields()).find(({ name }) => name === 'At')
    const reading = { type: 'date', order: 'month-first' }
    expect(await member.put(`${service}/fields/${field?._id}/type`, { reading, broken: 0 })).toMatchObject({
      status: 200,
    })
    await vi.waitFor(async () => expect(await fields()).toContainEqual(expect.objectContaining({ type: 'date' })), {
      timeout: 20_000,
    })
    await expectToComeBack(member, 'csv')
  })

  test('days converted to moments round-trip', async () => {
    const member = await memberIn(zone)
    const days = 'Email,At\na@x.org,1000-01-01\nb@x.org,9999-12-31\n'
    await importFile(portal, member, days, byEmail)
    await importFile(portal, member, 'Email,At\nc@x.org,2025-01-01T10:00Z\n', { ...byEmail, onMismatch: 'text' })
    expect(await momentsOf(member)).toHaveLength(3)
    await expectToComeBack(member, 'csv')
  })

  test('an edit round-trips or is refused with the valid years', async () => {
    const member = await memberIn(zone)
    let from = '2025-01-01T10:00:00.000Z'
    await importFile(portal, member, `Email,At\na@x.org,${from}\n`, byEmail)
    const [contact] = await contactsOf(member)
    for (const to of near.filter((text) => text.includes('T'))) {
      const reply = await member.put(`${service}/offers/${contact?._id}`, { changes: { At: { from, to } } })
      expect(JSON.stringify(reply)).toMatch(reply.status === 200 ? /./ : named)
      if (reply.status === 200) [from = ''] = await momentsOf(member)
      expect(from).toMatch(inYears)
    }
    await expectToComeBack(member, 'csv')
  })

  test('an event is loaded with such a moment, or set aside with the valid years', async () => {
    const member = await memberIn(zone)
    await importFile(portal, member, 'Email\na@x.org\n', { dedupColumns: ['Email'] })
    const rows = near.map((value) => `a@x.org,open,${value}\n`).join('')
    await upload(portal, member, 'events.csv', `Email,event_code,event_date\n${rows}`)
    const draft: NewEventImport = {
      kind: 'events',
      name: `Near ${zone}`,
      filePath: 'events.csv',
      fileDelimiter: 'comma',
      processBatchSize: 25,
      keyColumn: 'Email',
      keyField: 'Email',
    }
    const { _id } = (await member.post(`${service}/imports`, draft)).json<{ _id: string }>()
    const done = await ended(member, _id)
    const reasons = await reasonsOf(member, _id)
    expect(reasons).toHaveLength(done.setAsideRecords)
    expect(reasons.filter((reason) => !named.test(reason))).toEqual([])
    const { rows: dates } = await portal.parts.database.pool.query<{ year: number }>(
      `SELECT DISTINCT extract(year FROM event_date AT TIME ZONE 'UTC')::int AS year FROM account_${member.account}.events
      ORDER BY 1`,
    )
    expect(dates).toEqual([{ year: 1000 }, { year: 9999 }])
  })

  test('the API refuses an event outside the valid years, naming them', async () => {
    const member = await memberIn(zone)
    await importFile(portal, member, 'Email\na@x.org\n', { dedupColumns: ['Email'] })
    const [contact] = await contactsOf(member)
    const send = (date: string) =>
      member.post(`${service}/offers/${contact?._id}/events`, [{ event_code: 'open', event_date: date }])
    for (const date of ['9999-12-31T23:30:00-02:00', '1000-01-01T00:30:00+02:00']) {
      const { status, body } = await send(date)
      expect(status).toBe(400)
      expect(JSON.stringify(body)).toMatch(named)
    }
    expect((await send('9999-12-31T23:30:00+02:00')).status).toBeLessThan(300)
  })
})
