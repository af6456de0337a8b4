import type { ExportDelimiter } from '@portico/contract/exports'
import type { FilterType } from '#filters'
import { plainNumber } from './plain-number.ts'

/** The character between two cells. */
export const delimiters: Record<ExportDelimiter, string> = { csv: ',', tab: '\t', pipe: '|' }

export type ExportLayout = {
  columns: readonly { name: string; type: FilterType }[]
  delimiter: ExportDelimiter
  /** Put an apostrophe before text that a spreadsheet would run as a formula. */
  guardFormulas: boolean
}

const lf = 0x0a
const quote = 0x22
const apostrophe = 0x27
const plus = 0x2b
const minus = 0x2d
const letterE = 0x65
const letterF = 0x66
const letterT = 0x74
const dot = 0x2e
const space = 0x20
const empty = Buffer.alloc(0)
const trueText = Buffer.from('true')
const falseText = Buffer.from('false')

/** Bytes with which a spreadsheet begins a formula: = + - @ TAB CR. */
const startsFormula = new Uint8Array(256)
for (const char of '=+-@\t\r') startsFormula[char.charCodeAt(0)] = 1

// Longer texts of digits are left to the guard; no phone number or amount is near that.
const longestPlainNumber = 40
// One cell of one byte becomes `false` at most; an exponent makes more, and makes room for itself.
const growth = 3
const slack = 64

/**
 * Rewrites what PostgreSQL's COPY … (FORMAT csv) sends, piece by piece and wherever it was cut, into the file users get.
 * Dates become the text the API gives (2026-01-31T00:00:00.000Z), booleans true and false, numbers lose their
 * exponents; texts stay as they are but for the formula guard. Works on bytes: no string is made for a cell.
 */
export class ExportFormat {
  readonly #layout: ExportLayout
  readonly #kinds: readonly FilterType[]
  readonly #separator: number
  #records = 0
  // Where in a record the next byte stands.
  #column = 0
  #isInCell = false
  #isQuoted = false
  // The beginning of a cell that can only be judged as a whole, until the next piece comes.
  #kept: Buffer = empty
  // The piece at hand, what becomes of it, and how far both are.
  #input: Buffer = empty
  #output: Buffer = empty
  #from = 0
  #to = 0

  constructor(layout: ExportLayout) {
    this.#layout = layout
    this.#kinds = layout.columns.map(({ type }) => type)
    this.#separator = delimiters[layout.delimiter].charCodeAt(0)
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

  /** The next piece of the file for the next piece of COPY's output. */
  format(piece: Buffer): Buffer {
    this.#input = this.#kept.length > 0 ? Buffer.concat([this.#kept, piece]) : piece
    this.#kept = empty
    this.#output = Buffer.allocUnsafe(this.#input.length * growth + slack)
    this.#from = 0
    this.#to = 0
    while (this.#from < this.#input.length) {
      if (!this.#isInCell && !this.#beginCell()) {
        this.#kept = Buffer.from(this.#input.subarray(this.#from))
        break
      }
      this.#copyCell()
    }
    return this.#output.subarray(0, this.#to)
  }

  /** What was kept back; empty after whole records. */
  end(): Buffer {
    return this.#kept
  }

  /** Writes what is to be changed of the cell that begins here; false when more of it has to come first. */
  #beginCell(): boolean {
    const kind = this.#kinds[this.#column]
    const isReady = kind === 'string' ? this.#beginText() : this.#writeValue(kind)
    this.#isInCell = isReady
    return isReady
  }

  #beginText(): boolean {
    if (!this.#layout.guardFormulas) return true
    const guard = judgeText(this.#input, this.#from, this.#separator)
    if (guard !== guarded) return guard !== undecided
    if (this.#input[this.#from] === quote) {
      this.#output[this.#to++] = quote
      this.#from++
      this.#isQuoted = true
    }
    this.#output[this.#to++] = apostrophe
    return true
  }

  #writeValue(kind: FilterType | undefined): boolean {
    const [input, from] = [this.#input, this.#from]
    const end = cellEnd(input, from, this.#separator)
    if (end < 0) return false
    this.#from = end
    if (kind === 'date') this.#to = writeDate(input, from, end, this.#output, this.#to)
    else if (kind === 'boolean') this.#to = writeBoolean(input, from, end, this.#output, this.#to)
    else if (kind === 'number' && hasExponent(input, from, end)) this.#writePlain(input.toString('latin1', from, end))
    else this.#from = from
    return true
  }

  #writePlain(number: string): void {
    const text = Buffer.from(plainNumber(number))
    const rest = (this.#input.length - this.#from) * growth + slack
    const roomy = Buffer.allocUnsafe(this.#to + text.length + rest)
    this.#output.copy(roomy, 0, 0, this.#to)
    this.#output = roomy
    this.#to += text.copy(roomy, this.#to)
  }

  /** Copies up to and with the end of the cell, or of the piece. Inside quotes nothing but a quote ends it. */
  #copyCell(): void {
    const [input, output, separator] = [this.#input, this.#output, this.#separator]
    let [from, to, isQuoted] = [this.#from, this.#to, this.#isQuoted]
    while (from < input.length) {
      // Within bounds, as the line above says.
      const byte = input[from++] as number
      output[to++] = byte
      if (byte === quote) isQuoted = !isQuoted
      else if (!isQuoted && (byte === separator || byte === lf)) {
        this.#isInCell = false
        this.#column = byte === lf ? 0 : this.#column + 1
        if (byte === lf) this.#records++
        break
      }
    }
    this.#from = from
    this.#to = to
    this.#isQuoted = isQuoted
  }
}

const undecided = 0
const harmless = 1
const guarded = 2

/** Whether the text cell that begins at `from` needs an apostrophe. */
function judgeText(input: Buffer, from: number, separator: number): number {
  const isQuoted = input[from] === quote
  const at = isQuoted ? from + 1 : from
  const first = input[at]
  if (first === undefined) return undecided
  if (first === separator && !isQuoted) return harmless
  if (startsFormula[first] !== 1) return harmless
  if (isQuoted || (first !== plus && first !== minus)) return guarded
  return judgeSigned(input, at + 1, separator)
}

/** A sign with nothing but digits and one dot behind it is a number, or a telephone's. */
function judgeSigned(input: Buffer, start: number, separator: number): number {
  let digits = 0
  let dots = 0
  for (let at = start; at < start + longestPlainNumber; at++) {
    const byte = input[at]
    if (byte === undefined) return undecided
    if (byte === separator || byte === lf) return digits > 0 ? harmless : guarded
    if (byte >= 0x30 && byte <= 0x39) digits++
    else if (byte !== dot || ++dots > 1) return guarded
  }
  return guarded
}

/** Where the unquoted cell ends, or -1 when that isn't in this piece. */
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
  if (from === end) return to
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
  if (from === end) return to
  const text = input[from] === letterT ? trueText : input[from] === letterF ? falseText : input.subarray(from, end)
  output.set(text, to)
  return to + text.length
}

function headerCell(name: string, { delimiter, guardFormulas }: ExportLayout): string {
  const isFormula = guardFormulas && /^[=+\-@\t\r]/.test(name)
  const text = isFormula ? `'${name}` : name
  const needsQuotes = text.includes(delimiters[delimiter]) || /["\r\n]|^\s|\s$/.test(text)
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}
