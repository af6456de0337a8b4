/**
 * The text of an uploaded file in any packing (.gz, .zip, a workbook or none) and encoding. Both are detected from the
 * content, not from the name; but a text may not be named like an archive or a workbook.
 */
import { hasEnding, workbookExtensions } from '@portico/contract/files'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { readGzip, readZip } from './archive.ts'
import { isCompound, whyCompound } from './compound-file.ts'
import { signatureBytes, whyBinary, whyNoTable, whyNoText } from './file-signatures.ts'
import type { SourceFile } from './source-file.ts'
import { FileRefused } from './source-text-refused.ts'
import { withoutLinesBefore } from './lines-before-header.ts'
import { readWorkbook, type WorkbookOptions } from '../workbook/read-workbook.ts'
import { isWorkbook, openWorkbook, SheetMissing, type Workbook } from '../workbook/workbook-file.ts'
import { openZip, type OpenZip } from './zip-file.ts'

/**
 * The sheet and the delimiter for reading a workbook; other files are read unchanged, except for the lines before the
 * header.
 */
export type SourceReading = Omit<WorkbookOptions, 'onBytesRead'>

/**
 * Yields the file's text as UTF-8 without its byte order mark; text that is neither UTF-16 nor UTF-8 passes unchanged.
 * For a workbook, yields one of its sheets. `onBytesRead` gets the number of the file's (not the text's) bytes
 * consumed.
 * @throws FileRefused if the file is damaged, is not a single text, or unpacks to far more than a real one would
 */
export async function* openSourceText(
  file: SourceFile,
  reading: SourceReading,
  onBytesRead: (sofar: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const magic = await readMagic(file)
  const zip = isZip(magic) ? await openZip(file) : null
  if (zip && isWorkbook(zip)) {
    yield* readWorkbook(await openWorkbook(file, zip), { ...reading, onBytesRead })
    return
  }
  if (reading.sheet !== null) throw new SheetMissing(`This file has no sheets, so it has no sheet "${reading.sheet}".`)
  if (isCompound(magic)) throw new FileRefused(await whyCompound(file, magic))
  requireNameFits(file, magic)
  yield* withoutLinesBefore(await openText(file, { magic, zip, onBytesRead }), reading.headerLine ?? null)
}

async function openText(
  file: SourceFile,
  { magic, zip, onBytesRead }: { magic: Buffer; zip: OpenZip | null; onBytesRead: (sofar: number) => void },
): Promise<AsyncGenerator<Buffer>> {
  if (zip) return decode(readZip(file, zip, onBytesRead), true)
  if (isGzip(magic)) return decode(readGzip(file, onBytesRead), true)
  const plain = readPlain(await file.stream(), onBytesRead)
  return decode(file.meter ? file.meter.pass(plain) : plain, false)
}

/**
 * Returns the sheets of a workbook, or null for a file of another kind.
 * @throws FileRefused if it is a damaged workbook
 */
export async function listSheets(file: SourceFile): Promise<Workbook | null> {
  if (!isZip(await readMagic(file))) return null
  const zip = await openZip(file)
  return isWorkbook(zip) ? openWorkbook(file, zip) : null
}

/** @throws FileRefused if the file's name does not fit its content */
function requireNameFits(file: SourceFile, magic: Buffer): void {
  if (file.sizeBytes === 0) return
  const isArchive = isZip(magic) || isGzip(magic)
  const archive = namedArchive(file.name)
  if (archive && !isArchive) {
    refuseFor(whyNoText(magic))
    throw new FileRefused(`The file is named ${archive}, but it is no archive. Rename it, or compress it again.`)
  }
  const workbook = workbookExtensions.find((ending) => hasEnding(file.name, [ending]))
  if (workbook && !isArchive) {
    refuseFor(whyNoText(magic))
    throw new FileRefused(
      `The file is named ${workbook}, but it is no workbook. Open it in Excel, and save it as .xlsx or CSV.`,
    )
  }
}

const namedArchive = (name: string) => ['.zip', '.gz'].find((ending) => hasEnding(name, [ending]))

async function readMagic(file: SourceFile): Promise<Buffer> {
  const chunks: Buffer[] = []
  if (file.sizeBytes > 0)
    for await (const chunk of await file.stream(0, Math.min(signatureBytes, file.sizeBytes))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

function isZip(bytes: Buffer): boolean {
  const magic = bytes.toString('latin1', 0, 4)
  return magic === 'PK\x03\x04' || magic === 'PK\x05\x06'
}

async function* readPlain(stream: Readable, onBytesRead: (sofar: number) => void): AsyncGenerator<Buffer> {
  let sofar = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sofar += chunk.length
    onBytesRead(sofar)
    yield chunk
  }
}

/** Enough text to detect its encoding. */
const HEAD_BYTES = 4096

async function* decode(source: AsyncGenerator<Buffer>, isUnpacked: boolean): AsyncGenerator<Buffer> {
  try {
    const head = await readHead(source)
    if (isUnpacked && (isGzip(head) || isZip(head))) throw new FileRefused('The archive contains another archive.')
    const { encoding, markBytes } = detectEncoding(head)
    refuseFor(whyNoText(head))
    if (encoding === 'utf8') refuseFor(whyBinary(head.subarray(0, HEAD_BYTES)))
    refuseFor(whyNoTable(beginningOf(head.subarray(markBytes), encoding)))
    const text = withHead(head.subarray(markBytes), source)
    if (encoding === 'utf8') yield* text
    else yield* decodeUtf16(text, encoding === 'utf16be')
  } finally {
    await source.return(undefined)
  }
}

function refuseFor(reason: string | null): void {
  if (reason) throw new FileRefused(reason)
}

async function readHead(source: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  while (head.length < HEAD_BYTES) {
    const { value, done } = await source.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  return head
}

async function* withHead(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* rest
}

/** Returns the text at the beginning, as far as ASCII characters are concerned. */
function beginningOf(head: Buffer, encoding: Encoding): string {
  if (encoding === 'utf8') return head.toString('latin1', 0, HEAD_BYTES)
  return new TextDecoder(encoding === 'utf16le' ? 'utf-16le' : 'utf-16be').decode(head.subarray(0, HEAD_BYTES))
}

type Encoding = 'utf8' | 'utf16le' | 'utf16be'

/** Detects the encoding by the byte order mark; without one, UTF-16 is recognized by the NULs next to ASCII letters. */
function detectEncoding(head: Buffer): { encoding: Encoding; markBytes: number } {
  const mark = head.toString('hex', 0, 3)
  if (mark === 'efbbbf') return { encoding: 'utf8', markBytes: 3 }
  if (mark.startsWith('fffe')) return { encoding: 'utf16le', markBytes: 2 }
  if (mark.startsWith('feff')) return { encoding: 'utf16be', markBytes: 2 }
  const sample = head.subarray(0, HEAD_BYTES)
  let even = 0
  let odd = 0
  for (const [index, byte] of sample.entries()) {
    if (byte !== 0) continue
    if (index % 2 === 0) even++
    else odd++
  }
  // It is enough if half of the letters are ASCII: UTF-8 text never has NULs in every second place and none in the
  // others.
  const isMost = Math.max(even, odd) >= sample.length / 4 && sample.length >= 4
  if (isMost && even === 0) return { encoding: 'utf16le', markBytes: 0 }
  if (isMost && odd === 0) return { encoding: 'utf16be', markBytes: 0 }
  return { encoding: 'utf8', markBytes: 0 }
}

async function* decodeUtf16(source: AsyncIterable<Buffer>, isBigEndian: boolean): AsyncGenerator<Buffer> {
  // Holds back the first half of a surrogate pair until the second arrives.
  const decoder = new StringDecoder('utf16le')
  let odd: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    // A copy, since its bytes are swapped in place.
    const bytes = Buffer.concat([odd, chunk])
    const pairsEnd = bytes.length - (bytes.length % 2)
    odd = bytes.subarray(pairsEnd)
    const pairs = bytes.subarray(0, pairsEnd)
    const text = decoder.write(isBigEndian ? pairs.swap16() : pairs)
    if (text) yield Buffer.from(text)
  }
  if (odd.length > 0) throw new FileRefused('The file is damaged: its UTF-16 text ends in the middle of a character.')
  const rest = decoder.end()
  if (rest) yield Buffer.from(rest)
}
