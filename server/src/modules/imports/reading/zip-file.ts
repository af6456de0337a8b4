/**
 * Reads single entries of a zip file in the storage, by ranges, and refuses entries that unpack to far more than real
 * ones.
 */
import type { Readable } from 'node:stream'
import { callbackify } from 'node:util'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader, type ZipFile } from 'yauzl'
import type { SourceFile } from './source-file.ts'
import { FileRefused } from './source-text-refused.ts'
import { CHUNK_BYTES, CUT_SHORT, limited, unpack, UNREADABLE } from './unpacking.ts'

export type ZipEntry = { name: string; entry: Entry }

/** A zip file whose table of contents has been read. */
export type OpenZip = {
  /** Files and folders, by full name, in the order of the table of contents. */
  entries: ZipEntry[]
  /** Returns where the packed bytes of an entry begin in the file. */
  locate: (entry: Entry) => Promise<number>
}

/**
 * All entries must be read before anything is known of the file; a workbook of a thousand sheets has some thousand
 * parts.
 */
const MAX_ENTRIES = 20_000

/** Maximum size of a table of contents, which is kept in memory: one of 20,000 parts of a workbook has 2 MB. */
const MAX_TABLE_BYTES = 16 * 1024 * 1024
/** Bytes of an entry of the table besides its name and its comment. */
const ENTRY_BYTES = 46

/** @throws FileRefused if it is damaged, or has too many entries or too large a table of contents */
export async function openZip(file: SourceFile): Promise<OpenZip> {
  const reader = new ZipReader(file)
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof FileRefused) throw error
      // Storage failures are not caused by the file.
      throw reader.failure ?? asRefusal(error)
    }
  }
  const zip = await attempt(() =>
    fromRandomAccessReaderPromise(reader, file.sizeBytes, { decodeStrings: false, autoClose: false }),
  )
  if (zip.entryCount > MAX_ENTRIES) {
    throw new FileRefused(`The zip file contains ${zip.entryCount.toLocaleString('en-US')} files, too many to read.`)
  }
  const entries = await attempt(() => readEntries(zip, file))
  const locate = (entry: Entry) =>
    attempt(async () => (await zip.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart)
  return { entries, locate }
}

async function readEntries(zip: ZipFile, { meter }: SourceFile): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = []
  let tableBytes = 0
  for await (const entry of zip.eachEntry()) {
    tableBytes += ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
    if (tableBytes > MAX_TABLE_BYTES) {
      throw new FileRefused('The table of contents of the zip file is larger than 16 MB: the names in it are too long.')
    }
    await meter?.turn()
    meter?.count(entry.fileNameLength)
    // yauzl's own decoding would refuse the whole file because of the name of an irrelevant entry.
    const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
    entries.push({ name, entry })
  }
  return entries
}

/** Compression methods of the zip format. */
const STORED = 0
const DEFLATED = 8

const ENCRYPTED = 'The zip file is password-protected. Create it without a password.'

/** @throws FileRefused if an entry is encrypted, or packed in an unsupported way */
export function requireReadable(entry: Entry): void {
  if (entry.isEncrypted()) throw new FileRefused(ENCRYPTED)
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw new FileRefused(
      `The zip file uses compression method ${entry.compressionMethod}, which is not supported. Create a standard zip file.`,
    )
  }
}

/** Unpacks an entry and verifies its checksum. `onBytesRead` gets the number of packed bytes consumed. */
export async function* readEntry(
  file: SourceFile,
  zip: OpenZip,
  entry: Entry,
  onBytesRead: (sofar: number) => void = () => {},
): AsyncGenerator<Buffer> {
  requireReadable(entry)
  const start = await zip.locate(entry)
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

async function* passStored(stored: Readable, onBytesRead: (sofar: number) => void): AsyncGenerator<Buffer> {
  let sofar = 0
  for await (const chunk of stored as AsyncIterable<Buffer>) {
    sofar += chunk.length
    onBytesRead(sofar)
    yield chunk
  }
}

function asRefusal(error: unknown): FileRefused {
  const message = error instanceof Error ? error.message : String(error)
  if (/signature not found|overflows file bounds|unexpected EOF/.test(message)) return new FileRefused(CUT_SHORT)
  if (message.includes('encryption')) return new FileRefused(ENCRYPTED)
  return new FileRefused(`The zip file cannot be read (${message}).`)
}

/** Zip files have their table of contents at the end: one read from the storage is enough for most. */
const TAIL_BYTES = 256 * 1024
/** A longer table is read in parts, not entry by entry. */
const PART_BYTES = 64 * 1024

class ZipReader extends RandomAccessReader {
  /** Error of the storage, if one occurred. */
  failure: unknown
  readonly #file: SourceFile
  readonly #tailStart: number
  #tail: Promise<Buffer> | undefined
  /** The part before the tail that was read last. */
  #part: { start: number; bytes: Promise<Buffer> } = { start: 0, bytes: Promise.resolve(Buffer.alloc(0)) }

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
    if (start < this.#tailStart) return this.#readPart(start, end)
    this.#tail ??= this.#readStored(this.#tailStart, this.#file.sizeBytes)
    const tail = await this.#tail
    return tail.subarray(start - this.#tailStart, end - this.#tailStart)
  }

  async #readPart(start: number, end: number): Promise<Buffer> {
    const part = this.#part
    const from = start - part.start
    const known = await part.bytes
    if (from >= 0 && end - part.start <= known.length) return known.subarray(from, end - part.start)
    const bytes = this.#readStored(start, Math.min(this.#file.sizeBytes, Math.max(end, start + PART_BYTES)))
    this.#part = { start, bytes: bytes.catch(() => Buffer.alloc(0)) }
    return (await bytes).subarray(0, end - start)
  }

  async #readStored(start: number, end: number): Promise<Buffer> {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of (await this.#file.stream(start, end)) as AsyncIterable<Buffer>) {
        this.#file.meter?.count(chunk.length)
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    } catch (error) {
      this.failure = error
      throw error
    }
  }
}
