import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceFile } from './source-file.ts'
import { openSourceText } from './source-text.ts'

const text = 'name,city\nZoë,"Łódź, \u{1f3e0}"\n'

describe('the text of a file', () => {
  it('passes UTF-8 as it is', async () => expect(await textOf(Buffer.from(text))).toBe(text))

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

  it('is told apart from an archive by its first bytes, not by the name', async () => {
    expect(await textOf(Buffer.from(text), { name: 'contacts.zip' })).toBe(text)
    expect(await textOf(gzipSync(text), { name: 'contacts.csv' })).toBe(text)
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

  it.each(encodings)('%s is decoded beyond the head that tells its encoding', async (_, encode) => {
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

  it.each(encodings)('%s is recognised without its mark', async (_, encode) => {
    expect(await textOf(encode('a,b\n'))).toBe('a,b\n')
    expect(await textOf(encode(text.repeat(500)))).toBe(text.repeat(500))
  })

  it.each(encodings)('%s with half a character at its end is refused', async (_, encode) => {
    const bytes = encode(`\uFEFF${text}`)
    await expect(readText(fileOf(bytes.subarray(0, -1)))).rejects.toThrow(
      'The file is damaged: its UTF-16 text ends in the middle of a character.',
    )
  })

  it('is not what a NUL here and there makes of a file', async () => {
    const bytes = Buffer.from(`a,b\n1,\0\n${'2,3\n'.repeat(10)}`)
    expect(await readText(fileOf(bytes))).toEqual(bytes)
  })
})

describe('reading a file', () => {
  it('reports how many of its bytes were used', async () => {
    const reports: number[] = []
    const bytes = Buffer.from(text)
    await readText(fileOf(bytes, { cuts: [5, 9] }), (sofar) => reports.push(sofar))
    expect(reports).toEqual([5, 9, bytes.length])
  })

  it('closes the stream when the reader has enough', async () => {
    const opened: Readable[] = []
    const source = fileOf(Buffer.alloc(1_000_000, 'a'), { cuts: [5000], opened })
    for await (const chunk of openSourceText(source)) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(opened.map((stream) => stream.destroyed)).toEqual([true, true])
  })

  it('hands on what the storage fails with', async () => {
    const failing = async function* () {
      yield Buffer.from('a,b\n')
      throw new Error('connection reset')
    }
    const file = { name: 'a.csv', sizeBytes: 100, stream: async () => Readable.from(failing()) }
    await expect(readText(file)).rejects.toThrow(new Error('connection reset'))
  })
})

/** A file whose stream comes in chunks that end at the cuts. */
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
  return { name, sizeBytes: bytes.length, stream }
}

async function readText(file: SourceFile, onBytesRead?: (sofar: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  // A copy: nothing may depend on a chunk staying as it was.
  for await (const chunk of openSourceText(file, onBytesRead)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

async function textOf(bytes: Buffer, options?: { name?: string; cuts?: number[] }): Promise<string> {
  return (await readText(fileOf(bytes, options))).toString()
}
