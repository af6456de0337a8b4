import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Contact, contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

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

const lineOf = (reader: Member, { _id: id }: Pick<Import, '_id'>, contact: string) =>
  reader.get(`/contact-service/v1/imports/${id}/contacts/${contact}`)

/** Contacts whose reported line differs from the one in their field Line. */
async function mistakenOf(made: Import, contacts: readonly Contact[]): Promise<unknown[]> {
  const told = await Promise.all(
    contacts.map(async ({ _id, Line }) => ({ Line, ...(await lineOf(member, made, _id)).json<{ line: number }>() })),
  )
  return told.filter(({ Line, line }) => String(line) !== Line)
}

/** Rows with their own line number as a value, among blank lines, multi-line values and rows to be set aside. */
function unevenFile(rows: number): string {
  let text = 'Line,Email,Note\n'
  let line = 2
  const add = (part: string) => {
    text += part
    line += part.split('\n').length - 1
  }
  for (let row = 0; row < rows; row++) {
    if (row % 3 === 1) add('\n')
    if (row % 7 === 2) add('too,few\n')
    add(`${line},${row}@example.com,${row % 5 === 3 ? '"one\ntwo\nthree"' : 'plain'}\n`)
  }
  return text
}

test('a contact has its line number, past blank lines, multi-line values and set-aside rows', async () => {
  const made = await importFile(portal, member, unevenFile(60))
  const contacts = await contactsOf(member)
  expect(contacts).toHaveLength(60)
  expect(await mistakenOf(made, contacts)).toEqual([])
})

test('each of thousands of contacts on shifted lines has its line number', async () => {
  const made = await importFile(portal, member, unevenFile(5000))
  const { body } = await member.get('/contact-service/v1/offers?limit=1000&skip=3500')
  const some = (body as Contact[]).filter((_, index) => index % 97 === 0)
  expect(some).toHaveLength(11)
  expect(await mistakenOf(made, some)).toEqual([])
})

test('rows of one contact have the line of the first of them, with and without existing contacts', async () => {
  const keys = { generatePURL: true, purlColumns: ['Email'], dedupColumns: ['Email'] }
  const rows = (lines: number[], name: string) => lines.map((line) => `${line},${name}${line},x\n`).join('')
  const first = await importFile(
    portal,
    member,
    `Line,Email,Note\nbroken\n${rows([3, 4], 'a')},a3,again\n\n7,b7,y\n`,
    keys,
  )
  const second = await importFile(
    portal,
    member,
    `Line,Email,Note\n,a3,known\n\n${rows([4, 5], 'c')},c4,again\n7,d7,z\n`,
    keys,
  )
  const contacts = await contactsOf(member)
  expect(contacts.map(({ Line }) => Line)).toEqual(['3', '4', '7', '4', '5', '7'])
  expect(await mistakenOf(first, contacts.slice(0, 3))).toEqual([])
  expect(await mistakenOf(second, contacts.slice(3))).toEqual([])
})

test('lines require the right to see imports, in the account and for contacts of the import', async () => {
  const made = await importFile(portal, member, 'Line\n2\n')
  const [contact] = await contactsOf(member)
  const id = contact?._id ?? ''
  const searcher = await portal.member(member.account, 'contact-service::offers::get')
  expect((await lineOf(searcher, made, id)).status).toBe(403)
  expect((await lineOf(await portal.member(await portal.account()), made, id)).status).toBe(404)
  expect((await lineOf(member, { _id: '99' }, id)).status).toBe(404)
  for (const other of ['0', 'x', String(BigInt(id) + 1n), String(BigInt(id) - 1n)]) {
    expect((await lineOf(member, made, other)).status).toBe(404)
  }
})
