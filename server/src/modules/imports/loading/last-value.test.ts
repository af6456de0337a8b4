import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let owner: Member
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const header = 'Email,Name,Score,Member,Joined,Seen\n'
const settings = { typeCasting: true, dedupColumns: ['Email'] }
const load = (rows: string[]) => importFile(portal, owner, `${header}${rows.join('\n')}\n`, settings)

/** Rows of one contact whose values grow less, up to the last one with a value in each column; then blank ones. */
const rowsOf = (email: string, last: string[]): string[] => [
  ...Array.from(
    { length: 120 },
    (_row, at) => `${email},z${at},${9000 - at},${at % 2 === 0},2999-01-01,2999-01-01 10:00`,
  ),
  ...last.map((value, at) => `${email},${last.map((_value, index) => (index === at ? value : '')).join()}`),
  `${email},,,,,`,
]

test('the last value of each type wins among many rows of a contact, in a first import and in a later one', async () => {
  const first = rowsOf('none@x', ['a b', '-1.5', 'false', '1999-12-31', '1999-12-31 09:30'])
  expect(await load(first)).toMatchObject({ status: 'completed', createdRecords: 1 })
  const expected = { Name: 'a b', Score: -1.5, Member: false, Joined: '1999-12-31', Seen: '1999-12-31T09:30:00.000Z' }
  expect(await contactsOf(owner)).toMatchObject([expected])
  const later = [...rowsOf('none@x', ['ä', '0.1', 'true', '1000-01-01', '1000-01-01 00:00']), 'new@x,,,,,']
  expect(await load(later)).toMatchObject({ status: 'completed', createdRecords: 1 })
  expect((await contactsOf(owner)).find(({ Email }) => Email === 'none@x')).toMatchObject({
    Name: 'ä',
    Score: 0.1,
    Member: true,
    Joined: '1000-01-01',
    Seen: '1000-01-01T00:00:00.000Z',
  })
})

test('an import collects no array of the values of a contact, which may have all rows of a file, to take one of them', () => {
  const folders = ['.', '../review'].map((folder) => new URL(`${folder}/`, import.meta.url))
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
  const sources = files.filter(({ pathname }) => pathname.endsWith('.ts') && !pathname.endsWith('.test.ts'))
  const found = sources.filter((file) => /array_agg\([^;]*\)\[1\]/.test(readFileSync(file, 'utf8')))
  expect(found.map(({ pathname }) => pathname.split('/').at(-1))).toEqual([])
})
