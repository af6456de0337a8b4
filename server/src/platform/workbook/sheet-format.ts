import { Transform } from 'node:stream'
import { plainNumber } from '@portico/contract/exported-values'
import { cellStyle } from '@portico/contract/workbook/cell-styles'
import {
  CellTooLong,
  type CellType,
  columnLetters,
  mostCharacters,
  mostSheetRows,
} from '@portico/contract/workbook/sheet-columns'
import { codeText } from '@portico/contract/workbook/sheet-text'
import { textMark } from './workbook-cells.ts'

/** Starts the rows of another sheet. XML does not contain this byte. */
export const nextSheetMark = 0x06
const tab = 0x09
const lineFeed = 0x0a
const minus = 0x2d
const letterI = 0x49
const letterN = 0x4e
const backslash = 0x5c
const underscore = 0x5f
const mark = textMark.charCodeAt(0)

const pieceBytes = 256 * 1024
// A byte becomes at most seven, as `_x0001_`; a cell and the start of a row take the rest.
const growth = 7
const slack = 256
// In a text that just fits, each character takes four bytes or, as an escape, two.
const longestCell = 4 * mostCharacters

const bytesOf = (text: string): Uint8Array => Buffer.from(text)
const rowBegins = bytesOf('<row r="')
const rowNumberEnds = bytesOf('">')
const rowEnds = bytesOf('</row>\n')
const textBegins = bytesOf('" t="inlineStr"><is><t xml:space="preserve">')
const textEnds = bytesOf('</t></is></c>')
const valueEnds = bytesOf('</v></c>')
const valueBegins: Record<Exclude<CellType, 'string' | 'id'>, Uint8Array> = {
  number: bytesOf('"><v>'),
  boolean: bytesOf('" t="b"><v>'),
  day: bytesOf(`" s="${cellStyle.day}"><v>`),
  date: bytesOf(`" s="${cellStyle.moment}"><v>`),
}

/** Bytes of a text that are replaced. XML would turn a carriage return into a line feed. */
const replacements = new Map<number, Uint8Array>([
  ...Array.from({ length: 32 }, (_, code) => [code, bytesOf(codeText(code))] as const),
  [0x26, bytesOf('&amp;')],
  [0x3c, bytesOf('&lt;')],
  [0x3e, bytesOf('&gt;')],
])
replacements.delete(tab)
replacements.delete(lineFeed)
const isReplaced = new Uint8Array(256)
for (const byte of replacements.keys()) isReplaced[byte] = 1

/** Characters that COPY's text format uses to escape others. */
const escapes = new Map(
  Object.entries({ b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }).map(([sign, byte]) => [sign.charCodeAt(0), byte]),
)

/**
 * A code that the text itself contains: its underscore is written as a code, or it would be read as another character.
 */
const ownCode = /^_x[0-9a-f]{4}_$/i
const codeLength = 7
const escapedUnderscore = bytesOf(codeText(underscore))
/** U+FFFE and U+FFFF, which XML lacks, by the last of their three bytes. */
const noncharacters = new Map([0xbe, 0xbf].map((last) => [last, bytesOf(codeText(0xff40 + last))]))

/**
 * Converts the output of PostgreSQL's COPY in text format, split at any byte, into the rows of sheets as XML. Values
 * are those of `sheetValue`; empty ones are left out. The row after the last one of a sheet starts another. Works on
 * bytes, without a string per cell.
 */
export class SheetFormat {
  readonly #types: readonly CellType[]
  readonly #numberBegins: readonly Uint8Array[]
  readonly #cellBegins: readonly Uint8Array[]
  readonly #mostRows: number
  #rows = 0
  #row = 2
  #digits = bytesOf('2')
  #column = 0
  // The start of a cell, until the next chunk comes.
  #kept: Buffer = Buffer.alloc(0)
  #full: Buffer[] = []
  #output: Buffer = Buffer.alloc(0)
  #to = 0

  /** `styles`: those of `CellStyles` for the number cells of each column. */
  constructor(types: readonly CellType[], styles: readonly number[] = [], rowsOfSheet = mostSheetRows) {
    this.#types = types
    this.#numberBegins = types.map((_, at) => (styles[at] ? bytesOf(`" s="${styles[at]}"><v>`) : valueBegins.number))
    this.#cellBegins = types.map((_, at) => bytesOf(`<c r="${columnLetters(at)}`))
    this.#mostRows = rowsOfSheet
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows
  }

  /** @throws CellTooLong */
  format(piece: Buffer): Buffer[] {
    const input = this.#kept.length > 0 ? Buffer.concat([this.#kept, piece]) : piece
    let from = 0
    for (let at = this.#kept.length; at < input.length; at++) {
      const byte = input[at]
      if (byte !== tab && byte !== lineFeed) continue
      this.#ensure((at - from) * growth + slack)
      if (this.#column === 0) this.#beginRow()
      this.#writeCell(input, from, at)
      if (byte === lineFeed) this.#endRow()
      else this.#column++
      from = at + 1
    }
    this.#kept = Buffer.from(input.subarray(from))
    if (this.#kept.length > longestCell) throw new CellTooLong(this.#column)
    const full = this.#full
    this.#full = []
    return full
  }

  /** Returns the rest of the rows. */
  end(): Buffer {
    return this.#output.subarray(0, this.#to)
  }

  #ensure(bytes: number): void {
    if (this.#output.length - this.#to >= bytes) return
    if (this.#to > 0) this.#full.push(this.#output.subarray(0, this.#to))
    this.#output = Buffer.allocUnsafe(Math.max(pieceBytes, bytes))
    this.#to = 0
  }

  #beginRow(): void {
    if (this.#row > this.#mostRows) {
      this.#output[this.#to++] = nextSheetMark
      this.#row = 2
    }
    this.#digits = bytesOf(String(this.#row))
    this.#put(rowBegins)
    this.#put(this.#digits)
    this.#put(rowNumberEnds)
  }

  #endRow(): void {
    this.#put(rowEnds)
    this.#rows++
    this.#row++
    this.#column = 0
  }

  #writeCell(input: Buffer, from: number, end: number): void {
    const isEmpty = from === end || (input[from] === backslash && input[from + 1] === letterN)
    if (isEmpty) return
    this.#put(this.#cellBegins[this.#column] ?? rowBegins)
    this.#put(this.#digits)
    const type = this.#types[this.#column] ?? 'string'
    const isMarked = input[from] === mark
    if (type === 'string' || type === 'id' || isMarked || isNoNumber(input, from)) {
      this.#writeTextCell(input, type !== 'string' && isMarked ? from + 1 : from, end)
    } else if (type === 'number' && isLongNumber(input, from, end)) {
      const text = Buffer.from(plainNumber(input.toString('latin1', from, end)))
      this.#writeTextCell(text, 0, text.length)
    } else {
      this.#put(type === 'number' ? (this.#numberBegins[this.#column] ?? valueBegins.number) : valueBegins[type])
      for (let at = from; at < end; at++) this.#output[this.#to++] = input[at] as number
      this.#put(valueEnds)
    }
  }

  #writeTextCell(input: Buffer, from: number, end: number): void {
    this.#put(textBegins)
    this.#writeText(input, from, end)
    this.#put(textEnds)
  }

  #writeText(input: Buffer, from: number, end: number): void {
    let characters = 0
    for (let at = from; at < end; at++) {
      // Within bounds, like the bytes after a backslash and after the first of three.
      let byte = input[at] as number
      if (byte === backslash) {
        const next = input[++at] as number
        byte = escapes.get(next) ?? next
      }
      // Continuation bytes do not count; a character of four bytes counts as two in a sheet.
      if ((byte & 0xc0) !== 0x80) characters += byte >= 0xf0 ? 2 : 1
      if (isReplaced[byte] === 1) this.#put(replacements.get(byte) ?? rowBegins)
      else if (byte === underscore && isOwnCode(input, at)) this.#put(escapedUnderscore)
      else if (byte === 0xef && input[at + 1] === 0xbf && noncharacters.has(input[at + 2] ?? 0)) {
        this.#put(noncharacters.get(input[at + 2] ?? 0) ?? rowBegins)
        at += 2
      } else this.#output[this.#to++] = byte
    }
    if (characters > mostCharacters) throw new CellTooLong(this.#column)
  }

  #put(bytes: Uint8Array): void {
    const output = this.#output
    let to = this.#to
    for (let at = 0; at < bytes.length; at++) output[to++] = bytes[at] as number
    this.#to = to
  }
}

/** Returns whether a number is `NaN` or infinite. */
function isNoNumber(input: Buffer, from: number): boolean {
  const first = input[from]
  return first === letterN || first === letterI || (first === minus && input[from + 1] === letterI)
}

/** Digits of a number that a sheet shows; it turns further ones into zeros. */
const shownDigits = 15

/**
 * Returns whether a number has more digits before its decimal point than a sheet shows, as a code may. PostgreSQL
 * writes it with an exponent.
 */
function isLongNumber(input: Buffer, from: number, end: number): boolean {
  const exponent = input.indexOf('e+', from, 'latin1')
  // They include a point, and perhaps a sign.
  return exponent !== -1 && exponent < end && exponent - from > shownDigits + (input[from] === minus ? 2 : 1)
}

const isOwnCode = (input: Buffer, at: number): boolean => ownCode.test(input.toString('latin1', at, at + codeLength))

/** Returns a stream through `format`; `onPiece` is called for each chunk that arrives. */
export function sheetStream(format: SheetFormat, onPiece: () => void): Transform {
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      onPiece()
      try {
        for (const full of format.format(piece)) this.push(full)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
    flush(done) {
      done(null, format.end())
    },
  })
}
