/** White space in the bytes of a file: a cell with nothing else is empty. */
import { whiteSpace } from '@portico/domain/white-space'

const QUOTE = 0x22

/** 1 for white space, by character code. */
const isSpace = new Uint8Array(0x1_0000)
for (const character of whiteSpace) isSpace[character.charCodeAt(0)] = 1

/**
 * 1 for white space of one byte: in ASCII, and above it in Windows-1252. In UTF-8, no character begins with a byte of
 * the latter kind.
 */
const isSingleByte = new Uint8Array(0x100)
for (let byte = 0; byte < 0x100; byte++) if (byte < 0x80 || byte >= 0xa0) isSingleByte[byte] = isSpace[byte] ?? 0

/**
 * 1 for each byte that can begin a blank cell, in either encoding, and for the quote. Most cells begin with other
 * bytes.
 */
export const beginsBlank = Uint8Array.from(isSingleByte)
for (const character of whiteSpace) beginsBlank[Buffer.from(character)[0] ?? QUOTE] = 1
beginsBlank[QUOTE] = 1

/**
 * Returns where the value of the cell [start, end) begins: after its quote and its white space; at its end, or before
 * its closing quote, if there is no value.
 * @param isUtf8 false for Windows-1252. Before the encoding is known, true: that finds the white space of both, and a
 * little more.
 */
export function valueStart(bytes: Uint8Array, start: number, end: number, isUtf8: boolean): number {
  const isQuoted = hasQuotes(bytes, start, end)
  const to = isQuoted ? end - 1 : end
  let at = isQuoted ? start + 1 : start
  for (let length = 1; at < to && length > 0; at += length) length = spaceLength(bytes, at, to, isUtf8)
  return at
}

/** Returns where the value ends: before its white space and its quote. */
export function valueEnd(bytes: Uint8Array, start: number, end: number, isUtf8: boolean): number {
  let to = hasQuotes(bytes, start, end) ? end - 1 : end
  while (to > start) {
    // The byte with which the last character begins.
    let last = to - 1
    // The `!`: the index is between the two ends of the cell.
    while (isUtf8 && last > start && to - last < 3 && bytes[last]! >= 0x80 && bytes[last]! < 0xc0) last--
    if (spaceLength(bytes, last, to, isUtf8) !== to - last) return to
    to = last
  }
  return to
}

/** Returns whether a cell, with its quotes if it has any, is empty or has only white space. */
export function isBlankCell(bytes: Uint8Array, start: number, end: number, isUtf8: boolean): boolean {
  return valueStart(bytes, start, end, isUtf8) === (hasQuotes(bytes, start, end) ? end - 1 : end)
}

/** Returns whether a record whose cells may all be blank contains no letter of Windows-1252. */
export const isBlankInWindows1252 = (record: Uint8Array, delimiter: number): boolean =>
  record.every((byte) => isSingleByte[byte] === 1 || byte === QUOTE || byte === delimiter)

const hasQuotes = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start > 1 && bytes[start] === QUOTE && bytes[end - 1] === QUOTE

/** Returns the number of bytes of the white space at `at`; 0 for another character. */
function spaceLength(bytes: Uint8Array, at: number, end: number, isUtf8: boolean): number {
  // The `!` here and below: the tables have all codes of up to three bytes, and the text has these bytes.
  const byte = bytes[at]!
  if (!isUtf8 || byte < 0xc0) return isSingleByte[byte]!
  if (byte < 0xe0) return at + 2 <= end ? 2 * isSpace[((byte & 0x1f) << 6) | (bytes[at + 1]! & 0x3f)]! : 0
  if (byte >= 0xf0 || at + 3 > end) return 0
  return 3 * isSpace[((byte & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f)]!
}
