/** Recognizes files that are not delimited text by how they begin. */

type Signature = { bytes: Buffer; kind: string; advice?: string; isShort?: boolean }

const saveAsCsv = ' Save it as CSV and upload that.'

/** Short signatures could begin a text, so they only count if a control character follows. */
const signatures: Signature[] = [
  { bytes: Buffer.from('89504e470d0a1a0a', 'hex'), kind: 'a PNG image' },
  { bytes: Buffer.from('ffd8ff', 'hex'), kind: 'a JPEG image', isShort: true },
  { bytes: Buffer.from('GIF8'), kind: 'a GIF image', isShort: true },
  { bytes: Buffer.from('%PDF-'), kind: 'a PDF document' },
  // Files of Office before 2007.
  { bytes: Buffer.from('d0cf11e0a1b11ae1', 'hex'), kind: 'an Excel or Word file', advice: saveAsCsv },
]

/** How far to look for a control character behind a short signature. */
const lookedAtBytes = 64

/** The reason why a file that begins with these bytes cannot be imported; null if it may be text. */
export function whyNoText(head: Buffer): string | null {
  const found = signatures.find(
    ({ bytes, isShort }) =>
      head.subarray(0, bytes.length).equals(bytes) && (!isShort || hasControlCharacter(head.subarray(bytes.length))),
  )
  return found ? `This is ${found.kind}, not a text file.${found.advice ?? ''}` : null
}

/** A control character other than tab and line breaks. */
function hasControlCharacter(bytes: Buffer): boolean {
  return bytes.subarray(0, lookedAtBytes).some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0d].includes(byte))
}

/** The same for text: a table does not begin like an object, or a list of objects, of JSON. */
export function whyNoTable(text: string): string | null {
  const isJson = /^\s*(?:\[\s*)?\{\s*"[^"]*"\s*:/.test(text)
  return isJson ? `This is JSON, not a table.${saveAsCsv}` : null
}
