import { CellChart } from '@portico/contract/dashboards/cell-chart'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { beSignedIn } from '#test/server.ts'
import { csvOf, workbookOf } from './cell-files.ts'

test('calculated columns are in their position, with 15 digits', () => {
  const chart = CellChart.parse({
    type: 'CalculatedTable',
    filter: { standard: [{ $group: { _id: { City: '$City' }, total: { $sum: '$Age' } } }] },
    calculatedColumns: [
      { name: 'Third', expression: '{{total}} / 3', fix: 'none', position: 'b::total' },
      { name: 'Price', expression: '{{Third}} * 2', fix: 'pre::$', position: 'e' },
      { name: 'Lost', expression: '{{gone}} * 2', fix: 'pre::$', position: 'e' },
    ],
  })
  const fields = [{ name: 'City', type: 'string' as const }]
  expect(csvOf(chart, { rows: [{ City: 'Oslo', total: 10 }], fields })).toBe(
    'City,Third,total,Price,Lost\r\nOslo,3.33333333333333,10,$6.66666666666667,\r\n',
  )
})

test('values are quoted where needed, and no text is read as a formula', () => {
  const chart = CellChart.parse({
    type: 'Table',
    filter: { standard: [{ $group: { _id: { City: '$City' }, total: { $sum: '$Age' } } }] },
  })
  const rows = [
    { City: 'Oslo, "north"', total: -5 },
    { City: '=1+1', total: 2.5 },
    { City: null, total: null },
  ]
  const fields = [{ name: 'City', type: 'string' as const }]
  expect(csvOf(chart, { rows, fields })).toBe('City,total\r\n"Oslo, ""north""",-5\r\n\'=1+1,2.5\r\n,\r\n')
})

const grouped = CellChart.parse({
  type: 'Table',
  filter: { standard: [{ $group: { _id: { City: '$City', Month: { $month: '$Joined' } }, count: { $sum: '$Age' } } }] },
})
const known = [
  { name: 'City', type: 'string' as const },
  { name: 'Joined', type: 'date' as const },
]
const csvLine = (City: unknown): string | undefined =>
  csvOf(grouped, { rows: [{ City, Month: 5, count: 1 }], fields: known })
    .split('\r\n')
    .at(1)

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+cmd|x', "'+cmd|x"],
  ['-2+3', "'-2+3"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['+41791234567', '+41791234567'],
  ['-12.5', '-12.5'],
  ['a"b', '"a""b"'],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
  [' a', '" a"'],
  [-5, '-5'],
  [1e21, '1000000000000000000000'],
  [1.5e-21, '0.0000000000000000000015'],
  [0.1 + 0.2, '0.3'],
  [true, 'true'],
])('%j is written as %j, and a month by its name', (value, text) => {
  expect(csvLine(value)).toBe(`${text},May,1`)
})

test('a period is written as its first day', () => {
  const key = { $dateTrunc: { date: '$Joined', unit: 'quarter' } }
  const chart = CellChart.parse({
    type: 'Table',
    filter: { standard: [{ $group: { _id: { 'Joined by quarter': key }, count: { $count: {} } } }] },
  })
  const rows = [
    { 'Joined by quarter': '2026-10-01', count: 3 },
    { 'Joined by quarter': null, count: 1 },
  ]
  expect(csvOf(chart, { rows, fields: known })).toBe('Joined by quarter,count\r\n2026-10-01,3\r\n,1\r\n')
})

const opened = (workbook: Uint8Array): Record<string, string> =>
  Object.fromEntries(Object.entries(unzipSync(workbook)).map(([path, part]) => [path, strFromU8(part)]))

test('a workbook has typed cells in a sheet named after the title, with moments in the time zone of the account', () => {
  beSignedIn({ timeZone: 'America/New_York' })
  const chart = CellChart.parse({
    type: 'PaginaTable',
    title: 'People: all',
    filter: { standard: [], columns: ['Name', 'Gift', 'Seen'] },
  })
  const money = { style: 'currency' as const, decimals: 2, currency: 'USD' }
  const fields = [
    { name: 'Name', type: 'string' as const },
    { name: 'Gift', type: 'number' as const, format: money },
    { name: 'Seen', type: 'date' as const },
  ]
  const parts = opened(
    workbookOf(chart, { rows: [{ Name: '=1+1', Gift: 2.5, Seen: '2026-01-31T17:00:00.000Z' }], fields }),
  )
  expect(parts['xl/workbook.xml']).toContain('<sheet name="People_ all"')
  expect(parts['xl/styles.xml']).toContain('&quot;$&quot;#,##0.00')
  const sheet = parts['xl/worksheets/sheet1.xml'] ?? ''
  expect(sheet).toContain('<pane ySplit="1"')
  expect(/<row r="2">.*<\/row>/.exec(sheet)?.[0]).toBe(
    '<row r="2"><c r="A2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>' +
      '<c r="B2" s="4"><v>2.5</v></c><c r="C2" s="2"><v>46053.5</v></c></row>',
  )
})

test('the error names the column of a text that is too long for a cell of a workbook', () => {
  beSignedIn()
  const chart = CellChart.parse({ type: 'PaginaTable', filter: { standard: [], columns: ['Notes'] } })
  expect(() => workbookOf(chart, { rows: [{ Notes: 'a'.repeat(32_768) }], fields: [] })).toThrow(
    '"Notes" has a text of more than 32,767 characters, the most that a cell of an Excel workbook takes. Save the table as CSV.',
  )
})

test('running values of a chart are columns of its files, over all months', () => {
  const standard = [
    { $group: { _id: { M: { $dateTrunc: { date: '$Joined', unit: 'month' } } }, n: { $count: {} } } },
    { $sort: { M: -1 } },
  ]
  const chart = (type: string) =>
    CellChart.parse({ type, filter: { standard }, portico: { display: { running: { n: { kind: 'cumulative' } } } } })
  const rows = [
    { M: '2026-04-01', n: 3 },
    { M: '2026-01-01', n: 10 },
    { M: null, n: 5 },
  ]
  expect(csvOf(chart('Line'), { rows, fields: known })).toBe(
    'M,n,n (cumulative)\r\n2026-04-01,3,13\r\n2026-01-01,10,10\r\n,5,\r\n',
  )
  expect(csvOf(chart('Pie'), { rows, fields: known }).split('\r\n')[0]).toBe('M,n')
})
