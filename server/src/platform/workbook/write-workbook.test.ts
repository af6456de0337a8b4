import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { cellStyles } from '@portico/contract/workbook/cell-styles'
import { CellTooLong } from '@portico/contract/workbook/sheet-columns'
import { sheetNames } from '@portico/contract/workbook/sheet-names'
import { describe, expect, test } from 'vitest'
import { readWorkbookFile, textsOf } from '#test/kit/read-workbook-file.ts'
import { SheetFormat, sheetStream } from './sheet-format.ts'
import { valueSheets } from './value-sheets.ts'
import { createWorkbook, packWorkbook } from './write-workbook.ts'

/** Returns rows as the database sends them, each with its number as the only cell. */
const rowsOf = (count: number): string => Array.from({ length: count }, (_, at) => `${at}\n`).join('')

const inPieces = (bytes: Buffer, length: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => bytes.subarray(at * length, (at + 1) * length))

const columns = [{ name: 'Number', type: 'number' }] as const

async function written(count: number, pieceLength: number, name = 'Numbers') {
  const format = new SheetFormat(['number'], [], 4)
  const file = Readable.from(inPieces(Buffer.from(rowsOf(count)), pieceLength)).pipe(sheetStream(format, () => {}))
  return {
    ...(await readWorkbookFile(await buffer(createWorkbook(file, { name, columns, styles: cellStyles() })))),
    format,
  }
}

describe('a workbook', () => {
  // A sheet of this test has a header and three rows.
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

  test('decodes COPY escapes and escapes what XML cannot contain, at any chunk boundary', async () => {
    const cells =
      'a\\tb\\nc\\\\d & <e>\\r\\b_x0041_ _x_\uffff\t\\N\t~1899-12-31\tNaN\t-Infinity\t-1.5e+20\t-4.155550134000001e+15\n'
    const columns = (['string', 'string', 'day', 'number', 'number', 'number', 'number'] as const).map((type) => ({
      name: type,
      type,
    }))
    for (const length of [1, 2, 5, 1000]) {
      const rows = Readable.from(inPieces(Buffer.from(cells), length))
      const file = rows.pipe(sheetStream(new SheetFormat(columns.map(({ type }) => type)), () => {}))
      const { sheets } = await readWorkbookFile(
        await buffer(createWorkbook(file, { name: 'Odd', columns, styles: cellStyles() })),
      )
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

  test('fails if its rows fail', async () => {
    const rows = Readable.from(
      (async function* () {
        yield Buffer.from(rowsOf(1))
        throw new Error('connection reset')
      })(),
    )
    const file = sheetStream(new SheetFormat(['number']), () => {})
    const content = createWorkbook(file, { name: 'Numbers', columns, styles: cellStyles() })
    await expect(Promise.all([pipeline(rows, file), buffer(content)])).rejects.toThrow('connection reset')
  })
})

describe('sheets of values', () => {
  const number = [{ name: 'Number', type: 'number' }] as const
  const pagesOf = async function* (sizes: readonly number[]) {
    let value = 0
    for (const size of sizes) yield Array.from({ length: size }, () => [value++])
  }

  async function sheetsOf(sizes: readonly number[]) {
    const styles = cellStyles()
    const name = sheetNames()
    const writing = { columns: number, styles, timeZone: 'UTC', nameNext: () => name('Numbers'), rowsOfSheet: 4 }
    return (await readWorkbookFile(await buffer(packWorkbook(valueSheets(pagesOf(sizes), writing), styles)))).sheets
  }

  test.each([
    [[], [[]]],
    [[0], [[]]],
    [[2, 1], [['0', '1', '2']]],
    [[3, 0], [['0', '1', '2']]],
    [
      [1, 3],
      [['0', '1', '2'], ['3']],
    ],
    [
      [3, 2],
      [
        ['0', '1', '2'],
        ['3', '4'],
      ],
    ],
    [[7], [['0', '1', '2'], ['3', '4', '5'], ['6']]],
  ])('pages of %j rows fill as many as they need', async (sizes, expected) => {
    const sheets = await sheetsOf(sizes)
    expect(sheets.map(({ rows }) => textsOf(rows.slice(1)).flat())).toEqual(expected)
    expect(sheets.map(({ rows }) => rows[0]?.[0]?.text)).toEqual(expected.map(() => 'Number'))
    expect(sheets.map(({ name }) => name)).toEqual(['Numbers', 'Numbers 2', 'Numbers 3'].slice(0, expected.length))
  })

  test('fail if their rows fail', async () => {
    const pages = async function* () {
      yield [[1]]
      throw new Error('connection reset')
    }
    const styles = cellStyles()
    const sheets = valueSheets(pages(), { columns: number, styles, timeZone: 'UTC', nameNext: () => 'Numbers' })
    await expect(buffer(packWorkbook(sheets, styles))).rejects.toThrow('connection reset')
  })
})
