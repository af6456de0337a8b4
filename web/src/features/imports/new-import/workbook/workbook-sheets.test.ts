import writeExcelFile, { type SheetData } from 'write-excel-file/node'
import { expect, test } from 'vitest'
import { firstSheet, openWorkbook } from './workbook-sheets.ts'

const fileOf = (bytes: Uint8Array<ArrayBuffer>): File => new File([bytes], 'leads.xlsx')

async function workbookOf(sheets: Record<string, SheetData>): Promise<File> {
  const list = Object.entries(sheets).map(([sheet, data]) => ({ sheet, data }))
  return fileOf(new Uint8Array(await writeExcelFile(list).toBuffer()))
}

test('a workbook lists its sheets, and the columns of each', async () => {
  const found = await openWorkbook(
    await workbookOf({
      'A & B': [[{ value: 'First' }, { value: ' Last <1> ' }, null, { value: 'E-Mail' }], [{ value: 'x' }]],
      Later: [[null], [{ value: 'Name' }]],
      Numbers: [[{ value: 'Name' }, { value: 2024 }]],
      Empty: [],
    }),
  )
  expect(found?.sheets).toEqual(['A & B', 'Later', 'Numbers', 'Empty'].map((name) => ({ name, isHidden: false })))
  expect(await found?.readColumns('A & B')).toEqual(['First', 'Last <1>', 'E-Mail'])
  expect(await found?.readColumns('Later')).toEqual(['Name'])
  // Only the server knows how Excel shows a number.
  expect(await found?.readColumns('Numbers')).toBeNull()
  expect(await found?.readColumns('Empty')).toBeNull()
})

test('the beginning of a large workbook is enough', async () => {
  const rows = Array.from({ length: 20_000 }, (_, row) => [{ value: `${(row * 7919) % 20_011} ${Math.sin(row)}` }])
  const file = await workbookOf({ S: [[{ value: 'Text' }], ...rows] })
  expect(await (await openWorkbook(file))?.readColumns('S')).toEqual(['Text'])
})

test('the first sheet is the first that is not hidden', () => {
  const sheets = [
    { name: 'Old', isHidden: true },
    { name: 'New', isHidden: false },
  ]
  expect([firstSheet(sheets), firstSheet(sheets.slice(0, 1)), firstSheet([])]).toEqual(['New', 'Old', null])
})

test.each([
  ['no zip file', new Uint8Array([1, 2, 3])],
  ['an empty one', new Uint8Array()],
  [
    'a list of contents that lies elsewhere',
    new Uint8Array([0x50, 0x4b, 5, 6, ...Array.from({ length: 18 }, () => 0xff)]),
  ],
])('%s cannot be read by the browser', async (_, bytes) => {
  expect(await openWorkbook(fileOf(bytes))).toBeNull()
})
