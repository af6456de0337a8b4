/** Recognizes files that are not delimited text by their first bytes. */

type Signature = {
  kind: string
  /** Bytes by their position, one character each. */
  parts: Record<number, string>
  advice?: string
  /** A text could begin with it too, so it only counts if a control character follows. */
  isShort?: boolean
}

const saveAsCsv = ' Save it as CSV and upload that.'
const saveWorkbook = ' Save it as .xlsx or CSV and upload that.'
const compressAgain = ' Upload the text that it contains, compressed as .zip or .gz if it is large.'

/** More specific ones first. */
const signatures: Signature[] = [
  { kind: 'a PNG image', parts: { 0: '\x89PNG\r\n\x1a\n' } },
  { kind: 'a JPEG image', parts: { 0: '\xff\xd8\xff' }, isShort: true },
  { kind: 'a GIF image', parts: { 0: 'GIF8' }, isShort: true },
  { kind: 'a WebP image', parts: { 0: 'RIFF', 8: 'WEBP' } },
  { kind: 'a TIFF image', parts: { 0: 'II*\0' } },
  { kind: 'a TIFF image', parts: { 0: 'MM\0*' } },
  { kind: 'a TIFF image', parts: { 0: 'II+\0' } },
  { kind: 'a TIFF image', parts: { 0: 'MM\0+' } },
  { kind: 'a BMP image', parts: { 0: 'BM', 6: '\0\0\0\0' } },
  { kind: 'a HEIC image', parts: { 0: '\0', 4: 'ftyphei' } },
  { kind: 'a HEIC image', parts: { 0: '\0', 4: 'ftypmif1' } },
  { kind: 'a HEIC image', parts: { 0: '\0', 4: 'ftypmsf1' } },
  { kind: 'an AVIF image', parts: { 0: '\0', 4: 'ftypavi' } },
  { kind: 'a video or audio file', parts: { 0: '\0', 4: 'ftyp' } },
  { kind: 'a Photoshop image', parts: { 0: '8BPS\0' } },
  { kind: 'a PDF document', parts: { 0: '%PDF-' } },
  // On its own, such a file is refused with a more specific message; this is for one in an archive.
  { kind: 'an Excel or Word file', parts: { 0: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' }, advice: saveWorkbook },
  { kind: 'an Access database', parts: { 0: '\0\x01\0\0Standard ' }, advice: saveAsCsv },
  { kind: 'an SQLite database', parts: { 0: 'SQLite format 3\0' }, advice: saveAsCsv },
  { kind: 'a Parquet file', parts: { 0: 'PAR1' }, advice: saveAsCsv, isShort: true },
  { kind: 'an ORC file', parts: { 0: 'ORC' }, advice: saveAsCsv, isShort: true },
  { kind: 'an Avro file', parts: { 0: 'Obj\x01' }, advice: saveAsCsv },
  { kind: 'an Arrow file', parts: { 0: 'ARROW1\0\0' }, advice: saveAsCsv },
  { kind: 'a 7z archive', parts: { 0: '7z\xbc\xaf\x27\x1c' }, advice: compressAgain },
  { kind: 'a RAR archive', parts: { 0: 'Rar!\x1a\x07' }, advice: compressAgain },
  { kind: 'an xz archive', parts: { 0: '\xfd7zXZ\0' }, advice: compressAgain },
  { kind: 'a bzip2 archive', parts: { 0: 'BZh', 4: '1AY&SY' }, advice: compressAgain },
  { kind: 'a Zstandard archive', parts: { 0: '\x28\xb5\x2f\xfd' }, advice: compressAgain },
  { kind: 'a tar archive', parts: { 257: 'ustar\0' }, advice: compressAgain },
  { kind: 'a tar archive', parts: { 257: 'ustar  \0' }, advice: compressAgain },
]

/** Number of bytes that contain every signature. */
export const signatureBytes = 512

/** Number of bytes after a short signature that are searched for a control character. */
const lookedAtBytes = 64

/** Returns why a file that begins with these bytes cannot be imported; null if it may be text. */
export function whyNoText(head: Buffer): string | null {
  const found = signatures.find((signature) => begins(head, signature))
  return found ? `This is ${found.kind}, not a text file.${found.advice ?? ''}` : null
}

function begins(head: Buffer, { parts, isShort = false }: Signature): boolean {
  let end = 0
  for (const [at, bytes] of Object.entries(parts)) {
    end = Number(at) + bytes.length
    if (head.toString('latin1', Number(at), end) !== bytes) return false
  }
  return !isShort || head.subarray(end, end + lookedAtBytes).some(isControlCharacter)
}

/** A control character other than tab and line breaks. */
const isControlCharacter = (byte: number): boolean => byte < 0x20 && ![0x09, 0x0a, 0x0d].includes(byte)

/**
 * In compressed or random bytes, one in ten is such a character; NULs do not count, since some programs pad texts with
 * them.
 */
const binaryShare = 1 / 20
const binaryMinimum = 16

/** The same for bytes in no known format, by their number of control characters. */
export function whyBinary(head: Buffer): string | null {
  const count = head.filter((byte) => byte !== 0 && isControlCharacter(byte)).length
  const isBinary = count >= binaryMinimum && count >= head.length * binaryShare
  return isBinary ? `This is a binary file, not a text file.${saveAsCsv}` : null
}

/** Text formats other than tables, by their beginning. */
const formats: { kind: string; begins: RegExp; contains?: RegExp }[] = [
  { kind: 'JSON', begins: /^\s*(?:\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:/ },
  { kind: 'JSON', begins: /^\s*\[\s*\[\s*["\d]/ },
  { kind: 'an RTF document', begins: /^\s*\{\\rtf/ },
  { kind: 'a vCard file', begins: /^\s*BEGIN:VCARD\s/i },
  { kind: 'HTML', begins: /^\s*<(?:!doctype\s+html\b|!--)/i },
  // A header may name a column `<html>`, but is never followed by a line that begins and ends with tags.
  { kind: 'HTML', begins: /^\s*<(?:html|head|body|table|meta|style|div)(?:\s[^<>]*)?>[\r\n ]*</i, contains: /<\// },
  { kind: 'XML', begins: /^\s*<(?:\?xml\s|!doctype\s)/i },
  { kind: 'XML', begins: /^\s*<[a-z_][\w.:-]*(?:\s[^<>]*)?>[\r\n ]*<[a-z_!?]/i, contains: /<\/|\/>/ },
]

/** The same for text. */
export function whyNoTable(text: string): string | null {
  const found = formats.find(({ begins, contains }) => begins.test(text) && (contains?.test(text) ?? true))
  return found ? `This is ${found.kind}, not a table.${saveAsCsv}` : null
}
