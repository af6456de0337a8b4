import { hasEnding } from '@portico/contract/files'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { callbackify } from 'node:util'
import { crc32, createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader, type ZipFile } from 'yauzl'
import type { SourceFile } from './source-file.ts'
import { FileRefused } from './source-text-refused.ts'

/** Unpacks a gzip file of one or more members; `onBytesRead` gets the number of packed bytes consumed. */
export async function* readGzip(file: SourceFile, onBytesRead: (sofar: number) => void): AsyncGenerator<Buffer> {
  yield* limited(unpack(await file.stream(), createGunzip({ chunkSize: CHUNK_BYTES }), onBytesRead), file)
}

/** Unpacks the one text file in a zip file and verifies its checksum. */
export async function* readZip(file: SourceFile, onBytesRead: (sofar: number) => void): AsyncGenerator<Buffer> {
  const { entry, start } = await findTextEntry(file)
  const packed = await file.stream(start, start + entry.compressedSize)
  const bytes =
    entry.compressionMethod === STORED
      ? passStored(packed, onBytesRead)
      : unpack(packed, createInflateRaw({ chunkSize: CHUNK_BYTES }), onBytesRead)
  let size = 0
  let checksum = 0
  for await (const chunk of limited(bytes, file)) {
    size += chunk.length
    checksum = crc32(chunk, checksum)
    yield chunk
  }
  if (size < entry.uncompressedSize) throw new FileRefused(CUT_SHORT)
  if (size > entry.uncompressedSize || checksum !== entry.crc32) throw new FileRefused(UNREADABLE)
}

const CUT_SHORT = 'The file is damaged: it ends before its compressed data does.'
const UNREADABLE = 'The file is damaged: its compressed data cannot be read.'

/** zlib's default of 16 kB makes four times as many calls. */
const CHUNK_BYTES = 64 * 1024

/**
 * A small file that unpacks to a huge one is an attack. Tables of contacts shrink to a tenth, very repetitive ones to a
 * fiftieth; zlib reaches 1,032 with zeros. Below 100 MB there is no harm.
 */
const MAX_UNPACKED_RATIO = 250
const HARMLESS_BYTES = 100 * 1024 * 1024

async function* unpack(
  packed: Readable,
  engine: Gunzip | InflateRaw,
  onBytesRead: (sofar: number) => void,
): AsyncGenerator<Buffer> {
  // Errors of either stream surface in the loop below; leaving it early destroys both.
  pipeline(packed, engine).catch(() => {})
  let unpackedBytes = 0
  try {
    for await (const chunk of engine as AsyncIterable<Buffer>) {
      unpackedBytes += chunk.length
      // zlib's `bytesWritten` counts the bytes it has consumed, without those in its buffers.
      if (unpackedBytes > HARMLESS_BYTES && unpackedBytes > MAX_UNPACKED_RATIO * engine.bytesWritten) {
        throw new FileRefused(
          `The file unpacks to more than ${MAX_UNPACKED_RATIO} times its size, far more than a contact file would.`,
        )
      }
      onBytesRead(engine.bytesWritten)
      yield chunk
    }
  } catch (error) {
    throw asDamage(error)
  }
}

/** @throws FileRefused beyond the limit of the installation */
async function* limited(bytes: AsyncGenerator<Buffer>, { unpackedBytes }: SourceFile): AsyncGenerator<Buffer> {
  let sofar = 0
  for await (const chunk of bytes) {
    sofar += chunk.length
    if (unpackedBytes !== null && sofar > unpackedBytes) {
      const limit = unpackedBytes.toLocaleString('en-US')
      throw new FileRefused(`The file unpacks to more than ${limit} bytes, the limit of this portal.`)
    }
    yield chunk
  }
}

function asDamage(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'Z_BUF_ERROR') return new FileRefused(CUT_SHORT)
  return code.startsWith('Z_') ? new FileRefused(UNREADABLE) : error
}

async function* passStored(stored: Readable, onBytesRead: (sofar: number) => void): AsyncGenerator<Buffer> {
  let sofar = 0
  for await (const chunk of stored as AsyncIterable<Buffer>) {
    sofar += chunk.length
    onBytesRead(sofar)
    yield chunk
  }
}

/** Compression methods of the zip format. */
const STORED = 0
const DEFLATED = 8

/** Entries are read one by one; a real file has one, and perhaps some that the packing computer adds. */
const MAX_ENTRIES = 1000

async function findTextEntry(file: SourceFile): Promise<{ entry: Entry; start: number }> {
  const reader = new ZipReader(file)
  try {
    const zip = await fromRandomAccessReaderPromise(reader, file.sizeBytes, { decodeStrings: false, autoClose: false })
    if (zip.entryCount > MAX_ENTRIES) throw notOneText(`${zip.entryCount.toLocaleString('en-US')} files`, [])
    const entry = chooseTextEntry(await readEntries(zip))
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
    return { entry, start: fileDataStart }
  } catch (error) {
    if (error instanceof FileRefused) throw error
    // Storage failures aren't the file's fault.
    throw reader.failure ?? asRefusal(error)
  }
}

function asRefusal(error: unknown): FileRefused {
  const message = error instanceof Error ? error.message : String(error)
  if (/signature not found|overflows file bounds|unexpected EOF/.test(message)) return new FileRefused(CUT_SHORT)
  if (message.includes('encryption')) return new FileRefused(ENCRYPTED)
  return new FileRefused(`The zip file cannot be read (${message}).`)
}

async function readEntries(zip: ZipFile): Promise<NamedEntry[]> {
  const entries: NamedEntry[] = []
  for await (const entry of zip.eachEntry()) {
    // yauzl's own decoding would refuse the whole file for the name of an irrelevant entry.
    const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
    const baseName = name.slice(name.lastIndexOf('/') + 1)
    if (baseName !== '' && !baseName.startsWith('.') && !name.startsWith('__MACOSX/')) entries.push({ name, entry })
  }
  return entries
}

type NamedEntry = { name: string; entry: Entry }

/** Documents that are zip files, by a file inside. */
const documents = [
  { part: 'xl/workbook.xml', kind: 'an Excel workbook' },
  { part: 'xl/workbook.bin', kind: 'an Excel workbook' },
  { part: 'word/document.xml', kind: 'a Word document' },
  { part: 'ppt/presentation.xml', kind: 'a PowerPoint presentation' },
  { part: 'Index/Document.iwa', kind: 'a Numbers or Pages document' },
  { part: 'content.xml', kind: 'an OpenDocument file' },
]

const ENCRYPTED = 'The zip file is password-protected. Create it without a password.'

function chooseTextEntry(entries: readonly NamedEntry[]): Entry {
  const texts = entries.filter(({ name }) => hasEnding(name, ['.csv', '.txt']))
  const [only] = texts
  if (texts.length > 1) throw notOneText(`${texts.length} .csv or .txt files`, texts)
  if (!only) {
    const document = documents.find(({ part }) => entries.some(({ name }) => name === part))
    if (document) throw new FileRefused(`This is ${document.kind}, not a text file. Save it as CSV and upload that.`)
    throw notOneText('no .csv or .txt file', entries)
  }
  const { entry } = only
  if (entry.isEncrypted()) throw new FileRefused(ENCRYPTED)
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw new FileRefused(
      `The zip file uses compression method ${entry.compressionMethod}, which is not supported. Create a standard zip file.`,
    )
  }
  return entry
}

const MAX_NAMES_LISTED = 5
const MAX_NAME_LENGTH = 80

function notOneText(found: string, entries: readonly NamedEntry[]): FileRefused {
  const names = entries.slice(0, MAX_NAMES_LISTED).map(({ name }) => name.slice(0, MAX_NAME_LENGTH))
  if (entries.length > names.length) names.push(`and ${entries.length - names.length} more`)
  const list = names.length > 0 ? ` (${names.join(', ')})` : ''
  return new FileRefused(`The zip file contains ${found}${list}. It must contain exactly one .csv or .txt file.`)
}

/** Zip files keep their table of contents at the end: one storage read is enough for most. */
const TAIL_BYTES = 256 * 1024

class ZipReader extends RandomAccessReader {
  /** Error of the storage, if it failed. */
  failure: unknown
  readonly #file: SourceFile
  readonly #tailStart: number
  #tail: Promise<Buffer> | undefined

  constructor(file: SourceFile) {
    super()
    this.#file = file
    this.#tailStart = Math.max(0, file.sizeBytes - TAIL_BYTES)
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    callbackify(() => this.#fill(target.subarray(offset, offset + length), position))(callback)
  }

  async #fill(target: Buffer, position: number): Promise<void> {
    const bytes = await this.#readRange(position, position + target.length)
    if (bytes.copy(target) < target.length) throw new Error('unexpected EOF')
  }

  async #readRange(start: number, end: number): Promise<Buffer> {
    if (start < this.#tailStart) return this.#readStored(start, end)
    this.#tail ??= this.#readStored(this.#tailStart, this.#file.sizeBytes)
    const tail = await this.#tail
    return tail.subarray(start - this.#tailStart, end - this.#tailStart)
  }

  async #readStored(start: number, end: number): Promise<Buffer> {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of (await this.#file.stream(start, end)) as AsyncIterable<Buffer>) chunks.push(chunk)
      return Buffer.concat(chunks)
    } catch (error) {
      this.failure = error
      throw error
    }
  }
}
