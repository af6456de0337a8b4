import { type FieldFormat, plainFormat } from '@portico/domain/field-format'
import { describe, expect, test } from 'vitest'
import { cellStyles, formatCode } from './cell-styles.ts'
import { CellTooLong, columnLetters, type CellType, type SheetColumn } from './sheet-columns.ts'
import { sheetNames } from './sheet-names.ts'
import { valueRow } from './value-rows.ts'

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [702, 'AAA'],
  [16_383, 'XFD'],
])('the column at %i is %s', (at, letters) => {
  expect(columnLetters(at)).toBe(letters)
})

describe('names of sheets', () => {
  test.each([
    ['a/b: [c]?', 'a_b_ _c__'],
    ["'quoted'", '_quoted_'],
    ['x'.repeat(100), 'x'.repeat(31)],
    [`${'x'.repeat(30)}'s`, `${'x'.repeat(30)}_`],
    [`${'x'.repeat(30)}😀`, 'x'.repeat(30)],
    [' ', 'Sheet'],
    ['', 'Sheet'],
    ['R&D <1>', 'R&D <1>'],
    ['\u0001\ud800', '_\ufffd'],
    // Excel reserves this name.
    ['History', 'History 2'],
  ])('%j becomes %j', (title, name) => {
    expect(sheetNames()(title)).toBe(name)
  })

  test('are unique, ignoring letter case, even when cut', () => {
    const name = sheetNames()
    const long = 'Contacts by city and by month of joining'
    expect(['Cities', 'CITIES', 'cities', long, long].map(name)).toEqual([
      'Cities',
      'CITIES 2',
      'cities 3',
      'Contacts by city and by month o',
      'Contacts by city and by month 2',
    ])
  })
})

const format = (changes: Partial<FieldFormat>): FieldFormat => ({ ...plainFormat, ...changes })

test.each([
  [format({}), null],
  [format({ decimals: 0 }), '0'],
  [format({ style: 'decimal' }), null],
  [format({ style: 'decimal', decimals: 2 }), '#,##0.00'],
  [format({ style: 'percent', decimals: 1 }), '0.0%'],
  [format({ style: 'percent' }), '0.00%'],
  [format({ style: 'currency' }), '"$"#,##0.00'],
  [format({ style: 'currency', currency: 'CHF', decimals: 0 }), '"CHF\u00a0"#,##0'],
])('%j has the format code %j', (given, code) => {
  expect(formatCode(given)).toBe(code)
})

test('equal formats share a style, and the workbook contains every style', () => {
  const styles = cellStyles()
  const money = format({ style: 'currency', currency: 'EUR' })
  const of = (type: CellType, shown?: FieldFormat) => styles.styleOf({ type, format: shown })
  expect([of('string'), of('day'), of('date'), of('number'), of('number', money), of('number', { ...money })]).toEqual([
    0, 1, 2, 0, 4, 4,
  ])
  expect(of('number', format({ decimals: 0 }))).toBe(5)
  expect(styles.xml()).toContain('<cellXfs count="6">')
  expect(styles.xml()).toContain('formatCode="&quot;€&quot;#,##0.00"')
})

describe('a row of values', () => {
  const columnsOf = (...types: CellType[]): SheetColumn[] => types.map((type) => ({ name: type, type }))
  const cells = (types: CellType[], values: unknown[], timeZone = 'UTC'): string =>
    valueRow(2, values, { columns: columnsOf(...types), styles: cellStyles(), timeZone })
      .replace(/^<row r="2">/, '')
      .replace(/<\/row>\n$/, '')
  const text = (place: string, shown: string): string =>
    `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${shown}</t></is></c>`

  test('has typed cells, and none for empty values', () => {
    expect(cells(['string', 'number', 'boolean', 'string'], [null, 31.5, false, ''])).toBe(
      '<c r="B2"><v>31.5</v></c><c r="C2" t="b"><v>0</v></c>',
    )
    expect(cells(['number', 'number'], [0.1 + 0.2, 1e300])).toBe('<c r="A2"><v>0.3</v></c><c r="B2"><v>1e+300</v></c>')
  })

  test('has days and moments as serial numbers in the time zone', () => {
    expect(cells(['day', 'date'], ['1990-02-28', '2026-01-31T17:00:00.000Z'], 'America/New_York')).toBe(
      '<c r="A2" s="1"><v>32932</v></c><c r="B2" s="2"><v>46053.5</v></c>',
    )
    expect(cells(['day', 'day'], ['1900-03-01', '1900-02-28'])).toBe(
      `<c r="A2" s="1"><v>61</v></c>${text('B2', '1900-02-28')}`,
    )
    expect(cells(['date'], ['1850-01-01T10:00:00.250Z'])).toBe(text('A2', '1850-01-01 10:00:00.250'))
  })

  test('has every other value as text, never as a formula', () => {
    expect(cells(['string', 'day'], ['=1+1', 'unknown'])).toBe(text('A2', '=1+1') + text('B2', 'unknown'))
    // A text of digits stays text, and so does a day in a column of texts.
    expect(cells(['string', 'string'], ['007', '1990-02-28'])).toBe(text('A2', '007') + text('B2', '1990-02-28'))
    expect(cells(['string'], [{ a: ['<b>'] }])).toBe(text('A2', '{&quot;a&quot;:[&quot;&lt;b&gt;&quot;]}'))
    expect(cells(['string'], ['_x0041_ \u0001\r\n\uffff'])).toBe(text('A2', '_x005F_x0041_ _x0001__x000D_\n_xFFFF_'))
    // A sheet would show 4155550134000000.
    expect(cells(['number'], [-4_155_550_134_000_001])).toBe(text('A2', '-4155550134000001'))
    expect(() => cells(['string', 'string'], ['', 'a'.repeat(32_768)])).toThrow(new CellTooLong(1))
  })
})
