import { formulaSigns, guardFormula, isHarmlessSigned, plainNumber } from '@portico/contract/exported-values'
import { isForSpreadsheets, type TextDelimiter } from '@portico/contract/exports'
import type { FilterType } from '#filters'

/** Separator between two cells. */
export const delimiters: Record<TextDelimiter, string> = { csv: ',', tab: '\t', pipe: '|', semicolon: ';' }

export type ExportLayout = {
  columns: readonly { name: string; type: FilterType }[]
  delimiter: TextDelimiter
  /** Puts an apostrophe before text that a spreadsheet would run as a formula, in files that spreadsheets open. */
  guardFormulas: boolean
}

const isGuarded = ({ delimiter, guardFormulas }: ExportLayout): boolean => guardFormulas && isForSpreadsheets(delimiter)

const lf = 0x0a
const quote = 0x22
const apostrophe = 0x27
const plus = 0x2b
const minus = 0x2d
const dot = 0x2e
const space = 0x20
const letterE = 0x65
const letterF = 0x66
const letterT = 0x74
const empty = Buffer.alloc(0)
const trueText = Buffer.from('true')
const falseText = Buffer.from('false')

// Maximum bytes of a text after a sign that may be harmless: a character has at most four bytes.
const longestSigned = 256
// One byte and its delimiter become at most `false`; an exponent needs more, and makes room itself.
const growth = 3
const slack = 64
// Approximate size of the pieces passed on, even if those of the database are small.
const pieceBytes = 512 * 1024

/** Bytes that start a formula in a spreadsheet; for full-width signs, their first byte. */
const startsFormula = new Uint8Array(256)
for (const sign of formulaSigns) startsFormula[Buffer.from(sign).readUInt8()] = 1

const wideLead = 0xef
/** The other two bytes of ＝ ＋ － ＠. */
const wideSigns = new Set(
  Array.from(formulaSigns, (sign) => Buffer.from(sign))
    .filter(({ length }) => length === 3)
    .map((sign) => sign.readUInt16BE(1)),
)

/** The same bytes, and the quote and apostrophes that may precede one. */
const mayStartFormula = Uint8Array.from(startsFormula)
mayStartFormula[quote] = 1
mayStartFormula[apostrophe] = 1

/** How a cell is written: unchanged, as text, or as a value whose whole text is needed first. */
const unchanged = 0
const asText = 1
const asValue = 2

/**
 * Rewrites the output of PostgreSQL's COPY … (FORMAT csv), split into pieces at any byte, into the file that users get.
 * Moments become the text that the API returns (2026-01-31T00:00:00.000Z), days stay 2026-01-31, booleans become true
 * and false, numbers lose their exponents; texts are unchanged except for the formula guard. Works on bytes, without a
 * string per cell.
 */
export class ExportFormat {
  readonly #layout: ExportLayout
  readonly #treatments: Uint8Array
  readonly #separator: number
  #records = 0
  // Position of the next byte in its record.
  #column = 0
  #isInCell = false
  #isQuoted = false
  // The beginning of a cell that can only be processed as a whole, kept until the next piece arrives.
  #kept: Buffer = empty
  // Output not yet passed on.
  #output: Buffer = empty
  #to = 0

  constructor(layout: ExportLayout) {
    this.#layout = layout
    this.#separator = delimiters[layout.delimiter].charCodeAt(0)
    this.#treatments = Uint8Array.from(layout.columns, ({ type }) => {
      if (type === 'string') return isGuarded(layout) ? asText : unchanged
      return type === 'id' || type === 'day' ? unchanged : asValue
    })
  }

  /** Records formatted so far. */
  get records(): number {
    return this.#records
  }

  /** The line with the field names. */
  header(): Buffer {
    const cells = this.#layout.columns.map(({ name }) => headerCell(name, this.#layout))
    return Buffer.from(`${cells.join(delimiters[this.#layout.delimiter])}\n`)
  }

  /** Takes the next piece of COPY's output. Returns the next piece of the file, empty until enough has accumulated. */
  format(piece: Buffer): Buffer {
    const input = this.#kept.length > 0 ? Buffer.concat([this.#kept, piece]) : piece
    const full = this.#makeRoom(input.length)
    const from = this.#formatCells(input)
    this.#kept = from < input.length ? Buffer.from(input.subarray(from)) : empty
    return full
  }

  /** The rest of the file. */
  end(): Buffer {
    return Buffer.concat([this.#output.subarray(0, this.#to), this.#kept])
  }

  /** Ensures room to format `length` bytes. Returns the output that had to be passed on for it. */
  #makeRoom(length: number): Buffer {
    const needed = length * growth + slack
    if (this.#output.length - this.#to >= needed) return empty
    const full = this.#output.subarray(0, this.#to)
    this.#output = Buffer.allocUnsafe(Math.max(pieceBytes, needed))
    this.#to = 0
    return full
  }

  /** Formats up to the end, or up to an incomplete cell. Returns the position reached. */
  #formatCells(input: Buffer): number {
    const [treatments, separator] = [this.#treatments, this.#separator]
    let [column, isInCell, isQuoted] = [this.#column, this.#isInCell, this.#isQuoted]
    let [from, to, output] = [0, this.#to, this.#output]
    while (from < input.length) {
      const treatment = isInCell ? unchanged : treatments[column]
      // Programs that read the file ignore an empty line, so a record's only cell is written as "" when empty.
      if (!isInCell && treatments.length === 1 && input[from] === lf) {
        output[to++] = quote
        output[to++] = quote
      }
      if (treatment === asText && mayStartFormula[input[from] as number] === 1) {
        const guard = judgeText(input, from, separator)
        if (guard === undecided) break
        if (guard === guarded) {
          isQuoted = input[from] === quote
          if (isQuoted) output[to++] = quote
          if (isQuoted) from++
          output[to++] = apostrophe
        }
      } else if (treatment === asValue) {
        const end = cellEnd(input, from, separator)
        if (end < 0) break
        to = this.#writeValue(input, from, end, to, column)
        output = this.#output
        from = end
      }
      // Copies up to and including the end of the cell. Inside quotes, only a quote ends it.
      isInCell = true
      while (from < input.length) {
        // Within bounds, as checked on the line above.
        const byte = input[from++] as number
        output[to++] = byte
        if (byte === quote) isQuoted = !isQuoted
        else if ((byte === separator || byte === lf) && !isQuoted) {
          isInCell = false
          column = byte === lf ? 0 : column + 1
          if (byte === lf) this.#records++
          break
        }
      }
    }
    this.#column = column
    this.#isInCell = isInCell
    this.#isQuoted = isQuoted
    this.#to = to
    return from
  }

  /** Writes a date, boolean or number. Returns the position of the next byte. */
  #writeValue(input: Buffer, from: number, end: number, to: number, column: number): number {
    if (from === end) return to
    const type = this.#layout.columns[column]?.type
    if (type === 'date') return writeDate(input, from, end, this.#output, to)
    if (type === 'boolean') return writeBoolean(input, from, end, this.#output, to)
    if (hasExponent(input, from, end)) return this.#writePlain(input, from, end, to)
    for (let at = from; at < end; at++) this.#output[to++] = input[at] as number
    return to
  }

  #writePlain(input: Buffer, from: number, end: number, to: number): number {
    const text = Buffer.from(plainNumber(input.toString('latin1', from, end)))
    const roomy = Buffer.allocUnsafe(to + text.length + (input.length - end) * growth + slack)
    this.#output.copy(roomy, 0, 0, to)
    this.#output = roomy
    return to + text.copy(roomy, to)
  }
}

const undecided = 0
const harmless = 1
const guarded = 2

/** Returns whether the text cell that begins at `from` needs an apostrophe. Must agree with `needsGuard`. */
function judgeText(input: Buffer, from: number, separator: number): number {
  const isQuoted = input[from] === quote
  let at = isQuoted ? from + 1 : from
  while (input[at] === apostrophe) at++
  const first = input[at]
  if (first === undefined) return undecided
  if (startsFormula[first] !== 1) return harmless
  // Outside of quotes, a line feed ends the record.
  if (first === lf && !isQuoted) return harmless
  if (first === wideLead) return judgeWide(input, at + 1)
  if (first !== plus && first !== minus) return guarded
  return isQuoted ? judgeSigned(input, at, quote, quote) : judgeSigned(input, at, separator, lf)
}

function judgeWide(input: Buffer, at: number): number {
  if (at + 2 > input.length) return undecided
  return wideSigns.has(input.readUInt16BE(at)) ? guarded : harmless
}

/** Checks a text after its sign, up to one of two bytes; a quote inside it is harmful anyway. */
function judgeSigned(input: Buffer, from: number, oneEnd: number, otherEnd: number): number {
  for (let end = from + 1; end < from + longestSigned; end++) {
    const byte = input[end]
    if (byte === undefined) return undecided
    if (byte === oneEnd || byte === otherEnd) {
      // `""` is a quote of the text; its second half may be in the next piece.
      if (byte === quote && input[end + 1] === undefined) return undecided
      if (byte === quote && input[end + 1] === quote) return guarded
      return isHarmlessSigned(input.toString('utf8', from, end)) ? harmless : guarded
    }
  }
  return guarded
}

/** Returns the end of the unquoted cell, or -1 if it is not in this piece. */
function cellEnd(input: Buffer, from: number, separator: number): number {
  for (let at = from; at < input.length; at++) {
    const byte = input[at]
    if (byte === separator || byte === lf) return at
  }
  return -1
}

function hasExponent(input: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (input[at] === letterE) return true
  return false
}

/** 2026-01-31 09:30:00.5+00 → 2026-01-31T09:30:00.500Z, cut to milliseconds. */
function writeDate(input: Buffer, from: number, end: number, output: Buffer, start: number): number {
  let to = start
  let fraction = -1
  for (let at = from; at < end && input[at] !== plus; at++) {
    const byte = input[at] ?? 0
    if (byte === dot) fraction = 0
    else if (fraction >= 0 && ++fraction > 3) continue
    output[to++] = byte === space ? 0x54 : byte
  }
  if (fraction < 0) output[to++] = dot
  for (let digits = Math.max(fraction, 0); digits < 3; digits++) output[to++] = 0x30
  output[to++] = 0x5a
  return to
}

function writeBoolean(input: Buffer, from: number, end: number, output: Buffer, to: number): number {
  const text = input[from] === letterT ? trueText : input[from] === letterF ? falseText : input.subarray(from, end)
  output.set(text, to)
  return to + text.length
}

function headerCell(name: string, layout: ExportLayout): string {
  const text = isGuarded(layout) ? guardFormula(name) : name
  const needsQuotes = text.includes(delimiters[layout.delimiter]) || /["\r\n]|^\s|\s$/.test(text)
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}
