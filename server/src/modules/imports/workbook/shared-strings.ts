/**
 * The texts that cells of a workbook share, in the order of their table. It is read forward only as far as cells need
 * it, so the beginning of a large workbook is available soon. The first texts stay in memory; those of a large table
 * are written to a temporary file, in groups that are read again when a cell needs one.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Delimiter } from '../reading/separator-line.ts'
import { readEntry } from '../reading/zip-file.ts'
import { ByteList, CellText } from './cell-bytes.ts'
import type { Workbook } from './workbook-file.ts'
import { utf8Of } from './xml-encoding.ts'
import { damagedXml, XmlScanner } from './xml-scanner.ts'

/** Texts ready to be written as cells: text n is the bytes [ends[n - 1], ends[n]). */
type Group = { bytes: Buffer; ends: Uint32Array }

const GROUP_SIZE = 64
/** Texts of a larger group are read one by one: a cell may name any of them again and again. */
const LARGE_GROUP_BYTES = 64 * 1024
/** Memory used by a group in addition to its texts. */
const GROUP_OVERHEAD = 512

export type SharedStringsOptions = {
  /**
   * Maximum bytes of texts in memory before the rest is written to a file, and the same again for groups read from
   * there.
   */
  memoryBytes?: number
  /**
   * Maximum bytes of the table read for a preview of the sheet: later texts are shown as `unreadText`. The whole table
   * by default.
   */
  tableBytes?: number
}

/** Replaces a text that is too far into the table for a preview. */
export const unreadText = '(not read for the preview)'

const MEMORY_BYTES = 16 * 1024 * 1024

const unreadGroup: Group = {
  bytes: Buffer.from(unreadText.repeat(GROUP_SIZE)),
  ends: Uint32Array.from({ length: GROUP_SIZE }, (_end, place) => unreadText.length * (place + 1)),
}

const elements = ['si', 't', 'rPh'] as const

export class SharedStrings {
  readonly #delimiter: Delimiter
  readonly #memoryBytes: number
  #bytesLeft: number
  readonly #chunks: AsyncGenerator<Buffer> | null
  readonly #scanner: XmlScanner
  /** Groups in memory: the first ones of the table. */
  readonly #kept: Group[] = []
  #keptBytes = 0
  /** Offsets of the groups in the file. */
  readonly #offsets: number[] = []
  readonly #waiting: Group[] = []
  /** Groups that were read again, oldest first. */
  readonly #cache = new Map<number, Group>()
  #cachedBytes = 0
  /** Where the texts of large groups end. */
  readonly #largeEnds = new Map<number, Uint32Array>()
  #file: TemporaryFile | null = null
  #fileBytes = 0
  #isRead = false
  /** Texts of the group that is not full yet. */
  #texts = new ByteList()
  #ends = new Uint32Array(GROUP_SIZE)
  #count = 0

  constructor(workbook: Workbook, delimiter: Delimiter, options: SharedStringsOptions = {}) {
    this.#delimiter = delimiter
    this.#memoryBytes = options.memoryBytes ?? MEMORY_BYTES
    this.#bytesLeft = options.tableBytes ?? Infinity
    const { sharedStrings } = workbook
    this.#chunks = sharedStrings && utf8Of(readEntry(workbook.file, workbook.zip, sharedStrings))
    this.#scanner = this.#makeScanner()
  }

  /** The group of the text, if it is in memory. */
  groupNow(index: number): Group | undefined {
    const group = Math.floor(index / GROUP_SIZE)
    return index < this.#count ? (this.#kept[group] ?? this.#cache.get(group)) : undefined
  }

  /** The group of the text. @throws FileRefused when the table has no such text */
  async group(index: number): Promise<Group> {
    const number = Math.floor(index / GROUP_SIZE)
    // A group is complete before it is returned.
    while (this.#count < (number + 1) * GROUP_SIZE && !this.#isRead) {
      if (this.#bytesLeft <= 0) return unreadGroup
      await this.#readOn()
    }
    if (index >= this.#count) throw damagedXml('a cell refers to a text that is not there')
    return this.groupNow(index) ?? this.#readGroup(number, index % GROUP_SIZE)
  }

  /** Adds a text to the target. */
  add(target: ByteList, { bytes, ends }: Group, index: number): void {
    const place = index % GROUP_SIZE
    // The `!`: a group has the end of each of its texts.
    target.add(bytes, place === 0 ? 0 : ends[place - 1]!, ends[place]!)
  }

  /** Removes the temporary file. */
  async close(): Promise<void> {
    await this.#chunks?.return(undefined)
    await this.#file?.handle.close()
    await this.#file?.remove()
    this.#file = null
  }

  #makeScanner(): XmlScanner {
    const text = new CellText(this.#delimiter)
    let isText = false
    let phonetic = 0
    return new XmlScanner(elements, {
      open: (name) => {
        if (name === 0) text.length = 0
        else if (name === 1) isText = phonetic === 0
        else if (name === 2) phonetic++
      },
      close: (name) => {
        if (name === 1) isText = false
        else if (name === 2) phonetic--
        else if (name === 0) {
          text.decodeEscapes()
          this.#push(text)
        }
      },
      text: (bytes, start, end, isLiteral) => {
        if (isText) text.collect(bytes, start, end, isLiteral)
      },
    })
  }

  #push(text: CellText): void {
    text.writeCell(this.#texts)
    this.#ends[this.#count % GROUP_SIZE] = this.#texts.length
    this.#count++
    if (this.#count % GROUP_SIZE === 0) this.#finishGroup()
  }

  #finishGroup(): void {
    const bytes = Buffer.from(this.#texts.bytes.subarray(0, this.#texts.length))
    const group = { bytes, ends: this.#ends }
    this.#texts.length = 0
    this.#ends = new Uint32Array(GROUP_SIZE)
    this.#keptBytes += bytes.length + GROUP_OVERHEAD
    if (this.#keptBytes <= this.#memoryBytes) this.#kept.push(group)
    else this.#waiting.push(group)
  }

  /** Reads the next piece of the table. */
  async #readOn(): Promise<void> {
    const next = await this.#chunks?.next()
    if (next && !next.done) {
      this.#bytesLeft -= next.value.length
      this.#scanner.write(next.value)
    } else {
      this.#isRead = true
      if (this.#chunks) this.#scanner.end()
      if (this.#count % GROUP_SIZE > 0) this.#finishGroup()
    }
    await this.#writeWaiting()
  }

  async #writeWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return
    this.#file ??= await openTemporaryFile()
    const parts: Buffer[] = []
    for (const { bytes, ends } of this.#waiting.splice(0)) {
      this.#offsets.push(this.#fileBytes)
      parts.push(Buffer.from(ends.buffer), bytes)
      this.#fileBytes += ends.byteLength + bytes.length
    }
    const all = Buffer.concat(parts)
    await this.#file.handle.write(all, 0, all.length, this.#fileBytes - all.length)
  }

  async #readGroup(number: number, wanted: number): Promise<Group> {
    const place = number - this.#kept.length
    const start = this.#offsets[place] ?? 0
    const end = this.#offsets[place + 1] ?? this.#fileBytes
    if (end - start > LARGE_GROUP_BYTES) return this.#readText(number, start, wanted)
    const all = Buffer.allocUnsafeSlow(end - start)
    await this.#read(all, start)
    const ends = new Uint32Array(all.buffer, 0, GROUP_SIZE)
    const group = { bytes: all.subarray(ends.byteLength), ends }
    this.#cache.set(number, group)
    this.#cachedBytes += all.length + GROUP_OVERHEAD
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#cachedBytes <= this.#memoryBytes || oldest === number) break
      this.#cache.delete(oldest)
      this.#cachedBytes -= bytes.length + GROUP_SIZE * 4 + GROUP_OVERHEAD
    }
    return group
  }

  /** One text of a large group, as a group in which the others are empty. */
  async #readText(number: number, start: number, wanted: number): Promise<Group> {
    const ends = this.#largeEnds.get(number) ?? new Uint32Array(GROUP_SIZE)
    if (!this.#largeEnds.has(number)) {
      await this.#read(Buffer.from(ends.buffer), start)
      this.#largeEnds.set(number, ends)
    }
    const from = ends[wanted - 1] ?? 0
    const bytes = Buffer.allocUnsafe((ends[wanted] ?? from) - from)
    if (bytes.length > 0) await this.#read(bytes, start + ends.byteLength + from)
    return { bytes, ends: Uint32Array.from({ length: GROUP_SIZE }, (_end, at) => (at < wanted ? 0 : bytes.length)) }
  }

  async #read(target: Buffer, position: number): Promise<void> {
    await this.#file?.handle.read(target, 0, target.length, position)
  }
}

type TemporaryFile = { handle: FileHandle; remove: () => Promise<void> }

/**
 * Opens a file and, if the system allows it, deletes its name at once: it then disappears with the process in any case.
 */
async function openTemporaryFile(): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-workbook-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    return { handle: await open(join(folder, 'texts'), 'wx+', 0o600), remove }
  } finally {
    // Windows may keep the name until the file is closed.
    await remove().catch(() => undefined)
  }
}
