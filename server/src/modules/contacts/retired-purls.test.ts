import type { Import, NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { contactsOf, importFile, withPurl } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The PURL of a contact is never given to another one later: pages would show one person the other's data.

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

const offers = '/contact-service/v1/offers'
const namesakes = (...emails: string[]): string =>
  `First,Last,Email\n${emails.map((email) => `Ada,King,${email}\n`).join('')}`
const imported = async (text: string, changes: Partial<NewImport> = withPurl): Promise<void> =>
  expect(await importFile(portal, member, text, changes)).toMatchObject({ status: 'completed' })
const purls = async (): Promise<unknown[]> =>
  (await contactsOf(member)).map(({ Email, purl }) => [Email, purl]).sort((a, b) => (String(a) < String(b) ? -1 : 1))
async function remove(filter: object[], deletedRecords: number): Promise<void> {
  expect((await member.delete(offers, { filter, deletedRecords })).status).toBe(200)
}
const withEmail = (email: string): object[] => [{ $match: { Email: email } }]

test('a later import does not reuse the PURL number of a deleted contact', async () => {
  await imported(namesakes('a@x', 'b@x'))
  await remove(withEmail('b@x'), 1)
  await imported(namesakes('c@x', 'd@x'))
  expect(await purls()).toEqual([
    ['a@x', 'adaking'],
    ['c@x', 'adaking3'],
    ['d@x', 'adaking4'],
  ])
})

test('an import into an emptied account does not reuse PURL numbers of deleted contacts', async () => {
  await imported(namesakes('a@x', 'b@x'))
  await remove([], 2)
  await imported('First,Last,Email\nAda,King,c@x\nBob,Ray,d@x\nAda,King,e@x\n')
  expect(await purls()).toEqual([
    ['c@x', 'adaking3'],
    ['d@x', 'bobray'],
    ['e@x', 'adaking4'],
  ])
  // The same when rows are first compared with contacts.
  await remove([], 3)
  await imported('First,Last,Email,Ignored\nAda,King,f@x,1\n', { ...withPurl, columnMapping: { Ignored: null } })
  expect(await purls()).toEqual([['f@x', 'adaking5']])
})

test('a contact entered in a form does not reuse the PURL number of a deleted one, and its own is not reused', async () => {
  await imported(namesakes('a@x', 'b@x'))
  await remove(withEmail('b@x'), 1)
  const enter = (email: string) => member.post(offers, { values: { First: 'Ada', Last: 'King', Email: email } })
  expect((await enter('c@x')).status).toBe(201)
  expect(await purls()).toContainEqual(['c@x', 'adaking3'])
  await remove(withEmail('c@x'), 1)
  expect((await enter('d@x')).status).toBe(201)
  expect(await purls()).toContainEqual(['d@x', 'adaking4'])
})

test('the former PURL number of a contact that got another PURL is not reused', async () => {
  const follows = { ...withPurl, dedupHashMatching: false }
  await imported(namesakes('a@x'), follows)
  await imported('First,Last,Email\nAda,Ray,a@x\n', follows)
  expect(await purls()).toEqual([['a@x', 'adaray']])
  await imported(namesakes('b@x'), follows)
  expect(await purls()).toContainEqual(['b@x', 'adaking2'])
})

test('PURL numbers given by an undone import, to new or updated contacts, are not reused', async () => {
  const follows = { ...withPurl, dedupHashMatching: false }
  await imported(namesakes('a@x'), follows)
  const { _id } = await importFile(portal, member, 'First,Last,Email\nAda,Ray,a@x\nAda,King,b@x\n', follows)
  expect(await purls()).toEqual([
    ['a@x', 'adaray'],
    ['b@x', 'adaking2'],
  ])
  const path = `/contact-service/v1/imports/${_id}`
  expect((await member.post(`${path}/undo`)).status).toBe(202)
  const isUndone = async () => (await member.get(path)).json<Import>().undo?.status === 'completed'
  await vi.waitUntil(isUndone, { timeout: 40_000, interval: 50 })
  expect(await purls()).toEqual([['a@x', 'adaking']])
  await imported('First,Last,Email\nAda,Ray,c@x\nAda,King,d@x\n', follows)
  expect(await purls()).toEqual([
    ['a@x', 'adaking'],
    ['c@x', 'adaray2'],
    ['d@x', 'adaking3'],
  ])
})

test('PURL numbers of other accounts and of import scopes are counted separately', async () => {
  await imported(namesakes('a@x'))
  await remove([], 1)
  await imported(namesakes('b@x'), { ...withPurl, purlGenerationScope: 'import' })
  expect(await purls()).toEqual([['b@x', 'adaking']])
  member = await portal.member(await portal.account())
  await imported(namesakes('c@x'))
  expect(await purls()).toEqual([['c@x', 'adaking']])
})

test('retired PURL numbers keep no name of a deleted contact', async () => {
  await imported(namesakes('a@x'))
  await remove([], 1)
  const { rows } = await portal.parts.database.pool.query<Record<string, unknown>>(
    `SELECT * FROM account_${member.account}.retired_purls`,
  )
  expect(rows).toMatchObject([{ purl_scope: 0, last_number: 1 }])
  expect(JSON.stringify(rows)).not.toMatch(/ada|king/)
})
