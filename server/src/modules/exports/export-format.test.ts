import { guardFormula, plainNumber } from '@portico/contract/exported-values'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FilterType } from '#filters'
import { ExportFormat, type ExportLayout } from './export-format.ts'

const columns = (...types: FilterType[]) => types.map((type, at) => ({ name: `Field ${at}`, type }))
const layout = (types: FilterType[], more: Partial<ExportLayout> = {}): ExportLayout => ({
  columns: columns(...types),
  delimiter: 'csv',
  guardFormulas: true,
  ...more,
})

/** Formats a text split into pieces of these lengths, followed by the rest. */
function format(of: ExportLayout, text: string, ...lengths: number[]): string {
  const formatter = new ExportFormat(of)
  let rest = Buffer.from(text)
  const pieces: Buffer[] = []
  for (const length of lengths) {
    pieces.push(formatter.format(rest.subarray(0, length)))
    rest = rest.subarray(length)
  }
  return Buffer.concat([...pieces, formatter.format(rest), formatter.end()]).toString()
}

describe('text that a spreadsheet would run', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['=cmd|A1', "'=cmd|A1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['+1+1', "'+1+1"],
    ['-1+cmd()', "'-1+cmd()"],
    ['+-5', "'+-5"],
    ['--5', "'--5"],
    ["'=1", "''=1"],
    ["'''-1+A1", "''''-1+A1"],
    ['"-1"""', '"\'-1"""'],
    ['-1e5+A1', "'-1e5+A1"],
    ['-A1', "'-A1"],
    ['- none', "'- none"],
    ['+SUM(A1)', "'+SUM(A1)"],
    ['+1 415 555 0134 x12', "'+1 415 555 0134 x12"],
    ['\tx', "'\tx"],
    ['"\rx"', '"\'\rx"'],
    ['"\n=1"', '"\'\n=1"'],
    ['"\'\n=1"', '"\'\'\n=1"'],
    ['"=1,""x"""', '"\'=1,""x"""'],
    ['"+1,A5"', '"\'+1,A5"'],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['"＠SUM(A1,A2)"', '"\'＠SUM(A1,A2)"'],
    [`-${'1'.repeat(64)}`, `'-${'1'.repeat(64)}`],
  ])('%j gets an apostrophe', (cell, written) => {
    expect(format(layout(['string']), `${cell}\n`)).toBe(`${written}\n`)
    expect(format(layout(['string', 'string']), `${cell},${cell}\n`)).toBe(`${written},${written}\n`)
    expect(format(layout(['string'], { guardFormulas: false }), `${cell}\n`)).toBe(`${cell}\n`)
  })

  test.each([
    `-0.${'0'.repeat(60)}1`,
    '-5',
    '+15551234',
    '-0.5',
    '-.5',
    '+1.',
    'a=1',
    ' =1',
    "'",
    "'quoted'",
    '-',
    '+',
    '- none -',
    '+420 777 123 456',
    '+1 (415) 555-0134',
    '+1-415-555-0134',
    '+49 (0) 30 5550134',
    '-5%',
    '-€ 5',
    '-12 °C',
    '-5.000,00',
    "'-5%",
    '1+1',
    '""',
    '"-1,234.56"',
    '"+1,5"',
    '"a\n=b"',
    'é',
    '！1',
    'ﬁ',
  ])('%j is harmless', (cell) => {
    expect(format(layout(['string']), `${cell}\n`)).toBe(`${cell}\n`)
  })

  test('is unchanged in files that spreadsheets do not open', () => {
    for (const delimiter of ['tab', 'pipe'] as const) {
      expect(format(layout(['string'], { delimiter }), '=1+1\n@x\n')).toBe('=1+1\n@x\n')
    }
    expect(format(layout(['string'], { delimiter: 'semicolon' }), '=1+1\n')).toBe("'=1+1\n")
  })

  test('is detected in bytes as in text, wherever the chunks are split', () => {
    const piece = fc.constantFrom(
      "'",
      '+',
      '-',
      '=',
      '＋',
      '@',
      '1',
      '415',
      ' ',
      '(',
      ')',
      '.',
      '€',
      'A',
      'né',
      '"',
      ',',
    )
    const cell = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''))
    const written = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
    fc.assert(
      fc.property(cell, fc.array(fc.nat({ max: 5 })), (text, lengths) => {
        const formatted = format(layout(['string', 'string']), `${written(text)},x\n`, ...lengths)
        expect(formatted).toBe(`${written(guardFormula(text))},x\n`)
      }),
      { numRuns: 500 },
    )
  })

  test('is not guarded in typed columns', () => {
    expect(format(layout(['number', 'boolean', 'date', 'id']), '-5,t,2026-01-31 00:00:00+00,7\n')).toBe(
      '-5,true,2026-01-31T00:00:00.000Z,7\n',
    )
  })

  test('is also guarded in field names', () => {
    const named = {
      ...layout([]),
      columns: ['=1', 'a,b', 'a"b', ' a', 'a|b', '-'].map((name) => ({ name, type: 'string' as const })),
    }
    expect(new ExportFormat(named).header().toString()).toBe(`'=1,"a,b","a""b"," a",a|b,-\n`)
    expect(new ExportFormat({ ...named, delimiter: 'pipe' }).header().toString()).toBe(`=1|a,b|"a""b"|" a"|"a|b"|-\n`)
  })
})

describe('values', () => {
  test.each([
    ['2026-01-31 00:00:00+00', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31 23:59:59.5+00', '2026-01-31T23:59:59.500Z'],
    ['2026-01-31 23:59:59.12+00', '2026-01-31T23:59:59.120Z'],
    ['2026-01-31 23:59:59.123456+00', '2026-01-31T23:59:59.123Z'],
    ['', ''],
  ])('the date %j becomes %j, as in the API', (cell, written) => {
    expect(format(layout(['date', 'date']), `${cell},${cell}\n`)).toBe(`${written},${written}\n`)
  })

  test.each([
    ['1e+15', '1000000000000000'],
    ['-1.5e+20', '-150000000000000000000'],
    ['1e-05', '0.00001'],
    ['1.234e-07', '0.0000001234'],
    ['1.23456789e+04', '12345.6789'],
    ['12.5', '12.5'],
    ['0', '0'],
  ])('the number %s is written %s', (cell, written) => {
    expect(plainNumber(cell)).toBe(written)
    expect(Number(written)).toBe(Number(cell))
    expect(format(layout(['number', 'string']), `${cell},x\n`)).toBe(`${written},x\n`)
  })

  test('numbers that become a hundred times longer fit', () => {
    const line = Array.from({ length: 50 }, () => '1e+308').join(',')
    const written = format(layout(Array.from({ length: 50 }, () => 'number' as const)), `${line}\n${line}\n`)
    expect(written).toBe(`${line}\n${line}\n`.replaceAll('1e+308', `1${'0'.repeat(308)}`))
  })
})

test.each<[FilterType, string, string]>([
  ['string', 'a', 'a'],
  ['number', '1', '1'],
  ['boolean', 't', 'true'],
  ['date', '2026-01-31 00:00:00+00', '2026-01-31T00:00:00.000Z'],
  ['id', '1', '1'],
])('a record of one empty cell, a %s, is not an empty line', (type, cell, value) => {
  expect(format(layout([type]), `\n${cell}\n\n`)).toBe(`""\n${value}\n""\n`)
  expect(format(layout([type]), `${cell}\n\n`, cell.length, 1)).toBe(`${value}\n""\n`)
  expect(format(layout([type, type]), ',\n')).toBe(',\n')
})

describe('chunks', () => {
  const text = fc.constantFrom(
    '',
    'a',
    '=1',
    '-5',
    '+',
    '"-1,2"',
    '"a""b"',
    '"\n"',
    '"""="',
    '""',
    'é𝄞',
    '"=\r\n"',
    '-12345',
  )
  const number = fc.constantFrom('', '-5', '1e+15', '1.5e-07', '0')
  const date = fc.constantFrom('', '2026-01-31 00:00:00+00', '2026-01-31 10:00:00.25+00')
  const boolean = fc.constantFrom('', 't', 'f')
  const record = fc.tuple(text, number, date, boolean, text).map((cells) => cells.join())

  test('can be split anywhere', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), fc.array(fc.nat({ max: 12 })), (records, lengths) => {
        const input = records.map((line) => `${line}\n`).join('')
        const of = layout(['string', 'number', 'date', 'boolean', 'string'])
        expect(format(of, input, ...lengths)).toBe(format(of, input))
      }),
    )
  })

  test('are counted by records, not by lines', () => {
    const formatter = new ExportFormat(layout(['string', 'string']))
    formatter.format(Buffer.from('a,"b\n'))
    expect(formatter.records).toBe(0)
    formatter.format(Buffer.from('c"\nd,e\n"f'))
    expect(formatter.records).toBe(2)
  })
})
