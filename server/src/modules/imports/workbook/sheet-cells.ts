/** Cuts the XML of a sheet into rows of cells; `sheet-rows.ts` writes them as delimited text. */
import type { Delimiter } from '../reading/separator-line.ts'
import { recordTooLarge, MAX_RECORD_BYTES } from '../reading/record-scanner-window.ts'
import { ByteList, CellText } from './cell-bytes.ts'
import { formattedText, numberText } from './cell-numbers.ts'
import type { NumberFormat } from './number-formats.ts'
import type { XmlAttributes } from './xml-attributes.ts'
import { damagedXml, type XmlHandler } from './xml-scanner.ts'

/** Limits of Excel. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

export const sheetElements = ['row', 'c', 'v', 'is', 't', 'rPh', 'f'] as const
const [ROW, CELL, VALUE, INLINE, TEXT, PHONETIC, FORMULA] = [0, 1, 2, 3, 4, 5, 6]

/** A complete row: cells [firstCell, endCell). */
export type SheetRow = { number: number; firstCell: number; endCell: number; isHidden: boolean; errors: number }

const letterOf = (text: string): number => text.charCodeAt(0)
const [LETTER_R, LETTER_S, LETTER_T] = ['r', 's', 't'].map(letterOf) as [number, number, number]
const types = {
  boolean: letterOf('b'),
  date: letterOf('d'),
  error: letterOf('e'),
  number: letterOf('n'),
  shared: letterOf('s'),
}
const [ZERO, NINE, MINUS, POINT] = ['0', '9', '-', '.'].map(letterOf) as [number, number, number, number]
/** Types of more than one letter: `str` and `inlineStr`. */
const TYPE_TEXT = 0

/** The non-empty cells of the rows read so far. Shared texts are referred to by index. */
export class SheetCells implements XmlHandler {
  readonly rows: SheetRow[] = []
  /** Column of each cell, counted from 0. */
  columns = new Int32Array(4096)
  /** Index of the shared text, or -1 for the bytes [starts, ends) of `bytes`. */
  shared = new Int32Array(4096)
  starts = new Int32Array(4096)
  ends = new Int32Array(4096)
  bytes = new ByteList()
  readonly #value: CellText
  readonly #styles: readonly NumberFormat[]
  readonly #isDate1904: boolean
  #count = 0
  #row: SheetRow = { number: 0, firstCell: 0, endCell: 0, isHidden: false, errors: 0 }
  #isInRow = false
  #column = -1
  #type: number = types.number
  #style = 0
  #isInline = false
  #hasFormula = false
  #phonetic = 0
  #collects = false

  constructor(options: { delimiter: Delimiter; styles: readonly NumberFormat[]; isDate1904: boolean }) {
    this.#value = new CellText(options.delimiter)
    this.#styles = options.styles
    this.#isDate1904 = options.isDate1904
  }

  /** Discards the complete rows. */
  clear(): void {
    const from = this.#isInRow ? this.#row.firstCell : this.#count
    for (const list of [this.columns, this.shared, this.starts, this.ends]) list.copyWithin(0, from, this.#count)
    this.#count -= from
    this.#row.firstCell = 0
    this.rows.length = 0
    const kept = this.#count > 0 ? (this.starts[0] ?? 0) : this.bytes.length
    this.bytes.bytes.copyWithin(0, kept, this.bytes.length)
    this.bytes.length -= kept
    for (let cell = 0; cell < this.#count; cell++) {
      this.starts[cell]! -= kept
      this.ends[cell]! -= kept
    }
  }

  open(name: number, attributes: XmlAttributes): void {
    if (name === CELL) this.#openCell(attributes)
    else if (name === VALUE) this.#collects = this.#column >= 0 && !this.#isInline
    else if (name === TEXT) this.#collects = this.#isInline && this.#phonetic === 0
    else if (name === ROW) this.#openRow(attributes)
    else if (name === INLINE) this.#isInline = true
    else if (name === PHONETIC) this.#phonetic++
    else if (name === FORMULA) this.#hasFormula = true
  }

  close(name: number): void {
    if (name === CELL) this.#closeCell()
    else if (name === VALUE || name === TEXT) this.#collects = false
    else if (name === ROW) this.#closeRow()
    else if (name === INLINE) this.#isInline = false
    else if (name === PHONETIC) this.#phonetic--
  }

  text(bytes: Buffer, start: number, end: number, isLiteral: boolean): void {
    if (this.#collects) this.#value.collect(bytes, start, end, isLiteral)
  }

  #openRow(attributes: XmlAttributes): void {
    let number = this.#row.number + 1
    let isHidden = false
    while (attributes.next()) {
      if (attributes.letter === LETTER_R) number = digitsOf(attributes)
      else if (isNamedHidden(attributes)) isHidden = isTrue(attributes)
    }
    if (number <= this.#row.number || number > MAX_ROWS) throw damagedXml(`its row ${number} is in the wrong place`)
    this.#row = { number, firstCell: this.#count, endCell: this.#count, isHidden, errors: 0 }
    this.#isInRow = true
    this.#column = -1
  }

  #closeRow(): void {
    this.#row.endCell = this.#count
    this.#isInRow = false
    this.#column = -1
    this.rows.push(this.#row)
  }

  #openCell(attributes: XmlAttributes): void {
    if (!this.#isInRow) throw damagedXml('a cell in it is outside of a row')
    let column = this.#column + 1
    this.#type = types.number
    this.#style = 0
    this.#hasFormula = false
    this.#value.length = 0
    while (attributes.next()) {
      const { letter } = attributes
      if (letter === LETTER_R) column = columnOf(attributes)
      else if (letter === LETTER_S) this.#style = digitsOf(attributes)
      else if (letter === LETTER_T) {
        const isLetter = attributes.end - attributes.start === 1
        this.#type = isLetter ? (attributes.bytes[attributes.start] ?? 0) : TYPE_TEXT
      }
    }
    if (column <= this.#column || column >= MAX_COLUMNS) {
      throw damagedXml(`a cell of its row ${this.#row.number} is in the wrong place`)
    }
    this.#column = column
  }

  #closeCell(): void {
    const value = this.#value
    if (value.length === 0) {
      // A program that computes nothing stored the formula alone. One whose result is an empty text is of another type.
      if (this.#hasFormula && this.#type === types.number) this.#row.errors++
      return
    }
    if (this.#type === types.shared) return this.#addCell(sharedIndex(value), this.bytes.length)
    const start = this.bytes.length
    if (this.#type === types.error) this.#row.errors++
    else if (this.#type === types.boolean) this.bytes.addText(this.#booleanOf(value))
    else if (this.#type === types.number) this.#addNumber(value)
    else {
      if (this.#type === types.date) this.#rewriteDate(value)
      value.decodeEscapes()
      value.writeCell(this.bytes)
    }
    if (this.bytes.length > start) this.#addCell(-1, start)
    const { firstCell, number } = this.#row
    const first = this.#count > firstCell ? (this.starts[firstCell] ?? start) : start
    if (this.bytes.length - first > MAX_RECORD_BYTES) throw recordTooLarge(number)
  }

  #addCell(shared: number, start: number): void {
    if (this.#count === this.columns.length) this.#grow()
    const cell = this.#count++
    this.columns[cell] = this.#column
    this.shared[cell] = shared
    this.starts[cell] = start
    this.ends[cell] = this.bytes.length
  }

  #grow(): void {
    const grown = (list: Int32Array): Int32Array<ArrayBuffer> => {
      const larger = new Int32Array(2 * list.length)
      larger.set(list)
      return larger
    }
    this.columns = grown(this.columns)
    this.shared = grown(this.shared)
    this.starts = grown(this.starts)
    this.ends = grown(this.ends)
  }

  #addNumber(value: CellText): void {
    const format = this.#styles[this.#style] ?? 'plain'
    if (format === 'plain' && isShown(value)) return this.bytes.add(value.bytes, 0, value.length)
    const written = value.bytes.toString('latin1', 0, value.length).trim()
    const number = written === '' ? Number.NaN : Number(written)
    if (Number.isNaN(number)) throw damagedXml(`a number of its row ${this.#row.number} cannot be read`)
    this.bytes.addText(format === 'plain' ? numberText(number) : formattedText(number, format, this.#isDate1904))
  }

  /** Excel writes 0 and 1, other programs also words. */
  #booleanOf(value: CellText): string {
    const written = value.bytes.toString('latin1', 0, value.length).trim().toLowerCase()
    if (written === '1' || written === 'true') return 'true'
    if (written === '0' || written === 'false') return 'false'
    throw damagedXml(`a yes or no of its row ${this.#row.number} cannot be read`)
  }

  /** A date written as text, not as a number: `2024-01-31T00:00:00`. */
  #rewriteDate(value: CellText): void {
    const written = value.bytes.toString('utf8', 0, value.length)
    const [, day, time = ''] = /^(\d{4}-\d\d-\d\d)(?:T(.*))?$/.exec(written) ?? []
    if (day === undefined) return
    const isMidnight = /^(00:00(:00(\.0+)?)?)?$/.test(time)
    value.length = 0
    value.addText(isMidnight && this.#styles[this.#style] !== 'moment' ? day : `${day} ${time || '00:00:00'}`)
  }
}

/** Maximum number of digits that a double preserves exactly. */
const MAX_DIGITS = 15

/** Returns whether a number is written as it is shown: `-12.5`, not `1E3`, `.5`, `007` or `0.1000000000000001`. */
function isShown({ bytes, length }: CellText): boolean {
  const first = bytes[0] === MINUS ? 1 : 0
  if (length - first > MAX_DIGITS || length === first) return false
  let points = 0
  for (let at = first; at < length; at++) {
    const byte = bytes[at]!
    if (byte === POINT) points++
    else if (byte < ZERO || byte > NINE) return false
  }
  const isPlain = points <= 1 && bytes[first] !== POINT && bytes[length - 1] !== POINT
  // A lone 0 is fine; -0, 00 and -0.5 are for the slow path.
  return isPlain && (bytes[first] !== ZERO || (first === 0 && (length === 1 || bytes[1] === POINT)))
}

function sharedIndex({ bytes, length }: CellText): number {
  let index = 0
  for (let at = 0; at < length; at++) index = index * 10 + digit(bytes[at]!)
  if (index > 0x7fff_ffff) throw damagedXml('a cell refers to a text that is not there')
  return index
}

function digitsOf({ bytes, start, end }: XmlAttributes): number {
  let number = 0
  // Longer numbers are beyond any limit.
  for (let at = start; at < Math.min(end, start + 12); at++) number = number * 10 + digit(bytes[at]!)
  return number
}

function digit(byte: number): number {
  if (byte < ZERO || byte > NINE) throw damagedXml('a number in it cannot be read')
  return byte - ZERO
}

/** Column of a reference such as `AB12`, counted from 0. */
function columnOf({ bytes, start, end }: XmlAttributes): number {
  let column = 0
  for (let at = start; at < end && column <= MAX_COLUMNS; at++) {
    const letter = bytes[at]! & ~0x20
    if (letter < 0x41 || letter > 0x5a) break
    column = column * 26 + letter - 0x40
  }
  return column - 1
}

const isNamedHidden = ({ bytes, nameStart, nameEnd }: XmlAttributes): boolean =>
  nameEnd - nameStart === 6 && bytes.toString('latin1', nameStart, nameEnd) === 'hidden'

const isTrue = ({ bytes, start, end }: XmlAttributes): boolean =>
  ['1', 'true'].includes(bytes.toString('latin1', start, end))
