import { once } from 'node:events'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ZipFile, type Options } from 'yazl'
import type { SourceFile } from './source-file.ts'
import { openSourceText } from './source-text.ts'

const text = `name,city\n${'Zoë,"Łódź"\n'.repeat(20_000)}`
const asCsv = { delimiter: ',', sheet: null } as const
const cutShort = 'The file is damaged: it ends before its compressed data does.'
const unreadable = 'The file is damaged: its compressed data cannot be read.'

describe('a gzip file', () => {
  const packed = gzipSync(text)

  it('is unpacked', async () => expect(await textOf(packed)).toBe(text))

  it('may have several members', async () => {
    expect(await textOf(Buffer.concat([packed, gzipSync(''), packed]))).toBe(text + text)
  })

  it('is decoded like any other text', async () => {
    expect(await textOf(gzipSync(Buffer.from(`\uFEFF${text}`, 'utf16le')))).toBe(text)
  })

  it.each([2, 9, 100, packed.length - 9, packed.length - 1])('is refused when only %i bytes arrive', async (size) => {
    await expect(textOf(packed.subarray(0, size))).rejects.toThrow(cutShort)
  })

  it('is refused when its checksum reveals damage', async () => {
    await expect(textOf(withChange(packed, packed.length - 6))).rejects.toThrow(unreadable)
  })

  it('is refused when it holds another archive', async () => {
    await expect(textOf(gzipSync(packed))).rejects.toThrow('The archive contains another archive.')
  })

  it('reports the compressed bytes read, all of them in the end', async () => {
    const reports: number[] = []
    await textOf(packed, (sofar) => reports.push(sofar))
    expect(reports.length).toBeGreaterThan(1)
    expect(reports).toEqual(reports.toSorted((a, b) => a - b))
    expect(reports.at(-1)).toBe(packed.length)
  })

  it('is refused early when it unpacks to 2 GB of zeros', async () => {
    const member = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    expect(await bytesBeforeRefusal(Buffer.concat(Array.from({ length: 32 }, () => member)))).toBeLessThan(110_000_000)
  })

  it('passes on errors of the storage', async () => {
    const failing = async function* () {
      yield packed.subarray(0, 100)
      throw new Error('connection reset')
    }
    const stream = async (start?: number) => Readable.from(start === undefined ? failing() : [packed.subarray(0, 4)])
    await expect(readText({ name: 'a.gz', sizeBytes: packed.length, unpackedBytes: null, stream })).rejects.toThrow(
      new Error('connection reset'),
    )
  })
})

describe('a zip file', () => {
  it.each([true, false])('is unpacked (compressed: %s)', async (compress) => {
    expect(await textOf(await zipOf({ 'contacts.csv': text }, { compress }))).toBe(text)
  })

  it('may contain files of the packing system, and files that are not text', async () => {
    const others = { '__MACOSX/._a.csv': 'x', 'in/.hidden.txt': 'x', 'in/photo.jpg': 'x', 'in/csv/': '' }
    expect(await textOf(await zipOf({ ...others, 'in/Contacts.TXT': text }))).toBe(text)
  })

  it('may be larger than the tail that is read at once', async () => {
    const noise = Buffer.from(Array.from({ length: 600_000 }, (_, index) => (index * index * 31) >> 5))
    expect(await textOf(await zipOf({ 'contacts.csv': text, 'noise.bin': noise }, { compress: false }))).toBe(text)
  })

  it('with several text files is refused, naming them', async () => {
    const files = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`part-${index}.csv`, text]))
    await expect(textOf(await zipOf({ 'a.csv': text, 'b.txt': text, 'c.pdf': '' }))).rejects.toThrow(
      'The zip file contains 2 .csv or .txt files (a.csv, b.txt). It must contain exactly one .csv or .txt file.',
    )
    await expect(textOf(await zipOf(files))).rejects.toThrow('part-3.csv, part-4.csv, and 2 more)')
  })

  it('without a text file is refused, naming its contents', async () => {
    await expect(textOf(await zipOf({}))).rejects.toThrow('The zip file contains no .csv or .txt file. ')
    await expect(textOf(await zipOf({ 'more.zip': await zipOf({ 'a.csv': text }) }))).rejects.toThrow(
      'The zip file contains no .csv or .txt file (more.zip). ',
    )
  })

  it('with control characters in file names has them replaced in messages', async () => {
    await expect(textOf(await zipOf({ 'a\0\u202e.exe': '' }))).rejects.toThrow('(a\ufffd\ufffd.exe)')
  })

  it('with thousands of files is refused without examining each', async () => {
    const files = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`${index}.csv`, '']))
    await expect(textOf(await zipOf(files))).rejects.toThrow('The zip file contains 1,001 files.')
  })

  it('disguised as a text file is refused', async () => {
    await expect(textOf(await zipOf({ 'a.csv': await zipOf({ 'b.csv': text }) }))).rejects.toThrow(
      'The archive contains another archive.',
    )
  })

  it.each([
    ['a binary Excel workbook (.xlsb)', 'xl/workbook.bin', '.xlsx or CSV'],
    ['an OpenDocument file (.ods or another)', 'content.xml', '.xlsx or CSV'],
    ['a Numbers or Pages document', 'Index/Document.iwa', '.xlsx or CSV'],
    ['a Word document', 'word/document.xml', 'CSV'],
  ])('that is %s is refused as such', async (kind, part, format) => {
    await expect(textOf(await zipOf({ [part]: '<x/>' }))).rejects.toThrow(
      `This is ${kind}, not a text file. Save it as ${format} and upload that.`,
    )
  })

  it('containing a workbook is refused with the advice to upload it directly', async () => {
    await expect(textOf(await zipOf({ 'list.xlsx': '' }))).rejects.toThrow('Upload a workbook as it is.')
  })

  it('with a password is refused', async () => {
    const zip = await zipOf({ 'a.csv': text })
    // The flags of an entry: at byte 6 of its local header, and byte 8 of its line in the table of contents.
    const encrypted = withChange(withChange(zip, 6, 1), zip.indexOf('PK\x01\x02') + 8, 1)
    await expect(textOf(encrypted)).rejects.toThrow('The zip file is password-protected.')
  })

  it('with an unsupported compression method is refused', async () => {
    const zip = await zipOf({ 'a.csv': text })
    await expect(textOf(withChange(zip, zip.indexOf('PK\x01\x02') + 10, 4))).rejects.toThrow(
      'The zip file uses compression method 12, which is not supported.',
    )
  })

  it('is refused when it is truncated', async () => {
    const zip = await zipOf({ 'a.csv': text })
    for (const size of [4, 30, 200, zip.length - 40, zip.length - 1]) {
      await expect(textOf(zip.subarray(0, size)), `${size} bytes`).rejects.toThrow(cutShort)
    }
  })

  it.each([true, false])('is refused when its checksum reveals damage (compressed: %s)', async (compress) => {
    const zip = await zipOf({ 'a.csv': text }, { compress })
    await expect(textOf(withChange(zip, zip.indexOf('PK\x01\x02') + 16))).rejects.toThrow(unreadable)
  })

  it('is refused early when it unpacks to an excessive size', async () => {
    const zip = new ZipFile()
    const megabyte = Buffer.alloc(1024 * 1024, 'a')
    zip.addReadStream(Readable.from(Array.from({ length: 130 }, () => megabyte)), 'bomb.csv')
    zip.end()
    expect(await bytesBeforeRefusal(await collect(zip.outputStream))).toBeLessThan(110_000_000)
  })

  it('passes on errors of the storage', async () => {
    const zip = await zipOf({ 'a.csv': text })
    const stream = async (start?: number) => {
      if (start === 0) return Readable.from([zip.subarray(0, 4)])
      throw new Error('connection reset')
    }
    await expect(readText({ name: 'a.zip', sizeBytes: 10_000_000, unpackedBytes: null, stream })).rejects.toThrow(
      new Error('connection reset'),
    )
  })
})

async function bytesBeforeRefusal(packed: Buffer): Promise<number> {
  let bytes = 0
  const reading = (async () => {
    for await (const chunk of openSourceText(fileOf(packed), asCsv)) bytes += chunk.length
  })()
  await expect(reading).rejects.toThrow('The file unpacks to more than 250 times its size')
  return bytes
}

async function zipOf(files: Record<string, string | Buffer>, options?: Partial<Options>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name)
    else zip.addBuffer(Buffer.from(content), name, options)
  }
  zip.end()
  return collect(zip.outputStream)
}

async function collect(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(stream, 'end')
  return Buffer.concat(chunks)
}

function withChange(bytes: Buffer, at: number, change = 0xff): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(at) ^ change, at)
  return changed
}

function fileOf(bytes: Buffer): SourceFile {
  const stream = async (start = 0, end = bytes.length) => Readable.from(inChunks(bytes.subarray(start, end)))
  return { name: 'contacts.zip', sizeBytes: bytes.length, unpackedBytes: null, stream }
}

function* inChunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

async function readText(file: SourceFile, onBytesRead?: (sofar: number) => void): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of openSourceText(file, asCsv, onBytesRead)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function textOf(bytes: Buffer, onBytesRead?: (sofar: number) => void): Promise<string> {
  return readText(fileOf(bytes), onBytesRead)
}
