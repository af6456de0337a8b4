import { afterAll, beforeAll, expect, test } from 'vitest'
import { fieldProblems } from '#test/field-problems.ts'
import { anImport, contactsOf, importFile, upload } from '#test/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'

const people = 'Email,Name,City\nada@example.com,Ada,Paris\nbob@example.com,Bob,Rome\ncai@example.com,Cai,Oslo\n'
const path = '/contact-service/v1/imports'
const byEmail = { dedupColumns: ['Email'] }
const problem =
  '3 contacts have no dedup key, since no import before had dedup columns, and would be added a second time. Delete them and import them again with these columns, or leave the dedup columns out.'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const newMember = async (): Promise<Member> => portal.member(await portal.account())

test('dedup that begins later is refused with the number of contacts without a key, and three stay three', async () => {
  const member = await newMember()
  await importFile(portal, member, people)
  await upload(portal, member, 'contacts.csv', people)
  const refused = await member.post(path, anImport(byEmail))
  expect(fieldProblems(refused)).toEqual([{ field: 'dedupColumns', message: problem }])
  expect(await contactsOf(member)).toHaveLength(3)
  // The fix that it names, and the import after it.
  expect((await member.delete('/contact-service/v1/offers', { filter: [], deletedRecords: 3 })).status).toBe(200)
  expect(await importFile(portal, member, people, byEmail)).toMatchObject({ createdRecords: 3 })
  expect(await importFile(portal, member, people, byEmail)).toMatchObject({ status: 'completed', createdRecords: 0 })
})

test('another account is not asked, nor an import whose scope is its own', async () => {
  const member = await newMember()
  const own = { generatePURL: true, purlColumns: ['Name'], purlGenerationScope: 'import' as const, ...byEmail }
  expect(await importFile(portal, member, people, own)).toMatchObject({ createdRecords: 3 })
  expect(await importFile(portal, member, people, own)).toMatchObject({ createdRecords: 3 })
})
