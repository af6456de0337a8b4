import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import { readWorkbookFile, textsOf } from '#test/read-workbook-file.ts'
import { CellTooLong, SheetFormat, sheetStream } from './sheet-format.ts'
import { columnLetters } from './workbook-cells.ts'
import { createWorkbook } from './write-workbook.ts'

/** Rows as the database sends them, each with its number as the only cell. */
const rowsOf = (count: number): string => Array.from({ length: count }, (_, at) => `${at}\n`).join('')

const inPieces = (bytes: Buffer, length: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => bytes.subarray(at * length, (at + 1) * length))

const columns = [{ name: 'Number', type: 'number' }] as const

async function written(count: number, pieceLength: number, name = 'Numbers') {
  const format = new SheetFormat(['number'], 4)
  const file = Readable.from(inPieces(Buffer.from(rowsOf(count)), pieceLength)).pipe(sheetStream(format, () => {}))
  return { ...(await readWorkbookFile(await buffer(createWorkbook(file, { name, columns })))), format }
}

describe('a workbook', () => {
  // A sheet of the test has a header and three rows.
  test.each([
    [0, [[]]],
    [1, [['0']]],
    [3, [['0', '1', '2']]],
    [4, [['0', '1', '2'], ['3']]],
    [
      9,
      [
        ['0', '1', '2'],
        ['3', '4', '5'],
        ['6', '7', '8'],
      ],
    ],
  ])('of %i rows has as many sheets as it needs', async (count, expected) => {
    for (const pieceLength of [1, 7, 1000]) {
      const { sheets, format } = await written(count, pieceLength)
      expect(sheets.map(({ rows }) => textsOf(rows.slice(1)).flat())).toEqual(expected)
      expect(sheets.map(({ name }) => name)).toEqual(['Numbers', 'Numbers 2', 'Numbers 3'].slice(0, expected.length))
      expect(format.rows).toBe(count)
      for (const { rows } of sheets)
        expect(rows.flat().map(({ at }) => at)).toEqual(['A1', 'A2', 'A3', 'A4'].slice(0, rows.length))
    }
  })

  test.each([
    ['a/b: [c]?', 'a_b_ _c__'],
    ["'quoted'", '_quoted_'],
    ['x'.repeat(100), 'x'.repeat(28)],
    [' ', 'Sheet'],
    ['R&D <1>', 'R&D <1>'],
  ])('%j has a sheet with the name %j', async (name, expected) => {
    expect((await written(1, 1000, name)).sheets[0]?.name).toBe(expected)
  })

  test('reads what COPY escapes, and escapes what XML lacks, wherever the pieces are cut', async () => {
    const cells =
      'a\\tb\\nc\\\\d & <e>\\r\\b_x0041_ _x_\uffff\t\\N\t~1899-12-31\tNaN\t-Infinity\t-1.5e+20\t-4.155550134000001e+15\n'
    const columns = (['string', 'string', 'day', 'number', 'number', 'number', 'number'] as const).map((type) => ({
      name: type,
      type,
    }))
    for (const length of [1, 2, 5, 1000]) {
      const rows = Readable.from(inPieces(Buffer.from(cells), length))
      const file = rows.pipe(sheetStream(new SheetFormat(columns.map(({ type }) => type)), () => {}))
      const { sheets } = await readWorkbookFile(await buffer(createWorkbook(file, { name: 'Odd', columns })))
      const [, row = []] = sheets[0]?.rows ?? []
      expect(row.map(({ at, type, text }) => [at, type, text])).toEqual([
        ['A2', 'inlineStr', 'a\tb\nc\\d & <e>\r\b_x0041_ _x_\uffff'],
        ['C2', 'inlineStr', '1899-12-31'],
        ['D2', 'inlineStr', 'NaN'],
        ['E2', 'inlineStr', '-Infinity'],
        ['F2', null, '-1.5e+20'],
        // A sheet would show 4155550134000000.
        ['G2', 'inlineStr', '-4155550134000001'],
      ])
    }
  })

  test.each([
    ['a', 32_767, true],
    ['a', 32_768, false],
    ['ü', 32_767, true],
    ['ü', 32_768, false],
    ['\\n', 32_767, true],
    ['😀', 16_383, true],
    ['😀', 16_384, false],
    ['a', 1_000_000, false],
  ])('%s %i times fits into a cell: %s', async (character, times, fits) => {
    for (const length of [1000, 4_000_000]) {
      const rows = Readable.from(inPieces(Buffer.from(`x\t${character.repeat(times)}\n`), length))
      const problem = await pipeline(
        rows,
        sheetStream(new SheetFormat(['string', 'string']), () => {}),
        buffer,
      ).then(
        () => null,
        (error: unknown) => error,
      )
      expect(problem).toEqual(fits ? null : new CellTooLong(1))
    }
  })

  test('fails with its rows', async () => {
    const rows = Readable.from(
      (async function* () {
        yield Buffer.from(rowsOf(1))
        throw new Error('connection reset')
      })(),
    )
    const file = sheetStream(new SheetFormat(['number']), () => {})
    const content = createWorkbook(file, { name: 'Numbers', columns })
    await expect(Promise.all([pipeline(rows, file), buffer(content)])).rejects.toThrow('connection reset')
  })
})

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
