import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { computedKeys } from '#test/resources/dedup-keys.ts'
import { askRestore, deleteBy, missingOf, restored } from '#test/resources/delete-undos.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { askMerge, merged } from '#test/resources/merges.ts'
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
