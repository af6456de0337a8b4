import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { importWorkers } from '#test/processes/import-workers.ts'
import { anImport, contactsOf, importFile, submit, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const people = 'Email,Name,City\nada@example.com,Ada,Paris\nbob@example.com,Bob,Rome\ncai@example.com,Cai,Oslo\n'
const path = '/contact-service/v1/imports'
const byEmail = { dedupColumns: ['Email'] }
const problem =
  '3 contacts have no dedup key, since no import before had dedup columns, and would be added a second time. Compute keys for the existing contacts, delete them and import them again with these columns, or leave the dedup columns out.'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const newMember = async (): Promise<Member> => portal.member(await portal.account())

test('adding dedup columns later is refused with the number of contacts without a key', async () => {
  const member = await newMember()
  await importFile(portal, member, people)
  await upload(portal, member, 'contacts.csv', people)
  const refused = await member.post(path, anImport(byEmail))
  expect(fieldProblems(refused)).toEqual([{ field: 'dedupColumns', message: problem }])
  expect(await contactsOf(member)).toHaveLength(3)
  // The fix suggested by the message, followed by the import.
  expect((await member.delete('/contact-service/v1/offers', { filter: [], deletedRecords: 3 })).status).toBe(200)
  expect(await importFile(portal, member, people, byEmail)).toMatchObject({ createdRecords: 3 })
  expect(await importFile(portal, member, people, byEmail)).toMatchObject({ status: 'completed', createdRecords: 0 })
})

test('other accounts, and imports with a scope of their own, are not affected', async () => {
  const member = await newMember()
  const own = { generatePURL: true, purlColumns: ['Name'], purlGenerationScope: 'import' as const, ...byEmail }
  expect(await importFile(portal, member, people, own)).toMatchObject({ createdRecords: 3 })
  expect(await importFile(portal, member, people, own)).toMatchObject({ createdRecords: 3 })
})

describe('while the first import with dedup columns is loading', () => {
  let idle: TestPortal
  beforeAll(async () => {
    // Without a worker: the import runs in a separate process, which is killed before it has created the keys.
    idle = await startPortal()
  })
  afterAll(() => idle.close())

  test('the next import is accepted, and each contact is created once', async () => {
    const member = await idle.member(await idle.account())
    const stateOf = async (_member: Member, id: string) => {
      const { rows } = await idle.parts.database.pool.query<{ status: string; contacts: number }>(
        `SELECT status, (SELECT count(*)::int FROM account_${member.account}.contacts) AS contacts
         FROM account_${member.account}.imports WHERE id = $1`,
        [id],
      )
      return rows[0] ?? { status: 'gone', contacts: 0 }
    }
    const { killWhen, finish } = importWorkers(() => idle, stateOf)
    const many = Array.from({ length: 60_000 }, (_row, at) => `p${at}@example.com,Person ${at}\n`)
    const file = `Email,Name\n${many.join('')}`
    const first = await submit(idle, member, file, byEmail)
    expect(await killWhen(member, first._id, ({ contacts }) => contacts > 0)).toBe(true)
    const keys = await idle.parts.database.pool.query(`SELECT FROM account_${member.account}.contact_keys`)
    expect(keys.rowCount).toBe(0)

    const second = await submit(idle, member, file, { ...byEmail, filePath: 'second.csv' })
    expect(await finish(member, first._id)).toMatchObject({ status: 'completed', createdRecords: 60_000 })
    expect(await finish(member, second._id)).toMatchObject({ status: 'completed', createdRecords: 0 })
  })
})
