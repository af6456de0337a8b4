/** Bytes of cells in delimited text, as `record-scanner.ts` reads it. */
import type { Delimiter } from '../reading/separator-line.ts'
import { damagedXml } from './xml-scanner.ts'
import { decodeEscapes, decodeReferences } from './xml-text.ts'

/** A growing buffer. */
export class ByteList {
  bytes: Buffer = Buffer.allocUnsafeSlow(64 * 1024)
  length = 0

  /** Makes room for this many more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + count))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }

  add(bytes: Buffer, start: number, end: number): void {
    this.reserve(end - start)
    // A native call costs more than copying a few bytes.
    if (end - start > 32) this.length += bytes.copy(this.bytes, this.length, start, end)
    // The `!`: the index is inside the bytes.
    else for (let at = start; at < end; at++) this.bytes[this.length++] = bytes[at]!
  }

  addByte(byte: number, times = 1): void {
    this.reserve(times)
    for (let count = 0; count < times; count++) this.bytes[this.length++] = byte
  }

  addText(text: string): void {
    this.reserve(3 * text.length)
    this.length += this.bytes.write(text, this.length)
  }
}

const AMPERSAND = 0x26
const QUOTE = 0x22
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const UNDERSCORE = 0x5f
const SMALL_X = 0x78

/** A cell has 32,767 characters of up to four bytes. */
const MAX_TEXT_BYTES = 1024 * 1024

/** The text of a cell, collected from its pieces in the XML. */
export class CellText extends ByteList {
  readonly #delimiter: number

  constructor(delimiter: Delimiter) {
    super()
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** Adds a piece; `isLiteral` as for `XmlHandler.text`. */
  collect(bytes: Buffer, start: number, end: number, isLiteral: boolean): void {
    if (this.length + end - start > MAX_TEXT_BYTES) throw damagedXml('a text in it is larger than 1 MiB')
    this.reserve(end - start)
    const before = this.length
    for (let at = start; at < end; at++) {
      // The `!`: the index is inside the bytes.
      const byte = bytes[at]!
      if ((byte === AMPERSAND && !isLiteral) || byte === CARRIAGE_RETURN) {
        this.length = before
        return this.#collectSlowly(bytes.toString('utf8', start, end), isLiteral)
      }
      this.bytes[this.length++] = byte
    }
  }

  #collectSlowly(written: string, isLiteral: boolean): void {
    // XML normalizes line ends; an intended carriage return is written as a reference.
    const text = written.replaceAll(/\r\n?/g, '\n')
    this.addText(isLiteral ? text : decodeReferences(text))
  }

  /** Adds the text to the target as a cell, in quotes if it needs them. */
  writeCell(target: ByteList): void {
    let quotes = 0
    let needsQuotes = false
    for (let at = 0; at < this.length; at++) {
      // The `!` here and below: the index is inside the bytes.
      const byte = this.bytes[at]!
      if (byte === QUOTE) quotes++
      else if (byte === this.#delimiter || byte === LINE_FEED || byte === CARRIAGE_RETURN) needsQuotes = true
    }
    if (!needsQuotes && quotes === 0) return target.add(this.bytes, 0, this.length)
    target.addByte(QUOTE)
    target.reserve(this.length + quotes + 1)
    for (let at = 0; at < this.length; at++) {
      if (this.bytes[at] === QUOTE) target.addByte(QUOTE)
      target.addByte(this.bytes[at]!)
    }
    target.addByte(QUOTE)
  }

  /** Replaces the escapes of workbooks, once all pieces are collected. */
  decodeEscapes(): void {
    for (let at = 0; at < this.length - 6; at++) {
      if (this.bytes[at] !== UNDERSCORE || this.bytes[at + 1] !== SMALL_X) continue
      const decoded = decodeEscapes(this.bytes.toString('utf8', 0, this.length))
      this.length = 0
      return this.addText(decoded)
    }
  }
}
