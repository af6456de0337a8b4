import { guardFormula, takeGuardOff } from '@portico/contract/exported-values'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCells } from './record-repair.ts'
import { scanRecords } from './record-scanner.ts'
import type { Delimiter } from './separator-line.ts'

const written = (text: string): string => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The cells of a file's rows without the apostrophes of exports, read in pieces of a given length. */
async function read(text: string, delimiter: Delimiter, columns: number, length: number): Promise<string[][]> {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length))
  }
  const rows: string[][] = []
  for await (const block of scanRecords(pieces(), { delimiter, columns, takesGuardsOff: true })) {
    if (block.isHeader) continue
    for (let row = 0; row < block.rows; row++) {
      const ends = block.cellEnds.subarray(row * columns, (row + 1) * columns)
      expect(ends.at(-1)).toBe(block.ends[row])
      rows.push(readCells(block.bytes.subarray(block.starts[row], block.ends[row]), delimiter))
    }
  }
  return rows
}

const signs = ["'", '+', '-', '=', '@', '＝', '\t', '\r', '\n', '1', '415', ' ', '(', '.', '€', 'A', 'é', '"', ',', ';']
const cell = fc.array(fc.constantFrom(...signs), { maxLength: 8 }).map((pieces) => pieces.join(''))

test('guarded text is read back unchanged, for every text', async () => {
  // The last column prevents a row of empty texts from being an empty line.
  const rows = fc.array(
    fc.tuple(cell, cell, cell).map((cells) => [...cells, 'end']),
    { minLength: 1, maxLength: 6 },
  )
  const lengths = fc.integer({ min: 1, max: 40 })
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom<Delimiter>(',', ';'), lengths, async (table, sign, length) => {
      const lines = table.map((cells) => cells.map((text) => written(guardFormula(text))).join(sign))
      const text = `${['a', 'b', 'c', 'd'].join(sign)}\n${lines.join('\n')}\n`
      expect(await read(text, sign, 4, length)).toEqual(table)
    }),
    { numRuns: 300 },
  )
})

const texts = ['=1+1', '\n=1', `'\n=1`, `'=1`, `'''`, '-5', '-5%', '+1-415-555-0134', `O'Brien`, `'quoted'`]

test.each([...texts, `-${'1'.repeat(300)}`, `=${'x'.repeat(300)}`])('%j is restored', async (text) => {
  expect(takeGuardOff(guardFormula(text))).toBe(text)
  expect(await read(`A,B\n${written(guardFormula(text))},'x'\n`, ',', 2, 1000)).toEqual([[text, `'x'`]])
})

test('an apostrophe that the guard did not write stays, as does one within a text', async () => {
  const table = [
    [`'-5%`, `'+41 79 555 01 34`, `x'=1`],
    [`'`, `''`, `it's '=1`],
  ]
  expect(await read(`A,B,C\n${table.map((row) => row.join(',')).join('\n')}\n`, ',', 3, 7)).toEqual(table)
})
