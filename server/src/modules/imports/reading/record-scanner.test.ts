import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBlank, withoutOuterSpace } from '@portico/domain/white-space'
import { cutBatches } from './record-scanner-batches.ts'
import { examine, type SetAside } from './record-scanner-examine.ts'
import { readHeader } from './record-scanner-header.ts'
import { WINDOW_BYTES } from './record-scanner-window.ts'
import type { Delimiter } from './separator-line.ts'
import { FileRefused } from './source-text-refused.ts'

// Everything here is compared with `readNaively` below: a parser that reads a text character by character, without
// windows, blocks or bytes.

const tricky = [
  'a,b,c\r\n1,2,3\r\r\n\n"x ""y""\r\nz","",\r4,"5,\n\r6",7\n5" pipe, "8",9\n',
  'short,row\r\n"text"after,2,3\n,,\n  \n1,2,3,4\n"a\n\r\nb',
  '",2,3\nnul,\0,3\nZo\xeb,\x80,\n',
  Buffer.from('Zoë,\u{1f600},"Łódź ""quoted"""\r\nÿ" ,').toString('latin1'),
  '\xff"\xfe,"\xfd"\r\n"\\.\n\\.\n",\\.,"\n\\.\n"\nlast,"row",""',
].join('')

describe('the readers of a file', () => {
  it('match the naive parser on a tricky text', async () => {
    const bytes = Buffer.from(tricky, 'latin1')
    const found = await readAll([bytes], ',', 3)
    expect(found.setAside.map(({ line, reason }) => [line, reason])).toEqual([
      [11, 'Expected 3 cells, found 2.'],
      [12, 'Text follows a closing quote.'],
      [15, 'Expected 3 cells, found 4.'],
      [19, 'The row contains a NUL character.'],
    ])
    expect(found.emptyRows).toBe(2)
    expect(found).toEqual(readNaively(bytes, ',', 3).found)
  })

  it('give the same result wherever the chunks end', async () => {
    const bytes = Buffer.from(tricky, 'latin1')
    const expected = readNaively(bytes, ',', 3).found
    for (let at = 0; at <= bytes.length; at++) {
      expect(await readAll([bytes.subarray(0, at), bytes.subarray(at)], ',', 3)).toEqual(expected)
    }
    expect(await readAll(cutAt(bytes, [...bytes.keys()]), ',', 3)).toEqual(expected)
  })

  it('give the same result wherever their window ends', async () => {
    const [header = '', ...rows] = tricky.split(/(?<=^a,b,c\r\n)/)
    const expected = readNaively(Buffer.from(tricky, 'latin1'), ',', 3).found
    for (let at = 0; at <= tricky.length + 1; at++) {
      const filler = `,,${'f'.repeat(WINDOW_BYTES - header.length - at)}\n`
      const found = await readAll([Buffer.from(header + filler + rows.join(''), 'latin1')], ',', 3)
      expect(found.rows - 1).toBe(expected.rows)
      expect(found.emitted.slice(filler.length + 2).replace(/^\d+/gm, '')).toBe(expected.emitted.replace(/^\d+/gm, ''))
      expect(found.setAside.map(({ line, ...rest }) => ({ ...rest, line: line - 1 }))).toEqual(expected.setAside)
    }
  })

  it('match the naive parser on any text, in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, cutPlaces, delimiters, fc.integer({ min: 1, max: 4 }), async (text, cuts, ...how) => {
        const bytes = Buffer.from(text, 'latin1')
        expect(await readAll(cutAt(bytes, cuts), ...how)).toEqual(readNaively(bytes, ...how).found)
      }),
      { numRuns: 1500 },
    )
  })

  it('match the naive parser on tables with a few faults', async () => {
    await fc.assert(
      fc.asyncProperty(table, cutPlaces, async ([text, delimiter], cuts) => {
        const bytes = Buffer.from(text, 'latin1')
        expect(await readAll(cutAt(bytes, cuts), delimiter, 3)).toEqual(readNaively(bytes, delimiter, 3).found)
      }),
      { numRuns: 1000 },
    )
  })

  it('write bytes from which the cells can be read again', async () => {
    await fc.assert(
      fc.asyncProperty(table, async ([text, delimiter]) => {
        const bytes = Buffer.from(text, 'latin1')
        const { found, cells } = readNaively(bytes, delimiter, 3)
        fc.pre(found.refusal === null)
        const { emitted } = await readAll([bytes], delimiter, 3)
        const again = readNaively(Buffer.from(`header\n${emitted}`), delimiter, 4)
        expect(again.found).toMatchObject({ rows: cells.length, setAside: [] })
        expect(again.cells).toEqual(cells.map((texts, row) => [String(row), ...texts]))
      }),
      { numRuns: 500 },
    )
  })
})

type Found = {
  refusal: string | null
  header: { names: string[]; line: number; delimiter: Delimiter }
  rows: number
  emptyRows: number
  setAside: SetAside[]
  emitted: string
}

const noHeader: Found['header'] = { names: [], line: 0, delimiter: ',' }
const nothing: Found = { refusal: null, header: noHeader, rows: 0, emptyRows: 0, setAside: [], emitted: '' }

/** Returns the results of the three readers for a text. */
async function readAll(chunks: Buffer[], delimiter: Delimiter, columns: number): Promise<Found> {
  const typed = Array.from({ length: columns }, () => 'string' as const)
  const setAside: SetAside[] = []
  const onSetAside = (record: SetAside) => void setAside.push(record)
  const batches = { delimiter, columns, groupStarts: [0], rowsPerBatch: 3, firstNumber: 0n }
  const pieces: Buffer[] = []
  try {
    const header = await readHeader(stream(chunks), { delimiter })
    const { rows, emptyRows } = await examine(stream(chunks), {
      delimiter,
      columns,
      typed,
      timeZone: 'UTC',
      onSetAside,
    })
    for await (const { bytes } of cutBatches(stream(chunks), batches)) pieces.push(bytes)
    return { refusal: null, header, rows, emptyRows, setAside, emitted: Buffer.concat(pieces).toString() }
  } catch (error) {
    if (error instanceof FileRefused) return { ...nothing, refusal: error.message }
    throw error
  }
}

async function* stream(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])].toSorted((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

const cutPlaces = fc.array(fc.nat(300))
const delimiters = fc.constantFrom<Delimiter>(',', '\t', '|')

/** Bytes as latin1 characters; letters outside ASCII are complete or incomplete UTF-8, or Windows-1252. */
const token = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(',', '\t', '|', '\n', '\r', '\r\n', '"', '""', '","', '"\n"') },
  { weight: 2, arbitrary: fc.constantFrom('a', 'bc', ' ', '\x85', '\xa0', '12', '\\.', '\\.\n', '5" pipe') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\0',
      '\xe9',
      '\x80\x9d',
      '\xc3',
      '\xc3\xa9',
      '\xf0\x9f\x98\x80',
      '\xef\xbb\xbf',
      // In UTF-8: no-break and ideographic space, an e with a separate accent, a Greek question mark.
      '\xc2\xa0',
      '\xe3\x80\x80',
      'e\xcc\x81',
      '\xcd\xbe',
    ),
  },
)

const anyText = fc.array(token, { maxLength: 60, size: 'max' }).map((tokens) => tokens.join(''))

const plainCell = fc
  .array(fc.constantFrom('a', ' ', '7', '\xc2\xa0', 'e\xcc\x81', '\xe9', '\xc3\xa9', '\xf0\x9f\x98\x80', 'b"', '\\.'), {
    maxLength: 4,
  })
  .map((tokens) => tokens.join(''))
const quotedCell = anyText.map((text) => `"${text.slice(0, 12).replaceAll('\0', '').replaceAll('"', '""')}"`)

/** Mostly rows of three cells, and the delimiter between them. */
const table = delimiters.chain((delimiter) => fc.tuple(tableText(delimiter), fc.constant(delimiter)))

function tableText(delimiter: Delimiter): fc.Arbitrary<string> {
  const cell = fc.oneof(plainCell, quotedCell)
  const goodRow = fc.array(cell, { minLength: 3, maxLength: 3 }).map((cells) => cells.join(delimiter))
  const row = fc.oneof({ weight: 8, arbitrary: goodRow }, { weight: 1, arbitrary: anyText })
  const line = fc.tuple(row, fc.constantFrom('\n', '\r\n', '\r', '\n\n')).map((parts) => parts.join(''))
  return fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.oneof(goodRow, fc.constant('')))
    .map(([lines, last]) => `x${delimiter}y${delimiter}z\n${lines.join('')}${last}`)
}

/** The rules of record-scanner.ts, one character at a time; `cells` are those of the rows. */
function readNaively(bytes: Buffer, delimiter: Delimiter, columns: number): { found: Found; cells: string[][] } {
  const { records, openQuote } = parseNaively(bytes.toString('latin1'), delimiter)
  const isEmpty = (record: NaiveRecord): boolean => textsOf(record).every(isBlank)
  const [first, ...others] = records.filter((record) => !isEmpty(record))
  const unclosed = openQuote ? `Line ${openQuote}: a quote is opened and never closed.` : null
  const refusal = (first ? refusalOf(first) : (unclosed ?? 'The file is empty.')) ?? unclosed
  if (!first || refusal) return { found: { ...nothing, refusal }, cells: [] }
  const names = textsOf(first).map((name) => withoutOuterSpace(name).normalize('NFC'))
  const header = { names, line: first.line, delimiter }
  const found: Found = { ...nothing, header, setAside: [], emptyRows: records.filter(isEmpty).length }
  const rows: string[][] = []
  for (const record of others) {
    const cells = textsOf(record)
    const reason = reasonOf(record, columns)
    if (reason) {
      found.setAside.push({ line: record.line, reason, cells })
      continue
    }
    const safe = record.cells.map(({ raw }) => (/^[^"].*"/s.test(raw) ? `"${raw.replaceAll('"', '""')}"` : raw))
    const values = cells.map((text) => (isBlank(text) ? '' : text.normalize('NFC')))
    const written = decodeNaively(safe).map((text, at) => writtenNaively(text, values[at] ?? ''))
    found.emitted += `${[rows.length, ...written].join(delimiter)}\n`
    rows.push(values)
  }
  return { found: { ...found, rows: rows.length }, cells: rows }
}

/** A cell in the form that is passed on; `value` is its content. */
function writtenNaively(text: string, value: string): string {
  if (value === '') return text === '""' ? text : ''
  const composed = text.normalize('NFC')
  const isQuoted = composed === text || text.startsWith('"') || !composed.includes(';')
  return isQuoted ? composed : `"${value.replaceAll('"', '""')}"`
}

function refusalOf(header: NaiveRecord): string | null {
  if (header.isBroken) return `Line ${header.line}: text follows a closing quote.`
  return hasNul(header) ? `Line ${header.line}: the header contains a NUL character.` : null
}

function reasonOf(record: NaiveRecord, columns: number): string | null {
  if (record.isBroken) return 'Text follows a closing quote.'
  if (hasNul(record)) return 'The row contains a NUL character.'
  const found = record.cells.length
  return found === columns ? null : `Expected ${columns} ${columns === 1 ? 'cell' : 'cells'}, found ${found}.`
}

function hasNul({ cells }: NaiveRecord): boolean {
  return cells.some(({ raw }) => raw.includes('\0'))
}

function textsOf({ cells }: NaiveRecord): string[] {
  return decodeNaively(cells.map(({ text }) => text))
}

/** A record's cells, as UTF-8 if the whole record is, else as Windows-1252. */
function decodeNaively(cells: string[]): string[] {
  const decode = (encoding: string) => {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    return cells.map((cell) => decoder.decode(Buffer.from(cell, 'latin1')))
  }
  try {
    return decode('utf-8')
  } catch {
    return decode('windows-1252')
  }
}

type NaiveCell = { raw: string; text: string }
type NaiveRecord = { line: number; cells: NaiveCell[]; isBroken: boolean }

function parseNaively(text: string, delimiter: string): { records: NaiveRecord[]; openQuote: number } {
  const records: NaiveRecord[] = []
  let line = 1
  let openQuote = 0
  let at = 0
  const isLineEnd = () => text[at] === '\n' || text[at] === '\r'
  const passLineEnd = () => {
    at += text.startsWith('\r\n', at) ? 2 : 1
    line++
  }
  const passQuoted = () => {
    openQuote = line
    at++
    while (at < text.length) {
      if (isLineEnd()) passLineEnd()
      else if (text.startsWith('""', at)) at += 2
      else if (text[at++] === '"') {
        openQuote = 0
        return
      }
    }
  }
  while (at < text.length) {
    const record: NaiveRecord = { line, cells: [], isBroken: false }
    for (;;) {
      const start = at
      if (text[at] === '"') passQuoted()
      const quoted = text.slice(start, at)
      while (at < text.length && !isLineEnd() && text[at] !== delimiter) at++
      const raw = text.slice(start, at)
      if (quoted && raw !== quoted) record.isBroken = true
      const isQuoted = quoted && raw === quoted
      record.cells.push({ raw, text: isQuoted ? quoted.slice(1, -1).replaceAll('""', '"') : raw })
      if (text[at] !== delimiter) break
      at++
    }
    if (at < text.length) passLineEnd()
    const isBlank = record.cells.length === 1 && record.cells[0]?.raw === ''
    if (!openQuote && !isBlank) records.push(record)
  }
  return { records, openQuote }
}
