/**
 * Reads the XML of a workbook on bytes, without creating strings: a sheet of a million rows has a hundred million tags.
 * It supports elements, attributes, text, CDATA, comments and processing instructions. A DOCTYPE is refused, so the
 * only entities are the five of XML and numeric character references, and nothing refers to anything outside. It does
 * not validate: it refuses what it cannot read, and checks that every element ends.
 */
import { lowerAscii } from '@portico/domain/names'
import { FileRefused } from '../reading/source-text-refused.ts'
import { XmlAttributes } from './xml-attributes.ts'

/** Listener for the content of a part. Bytes are only valid during the call. */
export type XmlHandler = {
  /**
   * `name` is the position of the element's name, without its prefix, in the list of known names; -1 for other names.
   */
  open: (name: number, attributes: XmlAttributes) => void
  close: (name: number) => void
  /** Text between two tags, or a part of it. With `isLiteral` it has no references: `&` is an ordinary character. */
  text: (bytes: Buffer, start: number, end: number, isLiteral: boolean) => void
}

/** A cell has 32,767 characters, each at most as long as `&#x1F600;`. */
const MAX_TOKEN_BYTES = 1024 * 1024
/** Workbooks nest about ten elements. */
const MAX_DEPTH = 128

const LESS = 0x3c
const GREATER = 0x3e
const SLASH = 0x2f
const QUESTION = 0x3f
const EXCLAMATION = 0x21
const COLON = 0x3a
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const SPACE = 0x20

export const damagedXml = (why: string): FileRefused =>
  new FileRefused(`The workbook is damaged: ${why}. Open it in Excel, save it as .xlsx and upload that.`)

/** Scans a part chunk by chunk; an incomplete tag or text waits for the next chunk. */
export class XmlScanner {
  readonly #handler: XmlHandler
  /** Position of each known name by its hash. */
  readonly #names = new Map<number, number>()
  readonly #attributes = new XmlAttributes()
  /** Hashes of the open elements' names. */
  readonly #open = new Int32Array(MAX_DEPTH)
  #depth = 0
  #hasRoot = false
  #rest: Buffer = Buffer.alloc(0)

  constructor(names: readonly string[], handler: XmlHandler) {
    this.#handler = handler
    for (const [place, name] of names.entries()) this.#names.set(hashOf(Buffer.from(name), 0, name.length), place)
  }

  /** @throws FileRefused */
  write(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const end = bytes.length
    let at = 0
    for (;;) {
      const start = at
      while (at < end && bytes[at] !== LESS) at++
      // Text is complete when the next tag begins.
      if (at === end) return this.#keep(bytes, start)
      if (at > start && this.#depth > 0) this.#handler.text(bytes, start, at, false)
      const next = this.#readMarkup(bytes, at, end)
      if (next === -1) return this.#keep(bytes, at)
      at = next
    }
  }

  /** @throws FileRefused if an element is still open */
  end(): void {
    if (this.#depth > 0 || !this.#hasRoot || this.#rest.includes(LESS)) throw damagedXml('a part of it ends too early')
  }

  #keep(bytes: Buffer, start: number): void {
    if (bytes.length - start > MAX_TOKEN_BYTES) throw damagedXml('a text or tag in it is larger than 1 MiB')
    this.#rest = bytes.subarray(start)
  }

  /** Reads markup that begins with `<` at `at`. Returns its end, or -1 if it continues after `end`. */
  #readMarkup(bytes: Buffer, at: number, end: number): number {
    const kind = bytes[at + 1]
    if (at + 1 >= end) return -1
    if (kind === SLASH) return this.#readClosing(bytes, at + 2, end)
    if (kind === QUESTION) return readInstruction(bytes, at, end)
    if (kind === EXCLAMATION) return this.#readSpecial(bytes, at, end)
    return this.#readOpening(bytes, at + 1, end)
  }

  #readClosing(bytes: Buffer, from: number, end: number): number {
    let at = from
    let hash = 0
    // The `!` here and below: the index is smaller than `end`.
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (byte <= SPACE || byte === GREATER) break
      hash = byte === COLON ? 0 : (Math.imul(hash, 31) + byte) | 0
    }
    while (at < end && bytes[at]! <= SPACE) at++
    if (at >= end) return -1
    if (bytes[at] !== GREATER) throw damagedXml('a tag in it cannot be read')
    this.#close(hash)
    return at + 1
  }

  #close(hash: number): void {
    if (this.#depth === 0 || this.#open[--this.#depth] !== hash)
      throw damagedXml('an element in it ends in the wrong place')
    this.#handler.close(this.#names.get(hash) ?? -1)
  }

  #readOpening(bytes: Buffer, from: number, end: number): number {
    let at = from
    let hash = 0
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (byte <= SPACE || byte === GREATER || byte === SLASH || byte === LESS) break
      hash = byte === COLON ? 0 : (Math.imul(hash, 31) + byte) | 0
    }
    if (at === from && at < end) throw damagedXml('a tag in it cannot be read')
    const attributes = at
    // A value may contain `>`.
    for (let quote = 0; at < end; at++) {
      const byte = bytes[at]!
      if (quote !== 0) {
        if (byte === quote) quote = 0
      } else if (byte === GREATER) break
      else if (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE) quote = byte
      else if (byte === LESS) throw damagedXml('a tag in it cannot be read')
    }
    if (at >= end) return -1
    const isEmpty = bytes[at - 1] === SLASH
    if (this.#depth === MAX_DEPTH) throw damagedXml(`its elements are nested more than ${MAX_DEPTH} deep`)
    if (this.#depth === 0 && this.#hasRoot) throw damagedXml('a part of it has two roots')
    this.#hasRoot = true
    this.#open[this.#depth++] = hash
    this.#attributes.reset(bytes, attributes, isEmpty ? at - 1 : at)
    this.#handler.open(this.#names.get(hash) ?? -1, this.#attributes)
    if (isEmpty) this.#close(hash)
    return at + 1
  }

  /** Reads a comment or CDATA. */
  #readSpecial(bytes: Buffer, at: number, end: number): number {
    if (end - at < CDATA.length) return -1
    if (bytes.toString('latin1', at, at + COMMENT.length) === COMMENT) {
      const close = bytes.indexOf('-->', at + COMMENT.length)
      return close === -1 ? -1 : close + 3
    }
    if (bytes.toString('latin1', at, at + CDATA.length) !== CDATA) throw new FileRefused(documentType)
    const start = at + CDATA.length
    const close = bytes.indexOf(']]>', start)
    if (close === -1) return -1
    if (this.#depth > 0 && close > start) this.#handler.text(bytes, start, close, true)
    return close + 3
  }
}

const COMMENT = '<!--'
const CDATA = '<![CDATA['

const documentType =
  'The workbook contains a document type (DOCTYPE) or entities, which no workbook needs and attacks use. Open it in Excel, save it as .xlsx and upload that.'

/** Encodings that parts may declare. */
const readable = ['utf-8', 'utf8', 'us-ascii', 'ascii', 'utf-16', 'utf-16le', 'utf-16be']
const MAX_DECLARATION = 200

function readInstruction(bytes: Buffer, at: number, end: number): number {
  const close = bytes.indexOf('?>', at + 2)
  if (close === -1 || close >= end) return -1
  const [, encoding] = bytes.toString('latin1', at, Math.min(close, at + MAX_DECLARATION)).split('encoding=')
  const name = encoding?.slice(1).split(/["']/)[0]
  if (name !== undefined && !readable.includes(lowerAscii(name))) {
    throw damagedXml(`its text is written as "${name}", not as UTF-8`)
  }
  return close + 2
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0
  return hash
}
