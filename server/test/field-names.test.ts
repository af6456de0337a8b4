import { guardFormula } from '@portico/contract/exported-values'
import type { Field } from '@portico/contract/contacts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCsv } from '#test/kit/csv.ts'
import { createExport, downloadExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Names that a language, a spreadsheet, JavaScript or the portal itself could mistake for something else.

const names = [
  'id',
  'count',
  'Qty.',
  'Sp. Atk',
  'a[0]',
  '% open',
  'rate % of ::x',
  '$price',
  '$match',
  '-minus',
  'say "hi"',
  "it's",
  'back\\slash',
  'Umsatz (€)',
  'sum of Qty.',
  'Select All',
  'null',
  'true',
  '0',
  'year',
  '名前',
  'שם',
  'a/b',
  'a?b&c=d#e',
  '<b>bold</b>',
  'x{{y}}z',
  'two::parts',
  'comma, in it',
  'ctid',
  'xmin',
  'tableoid',
  'email address',
]

let portal: TestPortal
let member: Member

const line = (cells: readonly (string | number)[]): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(',')}\n`

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  member = await portal.member(await portal.account())
  const file = line(names) + line(names.map((_name, at) => at + 1)) + line(names.map((_name, at) => at + 101))
  await importFile(portal, member, file, { typeCasting: true })
})
afterAll(() => portal.close())

const ask = async (query: Record<string, unknown>): Promise<unknown> => {
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const reply = await member.get(
    `/contact-service/v1/offers?${new URLSearchParams(texts as [string, string][]).toString()}`,
  )
  return reply.status === 200 ? reply.body : reply
}

describe.each(names.map((name, at): [string, number] => [name, at + 1]))('the field %j', (name, low) => {
  const high = low + 100
  test('can be filtered, sorted, selected and grouped by', async () => {
    expect(await ask({ find: [{ $match: { [name]: high } }] })).toMatchObject([{ [name]: high }])
    expect(await ask({ find: [{ $match: { $and: [{ [name]: { $gt: low } }] } }], count: '' })).toEqual({ count: 1 })
    expect(await ask({ sort: { [name]: -1 } })).toMatchObject([{ [name]: high }, { [name]: low }])
    const column = `"${name.replaceAll('"', '""')}"`
    expect(await ask({ select: column, sort: { [name]: 1 } })).toMatchObject([{ [name]: low }, { [name]: high }])
    const groups = [{ $group: { _id: { key: `$${name}` }, sum: { $sum: `$${name}` } } }, { $sort: { key: 1 } }]
    expect(await ask({ aggregate: groups })).toEqual([
      { key: low, sum: low },
      { key: high, sum: high },
    ])
  })
})

test('all such fields and groups by each can be exported', async () => {
  const { _id } = await createExport(member, exportDraft(names))
  expect(await endedExport(member, _id)).toMatchObject({ status: 'completed' })
  const [header, first] = parseCsv((await downloadExport(portal, member, `${_id}.csv`)).text, ',')
  expect(header).toEqual(names.map(guardFormula))
  expect(first).toEqual(names.map((_name, at) => String(at + 1)))
  const fields = (await member.get('/contact-service/v1/fields')).json<Field[]>()
  expect(fields.map(({ name }) => name)).toEqual(names)
})

const reserved = (column: string): string =>
  `${column}, which begins with "events." as the fields of events do. Rename it, leave it out, or import the file as events.`

test.each(['events.price', 'Events.event_code', ' EVENTS. '])(
  'a column named %j is refused, with its number and the fix',
  async (name) => {
    const file = line(['A', name]) + line([1, 2])
    const refused = await importFile(portal, member, file)
    expect(refused).toMatchObject({ status: 'rejected', recoveryError: reserved(`Column 2 is named "${name.trim()}"`) })
    const mapped = await importFile(portal, member, file, { columnMapping: { [name.trim()]: 'Price' } })
    expect(mapped).toMatchObject({ status: 'completed' })
  },
)

test('a column cannot be mapped to a reserved name', async () => {
  const refused = await importFile(portal, member, 'A\n1\n', { columnMapping: { A: 'events.A' } })
  expect(refused).toMatchObject({ status: 'rejected', recoveryError: reserved('"A" is mapped to "events.A"') })
})
