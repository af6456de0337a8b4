import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { deleteBy, listDeletes, missingOf, restored } from '#test/resources/delete-undos.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { createIndex, customIndexes } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { reviewFile, reviewsPath } from '#test/resources/reviews.ts'

// Deletes and their undos where many contacts cannot be restored, or their values are large.

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  owner = await portal.member(await portal.account())
})

const service = '/contact-service/v1'
const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
/** Settings of an import by which no contact is recognized. */
const keyless = { generatePURL: false, purlColumns: [], dedupColumns: [], dedupHashMatching: false }
const fileOf = (names: readonly string[]) => `Name\n${names.join('\n')}\n`

test.each([
  ['some', (at: number) => at % 9 === 4],
  ['all', () => true],
])('with %s values of a unique index taken, each of the other contacts is restored', async (_what, isTaken) => {
  const names = Array.from({ length: 60 }, (_, at) => `n${at}`)
  const taken = names.filter((_, at) => isTaken(at))
  await importFile(portal, owner, fileOf(names), keyless)
  const { _id } = await deleteBy(owner, [], names.length)
  await createIndex(owner, { Name: 1 }, { unique: true, name: 'names' })
  await expect.poll(() => customIndexes(owner)).toMatchObject([{ state: 'ready' }])
  await importFile(portal, owner, fileOf(taken), keyless)
  const figures = { restoredRecords: names.length - taken.length, missingRecords: taken.length }
  expect(await restored(owner, _id)).toMatchObject({ restore: { status: 'completed', ...figures } })
  expect((await missingOf(owner, _id)).map(({ reason }) => reason)).toEqual(taken.map(() => 'value_taken'))
  const found = (await contactsOf(owner)).map(({ Name }) => Name)
  expect(new Set(found)).toEqual(new Set(names))
  expect(found).toHaveLength(names.length)
})

test('long texts of a field whose type has changed are restored a few at a time', async () => {
  const { database } = portal.parts
  const texts = ['1', '2', '3', '4'].map((digit) => digit + 'x'.repeat(5 * 2 ** 20))
  await addContacts(database, owner.account, { Note: 'string' }, [...texts.map((Note) => ({ Note })), { Note: '7' }])
  const { _id } = await deleteBy(owner, [], 5)
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  const note = `${service}/fields/${fields[0]?._id}`
  const reading = { type: 'number', decimal: 'point' }
  expect(await owner.put(`${note}/type`, { reading, broken: 0 })).toMatchObject({ status: 200 })
  await expect
    .poll(async () => (await owner.get(`${service}/fields/details`)).body)
    .toMatchObject([{ type: 'number', typeChange: null }])
  expect(await restored(owner, _id)).toMatchObject({ restore: { restoredRecords: 5, missingValues: 0 } })
  expect((await contactsOf(owner)).map(({ Note }) => Note)).toEqual([undefined, undefined, undefined, undefined, 7])
  const { rows } = await query(
    `SELECT left(written, 1) AS first, length(written) AS length FROM account_${owner.account}.written_texts ORDER BY contact_id`,
  )
  expect(rows).toEqual(['1', '2', '3', '4'].map((first) => ({ first, length: 5 * 2 ** 20 + 1 })))
})

test('a contact that is too large to be kept is deleted for good, and the others can be restored', async () => {
  const names = Array.from({ length: 14 }, (_, at) => `Long ${at}`)
  const types = { Name: 'string', ...Object.fromEntries(names.map((name) => [name, 'string' as const])) } as const
  const ids = await addContacts(portal.parts.database, owner.account, types, [{ Name: 'Ada' }, { Name: 'Bob' }])
  const { rows: columns } = await query(
    `SELECT string_agg(format('c%s = repeat(''x'', 20000000)', coalesce(column_no, id)), ', ') AS set
     FROM account_${owner.account}.fields WHERE name LIKE 'Long %'`,
  )
  const [{ set }] = columns as [{ set: string }]
  await query(`UPDATE account_${owner.account}.contacts SET ${set} WHERE id = $1`, ids[0])
  await deleteBy(owner, [], 2)
  const [deleted] = await listDeletes(owner)
  expect(deleted).toMatchObject({ status: 'completed', processedRecords: 2, restorableRecords: 1 })
  expect(await restored(owner, deleted?._id ?? '')).toMatchObject({
    restore: { restoredRecords: 1, missingRecords: 0 },
  })
  expect(await contactsOf(owner)).toMatchObject([{ Name: 'Bob' }])
})

test('erasing contacts for good also removes reviews of imports, whose examples may have their values', async () => {
  const byEmail = { ...keyless, dedupColumns: ['Email'] }
  await importFile(portal, owner, 'Email,Name\na@x,Ada\n', byEmail)
  const review = await reviewFile(portal, owner, 'Email,Name\na@x,Eve\n', byEmail)
  expect(JSON.stringify(review)).toContain('Ada')
  const { _id } = await deleteBy(owner, [], 1)
  expect(await owner.delete(`${service}/deletes/${_id}/contents`, { deletedRecords: 1 })).toMatchObject({ status: 200 })
  expect(await owner.get(`${reviewsPath}/${review._id}`)).toMatchObject({ status: 404 })
})
