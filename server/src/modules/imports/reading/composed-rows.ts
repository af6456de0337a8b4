import { isAscii } from 'node:buffer'
import { normalizeText } from '@portico/domain/unicode'
import { fault, type RecordBlock } from './record-block.ts'

/**
 * Marks the rows of a block with letters that are not composed (NFC); `repairRow` then composes them. ASCII costs
 * nothing, other text one pass over its bytes.
 */
export function markNotComposed({ bytes, rows, starts, ends, faults }: RecordBlock): void {
  if (rows === 0 || !mayNeedComposing(bytes, starts[0] ?? 0, ends[rows - 1] ?? 0)) return
  for (let row = 0; row < rows; row++) {
    // The `!`: each row has its offsets and faults. Windows-1252 has no letters to compose.
    const [start, end] = [starts[row]!, ends[row]!]
    if (faults[row]! & fault.notUtf8 || !mayNeedComposing(bytes, start, end)) continue
    const text = bytes.toString('utf8', start, end)
    if (normalizeText(text, 'NFC') !== text) faults[row]! |= fault.notComposed
  }
}

/** Characters below this are always in NFC: ASCII, and the letters of Western languages. */
const FIRST_UNCERTAIN_BYTE = 0xcc

function mayNeedComposing(bytes: Buffer, start: number, end: number): boolean {
  if (isAscii(bytes.subarray(start, end))) return false
  const codes = uncertainCodes()
  for (let at = start; at < end; at++) {
    // The `!` here and below: the index is before `end`, and rows never end within a character.
    const byte = bytes[at]!
    if (byte < FIRST_UNCERTAIN_BYTE) continue
    let code = byte & (byte < 0xe0 ? 0x1f : byte < 0xf0 ? 0x0f : 0x07)
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    for (let part = 1; part < length; part++) code = (code << 6) | (bytes[at + part]! & 0x3f)
    if (codes[code]) return true
  }
  return false
}

const PLANES_WITH_LETTERS = 3
let uncertain: Uint8Array | null = null

/**
 * 1 for each character that never occurs in NFC text, or only in some places: marks and Korean vowels, which are
 * composed and sorted, and letters that are normalized to others. A text without any of them is in NFC.
 */
function uncertainCodes(): Uint8Array {
  if (uncertain) return uncertain
  uncertain = new Uint8Array(PLANES_WITH_LETTERS * 0x1_0000)
  for (let code = 0x80; code < uncertain.length; code++) {
    const letter = String.fromCodePoint(code)
    const [first = '', ...others] = normalizeText(letter, 'NFD')
    if (/\p{M}/u.test(letter) || normalizeText(letter, 'NFC') !== letter) uncertain[code] = 1
    if (first === letter) continue
    for (const other of others) uncertain[other.codePointAt(0) ?? 0] = 1
  }
  return uncertain
}
