import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { computedKeys, dedupKeysPath, readDedupKeys } from '#test/resources/dedup-keys.ts'
import { askRestore, deleteBy, missingOf, restored } from '#test/resources/delete-undos.ts'
import { anImport, contactsOf, importFile, upload } from '#test/resources/imports.ts'
import { askMerge, editField, merged } from '#test/resources/merges.ts'
import { reviewFile } from '#test/resources/reviews.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Contacts with computed keys are merged, deleted and changed; no contact may be added or lost by it.

let portal: TestPortal
let ann: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  ann = await portal.member(await portal.account())
})

const byEmail = { dedupColumns: ['Email'] }
const names = async () => (await contactsOf(ann)).map(({ Name }) => Name)

/** Imports three contacts with the same address and computes keys: the first one gets the key. */
async function triplets(): Promise<string[]> {
  await importFile(portal, ann, 'Name,Email\nAda,a@x\nAda2,a@x\nAda3,a@x\n')
  expect(await computedKeys(ann, ['Email'])).toMatchObject({ keyedRecords: 1, duplicateRecords: 2 })
  return (await contactsOf(ann)).map(({ _id }) => _id)
}

test('a duplicate that stays after a merge gets the key, and the merge can be undone', async () => {
  const [ada = '', second = ''] = await triplets()
  const { delete: id } = await merged(ann, second, ada, { Name: ['Ada2', 'Ada'] })
  expect(await importFile(portal, ann, 'Name,Email\nAda2,a@x\n', byEmail)).toMatchObject({ createdRecords: 0 })
  expect(await restored(ann, id)).toMatchObject({ restore: { status: 'completed', restoredRecords: 1 } })
  expect(await missingOf(ann, id)).toEqual([])
  // The one that returns has its key again.
  const update = await importFile(portal, ann, 'Name,Email\nLovelace,a@x\n', byEmail)
  expect(update).toMatchObject({ createdRecords: 0, updatedRecords: 1 })
  expect(await names()).toEqual(['Lovelace', 'Ada2', 'Ada3'])
})

test('two duplicates without the key can be merged, and that can be undone', async () => {
  const [, second = '', third = ''] = await triplets()
  const { delete: id } = await merged(ann, third, second, { Name: ['Ada3', 'Ada2'] })
  expect(await restored(ann, id)).toMatchObject({ restore: { status: 'completed', restoredRecords: 1 } })
  expect(await names()).toEqual(['Ada', 'Ada2', 'Ada3'])
  // A change to an address of another contact is still refused.
  await importFile(portal, ann, 'Name,Email\nEve,e@x\n', byEmail)
  const eve = (await contactsOf(ann)).find(({ Name }) => Name === 'Eve')?._id ?? ''
  const wanted = { Name: ['Eve', 'Ada3'], Email: ['e@x', 'a@x', 'other'] } as const
  expect(await askMerge(ann, eve, third, wanted as never)).toMatchObject({ body: { error: { code: 'key_taken' } } })
})

test('deleted contacts do not return with computed keys once imports have other dedup columns', async () => {
  await importFile(portal, ann, 'Name,Email\nAda,a@x\nBob,b@x\n')
  await computedKeys(ann, ['Email'])
  const { _id } = await deleteBy(ann, [{ $match: { Name: { $exists: true } } }], 2)
  expect(await importFile(portal, ann, 'Name,Email\nCai,c@x\n', { dedupColumns: ['Name'] })).toMatchObject({
    createdRecords: 1,
  })
  const message = expect.stringContaining('contacts are recognized by "Name", and these have keys of "Email".')
  expect(await askRestore(ann, _id)).toMatchObject({
    status: 409,
    body: { error: { code: 'not_restorable', message } },
  })
})

test('deleted contacts of imports with their own scope return, whatever columns the other imports have', async () => {
  const own = {
    dedupColumns: ['Email'],
    purlGenerationScope: 'import' as const,
    generatePURL: true,
    purlColumns: ['Name'],
  }
  await importFile(portal, ann, 'Name,Email\nAda,a@x\n', own)
  const { _id } = await deleteBy(ann, [{ $match: { Name: 'Ada' } }], 1)
  await importFile(portal, ann, 'Name,Email\nCai,c@x\n', own)
  expect(await restored(ann, _id)).toMatchObject({ restore: { status: 'completed', restoredRecords: 1 } })
})

test('the type of a field by which keys were computed cannot be changed', async () => {
  await importFile(portal, ann, 'Name,Code\nAda,007\nBob,008\n')
  await computedKeys(ann, ['Code'])
  const answer = await ann.put('/contact-service/v1/fields/2/type', { reading: { type: 'number' } })
  expect(answer).toMatchObject({
    status: 409,
    body: { error: { code: 'in_use', message: expect.stringContaining('"Code"') } },
  })
})

describe('when the contacts that had the keys are gone', () => {
  const people = 'Name,Email\nAda,a@x\nBob,b@x\n'
  const imports = '/contact-service/v1/imports'
  const compute = (columns: string[]) => ann.post(dedupKeysPath, { dedupColumns: columns })
  const refusal = async (columns: string[]) => fieldProblems(await compute(columns))
  const withoutKey = async () => (await readDedupKeys(ann)).contactsWithoutKey
  const fixed = [{ field: 'dedupColumns', message: 'Cannot be changed anymore: Email' }]
  const none = [{ field: 'dedupColumns', message: 'There are no contacts without a dedup key.' }]

  /** Loads the same file twice and computes keys: the contacts of the first import get them. */
  async function twice(): Promise<void> {
    for (const filePath of ['a.csv', 'b.csv']) await importFile(portal, ann, people, { filePath })
    expect(await computedKeys(ann, ['Email'])).toMatchObject({ keyedRecords: 2, duplicateRecords: 2 })
    expect(await withoutKey()).toBe(0)
    expect(await refusal(['Email'])).toEqual(none)
  }

  async function undone(id: string): Promise<void> {
    expect(await ann.post(`${imports}/${id}/undo`)).toMatchObject({ status: 202 })
    const isDone = async () => (await ann.get(`${imports}/${id}`)).json<Import>().undo?.status === 'completed'
    await vi.waitUntil(isDone, { timeout: 20_000, interval: 20 })
  }

  test('with all of them, imports are refused until the keys are computed again', async () => {
    await twice()
    await undone('1')
    expect(await withoutKey()).toBe(2)
    await upload(portal, ann, 'contacts.csv', people)
    const refused = async (dedupColumns: string[]) => fieldProblems(await ann.post(imports, anImport({ dedupColumns })))
    const again = '2 contacts have no dedup key, and would be added a second time. Compute the keys again.'
    expect(await refused(['Email'])).toEqual([{ field: 'dedupColumns', message: again }])
    expect(await refused(['Name'])).toMatchObject([{ field: 'dedupColumns' }])
    expect(await computedKeys(ann, ['Email'])).toMatchObject({ keyedRecords: 2, duplicateRecords: 0 })
    expect(await withoutKey()).toBe(0)
    expect(await importFile(portal, ann, 'Name,Email\nAda3,a@x\nBob3,b@x\n', byEmail)).toMatchObject({
      createdRecords: 0,
      updatedRecords: 2,
    })
  })

  test('with one of them, keys are computed again from the same columns, and contacts deleted before can return', async () => {
    await twice()
    await ann.post('/contact-service/v1/offers', { values: { Name: 'Cai', Email: 'c@x' } })
    const { _id } = await deleteBy(ann, [{ $match: { $or: [{ Name: 'Ada', Import: 1 }, { Name: 'Cai' }] } }], 2)
    expect(await withoutKey()).toBe(1)
    expect(await refusal(['Name'])).toEqual(fixed)
    expect(await computedKeys(ann, ['Email'])).toMatchObject({ keyedRecords: 2, duplicateRecords: 1 })
    expect(await restored(ann, _id)).toMatchObject({ restore: { status: 'completed', restoredRecords: 1 } })
    expect(await names()).toEqual(['Cai', 'Bob', 'Ada', 'Bob'])
    expect(await missingOf(ann, _id)).toMatchObject([{ reason: 'key_taken' }])
    expect(await withoutKey()).toBe(0)
    expect(await refusal(['Email'])).toEqual(none)
  })

  test('with one of them, an import and its review recognize the other', async () => {
    await twice()
    await deleteBy(ann, [{ $match: { Name: 'Ada', Import: 1 } }], 1)
    expect(await withoutKey()).toBe(1)
    const counts = { createdRecords: 1, updatedRecords: 1 }
    expect(await reviewFile(portal, ann, 'Name,Email\nAda3,a@x\nCai,c@x\n', byEmail)).toMatchObject({ outcome: counts })
    expect(await importFile(portal, ann, 'Name,Email\nAda3,a@x\nCai,c@x\n', byEmail)).toMatchObject(counts)
    expect(await withoutKey()).toBe(0)
    expect(await names()).toEqual(['Bob', 'Ada3', 'Bob', 'Cai'])
  })

  test('with very many of them, all are recognized', async () => {
    const rows = Array.from({ length: 6000 }, (_, at) => `P${at},p${at}@x\n`).join('')
    for (const filePath of ['a.csv', 'b.csv']) await importFile(portal, ann, `Name,Email\n${rows}`, { filePath })
    expect(await computedKeys(ann, ['Email'])).toMatchObject({ keyedRecords: 6000, duplicateRecords: 6000 })
    await deleteBy(ann, [{ $match: { Import: 1, Name: { $ne: 'P0' } } }], 5999)
    expect(await importFile(portal, ann, `Name,Email\n${rows}`, byEmail)).toMatchObject({ createdRecords: 0 })
  })

  test('after imports with dedup columns, keys are computed from these', async () => {
    await twice()
    expect(
      await importFile(portal, ann, 'Name,Mail\nCai,c@x\n', {
        dedupColumns: ['Mail'],
        columnMapping: { Mail: 'Email' },
      }),
    ).toMatchObject({ createdRecords: 1 })
    const [ada] = await contactsOf(ann)
    expect((await editField(ann, ada?._id ?? '', 'Email', 'a@x', 'z@x')).status).toBe(200)
    expect(await withoutKey()).toBe(1)
    expect(await refusal(['Name'])).toEqual(fixed)
    await deleteBy(ann, [{ $match: { Email: { $in: ['z@x', 'c@x'] } } }], 2)
    await undone('1')
    // No contact has a key, and yet the columns of the import bind.
    expect(await withoutKey()).toBe(2)
    expect(await refusal(['Name'])).toEqual(fixed)
    expect(await computedKeys(ann, ['Email'])).toMatchObject({ keyedRecords: 2, duplicateRecords: 0 })
  })
})

test('a contact entered after keys were computed of blanks alone is not added a second time', async () => {
  await importFile(portal, ann, 'Name,Email\nAda,\n')
  expect(await computedKeys(ann, ['Email'])).toMatchObject({ blankRecords: 1 })
  expect((await readDedupKeys(ann)).contactsWithoutKey).toBe(0)
  await ann.post('/contact-service/v1/offers', { values: { Email: 'eve@x' } })
  expect((await readDedupKeys(ann)).contactsWithoutKey).toBe(2)
  await upload(portal, ann, 'contacts.csv', 'Email\neve@x\n')
  const refused = await ann.post('/contact-service/v1/imports', anImport(byEmail))
  expect(fieldProblems(refused)).toMatchObject([{ message: expect.stringContaining('Compute the keys again.') }])
})
