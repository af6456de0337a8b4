import type { Import, NewEventImport } from '@portico/contract/imports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCsv } from '#test/kit/csv.ts'
import { json } from '#test/kit/crowd.ts'
import { createExport, downloadExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { contactsOf, ended, importFile, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// PostgreSQL and Python write moments with microseconds. All readers of moments in the portal use milliseconds, which
// is therefore the stored precision.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const newMember = async (): Promise<Member> => portal.member(await portal.account())

const fine = `Email,At
a@x.org,2026-01-31T09:30:00.123456Z
b@x.org,2026-01-31T09:30:00.123499Z
c@x.org,2026-01-31T09:30:00.123Z
d@x.org,2026-01-31T09:30:59.9996Z
`
const at = '2026-01-31T09:30:00.123Z'
const typed = { typeCasting: true }
const byEmail = { ...typed, dedupColumns: ['Email'] }

/** Expects a list, a group and a filter to agree on moments with milliseconds. */
async function expectMilliseconds(member: Member): Promise<void> {
  const moments = (await contactsOf(member)).map(({ At }) => At)
  expect(moments).toEqual([at, at, at, '2026-01-31T09:31:00.000Z'])
  const group = [{ $group: { _id: '$At', count: { $count: {} } } }]
  const groups = await member.get(`/contact-service/v1/offers?aggregate=${json(group)}`)
  expect(groups.body).toEqual([
    { _id: at, count: 3 },
    { _id: '2026-01-31T09:31:00.000Z', count: 1 },
  ])
  const found = await member.get(`/contact-service/v1/offers?find=${json([{ $match: { At: at } }])}&count=1`)
  expect(found.body).toEqual({ count: 3 })
}

describe('moments finer than a millisecond', () => {
  test.each([
    ['of a first import', async () => {}, byEmail],
    ['of an import without keys', async () => {}, typed],
    [
      'of an import into other contacts',
      async (member: Member) => {
        await importFile(portal, member, 'Email,At\na@x.org,2025-01-01 10:00\n', byEmail)
      },
      byEmail,
    ],
    [
      'in a field of an earlier release',
      async (member: Member) => {
        await importFile(portal, member, 'Email,At\na@x.org,2025-01-01 10:00\n', typed)
        expect(await member.delete('/contact-service/v1/offers', { filter: [], deletedRecords: 1 })).toMatchObject({
          status: 200,
        })
        await portal.parts.database.pool.query(
          `ALTER TABLE account_${member.account}.contacts ALTER COLUMN c2 TYPE timestamptz`,
        )
      },
      typed,
    ],
  ])('%s are rounded once, consistently for groups, filters and files', async (_name, prepare, settings) => {
    const member = await newMember()
    await prepare(member)
    expect(await importFile(portal, member, fine, settings)).toMatchObject({ status: 'completed', setAsideRecords: 0 })
    await expectMilliseconds(member)
  })

  test('survive an export and a new import unchanged', async () => {
    const member = await newMember()
    await importFile(portal, member, fine, byEmail)
    const { _id } = await createExport(member, exportDraft(['Email', 'At']))
    await endedExport(member, _id)
    const { text } = await downloadExport(portal, member, `${_id}.csv`)
    expect(parseCsv(text, ',')).toHaveLength(5)
    const again: Import = await importFile(portal, member, text, byEmail)
    expect(again).toMatchObject({ createdRecords: 0, updatedRecords: 0, unchangedRecords: 4 })
  })

  test('that differ by milliseconds keep contacts apart', async () => {
    const member = await newMember()
    const rows = 'Email,At\na@x.org,2026-01-31T09:30:00.123456Z\na@x.org,2026-01-31T09:30:00.124456Z\n'
    expect(await importFile(portal, member, rows, { ...typed, dedupColumns: ['Email', 'At'] })).toMatchObject({
      createdRecords: 2,
    })
  })

  test('of events are rounded too', async () => {
    const member = await newMember()
    await importFile(portal, member, 'Email\na@x.org\n', { dedupColumns: ['Email'] })
    await upload(
      portal,
      member,
      'events.csv',
      'Email,event_code,event_date\na@x.org,open,2026-01-31T09:30:00.123456Z\n',
    )
    const draft: NewEventImport = {
      kind: 'events',
      name: 'Fine events',
      filePath: 'events.csv',
      fileDelimiter: 'comma',
      processBatchSize: 25,
      keyColumn: 'Email',
      keyField: 'Email',
    }
    const { _id } = (await member.post('/contact-service/v1/imports', draft)).json<Import>()
    expect(await ended(member, _id)).toMatchObject({ createdRecords: 1 })
    const found = [{ $match: { events: { $elemMatch: { event_date: at } } } }]
    expect((await member.get(`/contact-service/v1/offers?find=${json(found)}&count=1`)).body).toEqual({ count: 1 })
  })
})
