import { formulaSigns, needsGuard } from '@portico/contract/exported-values'
import { beginsBlank } from './blank-cells.ts'
import { fault, type RecordBlock } from './record-block.ts'

const QUOTE = 0x22
const APOSTROPHE = 0x27
const PLUS = 0x2b
const MINUS = 0x2d
/** Maximum bytes of a text after its sign that may be harmless; the guard treats longer ones as formulas. */
const LONGEST_SIGNED = 256

/** Bytes that may follow an apostrophe of the guard. */
const mayFollow = new Uint8Array(256)
for (const sign of `'${formulaSigns}`) mayFollow[Buffer.from(sign).readUInt8()] = 1

/**
 * Removes the apostrophes that exports put before formulas: an exported file is imported unchanged. The bytes of the
 * row before an apostrophe move by one, over it. Most blocks have few apostrophes, which are searched natively.
 */
export function takeGuardsOff(block: RecordBlock, columns: number): void {
  const { bytes, rows, starts, ends, cellEnds, faults } = block
  const last = ends[rows - 1] ?? 0
  let row = 0
  let next = 0
  while ((next = bytes.indexOf(APOSTROPHE, next)) !== -1 && next < last) {
    const at = next++
    // The `!` here and below: `at` is within the bytes, and the rows have their offsets.
    if (mayFollow[bytes[at + 1]!] !== 1) continue
    while (ends[row]! <= at) row++
    if (starts[row]! > at) continue
    let cell = row * columns
    while (cellEnds[cell]! <= at) cell++
    const start = cell === row * columns ? starts[row]! : cellEnds[cell - 1]! + 1
    const end = cellEnds[cell]!
    // The rest of this cell contains no guard.
    next = end
    const isQuoted = bytes[start] === QUOTE
    if (at !== start + (isQuoted ? 1 : 0) || !isGuarded(bytes, at + 1, isQuoted ? end - 1 : end)) continue
    bytes.copyWithin(starts[row]! + 1, starts[row]!, at)
    starts[row]!++
    // White space after the guard is no value.
    if (beginsBlank[bytes[at + 1]!] !== 0) faults[row]! |= fault.blankCell
    for (let before = row * columns; before < cell; before++) cellEnds[before]!++
  }
}

/** Returns whether the guard would put an apostrophe before the text [from, end) of a cell. */
function isGuarded(bytes: Buffer, from: number, end: number): boolean {
  let at = from
  while (at < end && bytes[at] === APOSTROPHE) at++
  const first = bytes[at]
  const isSigned = at < end && (first === PLUS || first === MINUS)
  // A doubled quote needs no unescaping: a text with one after a sign is a formula anyway.
  const text = bytes.toString('utf8', at, Math.min(end, at + LONGEST_SIGNED))
  return isSigned && end - at >= LONGEST_SIGNED ? true : needsGuard(text)
}
