import { decodeReferences } from './xml-text.ts'

const EQUALS = 0x3d
const COLON = 0x3a
const SPACE = 0x20

/** The attributes of the current tag, one after the other, without creating strings. */
export class XmlAttributes {
  bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  #at = 0
  /** The current name, without its prefix, is the bytes [nameStart, nameEnd); the value, as written, [start, end). */
  nameStart = 0
  nameEnd = 0
  start = 0
  end = 0

  reset(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes
    this.#start = start
    this.#end = end
    this.#at = start
  }

  /** Moves to the next attribute; false after the last one. */
  next(): boolean {
    const { bytes } = this
    const last = this.#end
    let at = this.#at
    // The `!` here and below: the index is smaller than `last`.
    while (at < last && bytes[at]! <= SPACE) at++
    this.nameStart = at
    for (; at < last && bytes[at] !== EQUALS && bytes[at]! > SPACE; at++)
      if (bytes[at] === COLON) this.nameStart = at + 1
    this.nameEnd = at
    while (at < last && (bytes[at] === EQUALS || bytes[at]! <= SPACE)) at++
    const quote = bytes[at++]!
    this.start = at
    while (at < last && bytes[at] !== quote) at++
    this.end = at
    this.#at = at + 1
    return at < last
  }

  /** First byte of a name of one letter; 0 for longer names. */
  get letter(): number {
    return this.nameEnd - this.nameStart === 1 ? (this.bytes[this.nameStart] ?? 0) : 0
  }

  /** Returns the value of the attribute with that name and any prefix; null if there is none. For rare elements. */
  find(name: string): string | null {
    this.#at = this.#start
    while (this.next()) {
      if (this.bytes.toString('latin1', this.nameStart, this.nameEnd) === name) {
        return decodeReferences(this.bytes.toString('utf8', this.start, this.end))
      }
    }
    return null
  }
}
