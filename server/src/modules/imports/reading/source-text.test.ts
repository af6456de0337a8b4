import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceFile } from './source-file.ts'
import { openSourceText } from './source-text.ts'
import { FileRefused } from './source-text-refused.ts'

const text = 'name,city\nZoë,"Łódź, \u{1f3e0}"\n'

describe('the text of a file', () => {
  it('passes UTF-8 unchanged', async () => expect(await textOf(Buffer.from(text))).toBe(text))

  it('loses its byte order mark', async () => expect(await textOf(Buffer.from(`\uFEFF${text}`))).toBe(text))

  it('keeps a byte order mark that is not at the beginning', async () => {
    expect(await textOf(Buffer.from(`a\uFEFF`))).toBe('a\uFEFF')
  })

  it('passes Windows-1252 for the scanner to repair', async () => {
    const bytes = Buffer.from('name\nZo\xeb\n', 'latin1')
    expect(await readText(fileOf(bytes))).toEqual(bytes)
  })

  it.each([0, 1, 2, 3])('may have %i bytes', async (size) => {
    const bytes = Buffer.from('a,b').subarray(0, size)
    expect(await readText(fileOf(bytes))).toEqual(bytes)
  })

  it('is distinguished from an archive by its first bytes, not by its name', async () => {
    expect(await textOf(gzipSync(text), { name: 'contacts.csv' })).toBe(text)
    expect(await textOf(gzipSync(text), { name: 'contacts.zip' })).toBe(text)
  })
})

describe('detecting the type of a file', () => {
  it.each<RefusedFile>([
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'This is a PNG image, not a text file.'],
    ['a JPEG', Buffer.from('ffd8ffe000104a46494600', 'hex'), 'This is a JPEG image, not a text file.'],
    ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), 'This is a GIF image, not a text file.'],
    ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj\n'), 'This is a PDF document, not a text file.'],
    ['a WebP', binary('RIFF\x24\0\0\0WEBPVP8 '), 'This is a WebP image, not a text file.'],
    ['a TIFF', binary('II*\0\x08\0\0\0'), 'This is a TIFF image, not a text file.'],
    ['a big-endian TIFF', binary('MM\0*\0\0\0\x08'), 'This is a TIFF image, not a text file.'],
    ['a BMP', binary('BM\x46\0\0\0\0\0\0\0\x36\0\0\0'), 'This is a BMP image, not a text file.'],
    ['a HEIC', binary('\0\0\0\x24ftypheic\0\0\0\0mif1heic'), 'This is a HEIC image, not a text file.'],
    ['an AVIF', binary('\0\0\0\x20ftypavif\0\0\0\0avifmif1'), 'This is an AVIF image, not a text file.'],
    ['an MP4', binary('\0\0\0\x20ftypisom\0\0\x02\0isomiso2'), 'This is a video or audio file, not a text file.'],
    ...(
      [
        ['an SQLite database', 'SQLite format 3\0\x10\0'],
        ['an Access database', '\0\x01\0\0Standard ACE DB\0'],
        ['a Parquet file', 'PAR1\x15\x04\x15\x10'],
        ['an ORC file', 'ORC\x11\0\0\n'],
        ['an Avro file', 'Obj\x01\x04\x14avro.codec'],
      ] as const
    ).map(([kind, bytes]): RefusedFile => [
      kind,
      binary(bytes),
      `This is ${kind}, not a text file. Save it as CSV and upload that.`,
    ]),
    ...(
      [
        ['a 7z archive', '7z\xbc\xaf\x27\x1c\0\x04'],
        ['a RAR archive', 'Rar!\x1a\x07\x01\0'],
        ['an xz archive', '\xfd7zXZ\0\0\x04'],
        ['a bzip2 archive', 'BZh91AY&SY\x9d\x01'],
        ['a Zstandard archive', '\x28\xb5\x2f\xfd\x24\x0b'],
        ['a tar archive', `${'contacts.csv'.padEnd(257, '\0')}ustar\0` + '00'],
      ] as const
    ).map(([kind, bytes]): RefusedFile => [
      kind,
      binary(bytes),
      `This is ${kind}, not a text file. Upload the text that it contains, compressed as .zip or .gz if it is large.`,
    ]),
    ...(
      [
        ['an RTF document', '{\\rtf1\\ansi\\deff0 Ada}'],
        ['a vCard file', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\n'],
        ['HTML', '<!DOCTYPE html>\n<title>Contacts</title>'],
        ['HTML', '\n<html lang="en">\n<head></head>'],
        ['HTML', '<table border=1><tr><td>Ada</td></tr></table>'],
        ['HTML', '<!-- saved from a page -->\n<p>Ada</p>'],
        ['XML', '<?xml version="1.0" encoding="UTF-8"?>\n<contacts/>'],
        ['XML', '<contacts xmlns="x">\r\n  <contact name="Ada"/>\r\n</contacts>'],
        ['JSON', '[["name", "city"], ["Ada", "London"]]'],
        ['JSON', '{"na\\"me": "Ada"}'],
      ] as const
    ).map(([kind, text]): RefusedFile => [
      `${kind}: ${text}`,
      Buffer.from(text),
      `This is ${kind}, not a table. Save it as CSV and upload that.`,
    ]),
    [
      'bytes in an unknown format',
      Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * index * 31) >> 5)),
      'This is a binary file, not a text file. Save it as CSV and upload that.',
    ],
    [
      'a JSON object',
      Buffer.from(' {"name": "Ada", "city": "London"}'),
      'This is JSON, not a table. Save it as CSV and upload that.',
    ],
    [
      'JSON in UTF-16',
      Buffer.from('\uFEFF[\r\n  {\r\n "name": "Ada"}]', 'utf16le'),
      'This is JSON, not a table. Save it as CSV and upload that.',
    ],
  ])('%s is refused by its actual type, also compressed', async (_, bytes, reason) => {
    await expect(textOf(bytes)).rejects.toThrow(new FileRefused(reason))
    await expect(textOf(gzipSync(bytes), { name: 'contacts.csv.gz' })).rejects.toThrow(new FileRefused(reason))
  })

  it.each([
    'GIF8,GIF9\n1,2\n',
    '\u00ff\u00d8\u00ff,b\n',
    'BM,MZ\n1,2\n',
    '[name],{city}\nAda,London\n',
    '"{""name"": 1}",city\n',
    'note\n{"name": "Ada"}\n',
    '<name>,<email>\nAda,ada@example.com\n',
    '<name>\t<email>\nAda\t<b>ada@example.com</b>\n',
    '<html>,<text>\n<b>Ada</b>,x\n',
    '<html>;<table>\n<html></html>;<table></table>\n',
    '<name>\n<ada@example.com>\n',
    '<Ada> <Lovelace>,city\n1,2\n',
    'II*,MM,RIFF,ORC\n1,2,3,4\n',
    'PAR1,PAR2\n1,2\n',
    'BEGIN:VCARDS,END\n1,2\n',
    `${'x'.repeat(257)}ustard,b\n1,2\n`,
    `name,note\nAda,${'\x0b'.repeat(15)}\n`,
    `name,note\nAda,${'\0'.repeat(100)}\n`,
  ])('the text %j is not taken for another type', async (table) => {
    const bytes = Buffer.from(table, 'latin1')
    expect(await readText(fileOf(bytes))).toEqual(bytes)
  })

  it.each(['contacts.zip', 'CONTACTS.GZ'])('a text named %s is refused', async (name) => {
    const ending = name.slice(-3).toLowerCase() === '.gz' ? '.gz' : '.zip'
    await expect(textOf(Buffer.from(text), { name })).rejects.toThrow(
      `The file is named ${ending}, but it is no archive. Rename it, or compress it again.`,
    )
  })

  it('a binary file named like an archive is refused by its actual type', async () => {
    await expect(textOf(binary('Rar!\x1a\x07\x01\0'), { name: 'contacts.zip' })).rejects.toThrow(
      'This is a RAR archive',
    )
  })
})

describe('UTF-16', () => {
  const encodings = [
    ['little-endian', (value: string) => Buffer.from(value, 'utf16le')],
    ['big-endian', (value: string) => Buffer.from(value, 'utf16le').swap16()],
  ] as const

  it.each(encodings)('%s is decoded wherever its chunks end', async (_, encode) => {
    const bytes = encode(`\uFEFF${text}`)
    for (let at = 0; at <= bytes.length; at++) expect(await textOf(bytes, { cuts: [at] })).toBe(text)
    expect(await textOf(bytes, { cuts: [...bytes.keys()] })).toBe(text)
  })

  it.each(encodings)('%s is decoded beyond the first bytes that reveal its encoding', async (_, encode) => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 500, size: 'max' }),
        fc.array(fc.nat(20_000)),
        async (value, cuts) => {
          const long = `name\n${value}\n`.repeat(20)
          expect(await textOf(encode(`\uFEFF${long}`), { cuts })).toBe(long)
        },
      ),
      { numRuns: 30 },
    )
  })

  it.each(encodings)('%s is recognized without a byte order mark', async (_, encode) => {
    expect(await textOf(encode('a,b\n'))).toBe('a,b\n')
    expect(await textOf(encode(text.repeat(500)))).toBe(text.repeat(500))
  })

  it.each(encodings)('%s that ends in half a character is refused', async (_, encode) => {
    const bytes = encode(`\uFEFF${text}`)
    await expect(readText(fileOf(bytes.subarray(0, -1)))).rejects.toThrow(
      'The file is damaged: its UTF-16 text ends in the middle of a character.',
    )
  })

  it('is not assumed for a file with occasional NUL characters', async () => {
    const bytes = Buffer.from(`a,b\n1,\0\n${'2,3\n'.repeat(10)}`)
    expect(await readText(fileOf(bytes))).toEqual(bytes)
  })
})

describe('reading a file', () => {
  it('reports how many of its bytes were read', async () => {
    const reports: number[] = []
    const bytes = Buffer.from(text)
    await readText(fileOf(bytes, { cuts: [5, 9] }), (sofar) => reports.push(sofar))
    expect(reports).toEqual([5, 9, bytes.length])
  })

  it('closes the stream when the reader stops early', async () => {
    const opened: Readable[] = []
    const source = fileOf(Buffer.alloc(1_000_000, 'a'), { cuts: [5000], opened })
    for await (const chunk of openSourceText(source, asCsv)) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(opened.map((stream) => stream.destroyed)).toEqual([true, true])
  })

  it('passes on errors of the storage', async () => {
    const failing = async function* () {
      yield Buffer.from('a,b\n')
      throw new Error('connection reset')
    }
    const file = { name: 'a.csv', sizeBytes: 100, unpackedBytes: null, stream: async () => Readable.from(failing()) }
    await expect(readText(file)).rejects.toThrow(new Error('connection reset'))
  })
})

const asCsv = { delimiter: ',', sheet: null } as const

/** Case, bytes, and the reason why they are refused. */
type RefusedFile = [name: string, bytes: Buffer, reason: string]

const binary = (bytes: string): Buffer => Buffer.from(bytes, 'latin1')

/** A file whose stream has chunks that end at the given cuts. */
function fileOf(
  bytes: Buffer,
  { name = 'contacts.csv', cuts = [], opened = [] }: { name?: string; cuts?: number[]; opened?: Readable[] } = {},
): SourceFile {
  const stream = async (start = 0, end = bytes.length) => {
    const ends = [...new Set([...cuts, end])].filter((cut) => cut > start && cut <= end).toSorted((a, b) => a - b)
    const readable = Readable.from(ends.map((cut, index) => bytes.subarray(ends[index - 1] ?? start, cut)))
    opened.push(readable)
    return readable
  }
  return { name, sizeBytes: bytes.length, unpackedBytes: null, stream }
}

async function readText(file: SourceFile, onBytesRead?: (sofar: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  // A copy: later steps must not depend on a chunk staying unchanged.
  for await (const chunk of openSourceText(file, asCsv, onBytesRead)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

async function textOf(bytes: Buffer, options?: { name?: string; cuts?: number[] }): Promise<string> {
  return (await readText(fileOf(bytes, options))).toString()
}
