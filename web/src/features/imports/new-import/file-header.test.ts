import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { missingColumns, parseHeader, readBeginning } from './file-header.ts'

const lineOf = async (chosen: File) => (await readBeginning(chosen))?.firstLine?.text ?? null
const header = (text: string) => ({ text, delimiter: null })

const file = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => new File(parts, 'leads.csv')

describe('the first line of a file', () => {
  test('ends at the line break, without the byte order mark', async () => {
    expect(await lineOf(file('\uFEFFName,City\r\nAda,London'))).toBe('Name,City')
    expect(await lineOf(file('Name,City'))).toBe('Name,City')
  })

  test('continues over line breaks inside quotes', async () => {
    expect(await lineOf(file('"Full\nname",City\nAda,London'))).toBe('"Full\nname",City')
  })

  test('is decoded as UTF-16 and Windows-1252 too', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...Array.from('Größe\n').flatMap((char) => [char.charCodeAt(0), 0])])
    expect(await lineOf(file(utf16))).toBe('Größe')
    expect(await lineOf(file(new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65, 0x0a])))).toBe('Größe')
  })

  test('is read up to 64 kB, even if that splits a character', async () => {
    const long = `Name,City\n${'ö'.repeat(100_000)}`
    expect(await lineOf(file(long))).toBe('Name,City')
    expect(await lineOf(file('x'.repeat(70_000)))).toBeNull()
  })

  test('of an empty file is null', async () => {
    expect(await lineOf(file('\nAda'))).toBeNull()
  })
})

describe('a line that names the delimiter', () => {
  test.each(['sep=;\r\n', '"sep=;"\n', '\uFEFFsep=;\n', 'sep=;;\r'])('%j is not read as the header', async (line) => {
    expect(await readBeginning(file(`${line}Email;Name\r\nada@example.com;Ada`))).toEqual({
      firstLine: { text: 'Email;Name', delimiter: 'semicolon' },
      likelyDelimiter: 'semicolon',
    })
  })

  test('overrides the chosen delimiter', () => {
    expect(parseHeader({ text: 'Email;"Name, first";Zip, Code', delimiter: 'semicolon' }, 'comma')).toEqual({
      columns: ['Email', 'Name, first', 'Zip, Code'],
    })
  })
})

describe('the columns of a file', () => {
  test('are split at the chosen delimiter', () => {
    expect(parseHeader(header('Name, City ,"Zip, or ""code"""'), 'comma')).toEqual({
      columns: ['Name', 'City', 'Zip, or "code"'],
    })
    expect(parseHeader(header('Name|City'), 'pipe').columns).toEqual(['Name', 'City'])
    expect(parseHeader(header('Name;"City;Town"'), 'semicolon').columns).toEqual(['Name', 'City;Town'])
  })

  test('are unclear if one has no name', () => {
    // No field has a name with tabs.
    expect(parseHeader(header('Name\tCity\tZip'), 'comma')).toEqual({ columns: ['Name\tCity\tZip'], isUnclear: true })
  })

  test('that are selected but missing from the file are named', () => {
    expect(missingColumns(['email', 'City '], ['Email', 'City'])).toBeNull()
    expect(missingColumns(['Email', 'Zip', 'Fax'], ['Email'])).toBe('The file has no column "Zip", "Fax".')
    expect(missingColumns(['', 'Zip'], null)).toBeNull()
  })
})

/** A zip file of stored texts, with only the numbers that the browser reads. */
function zipOf(name: string, ...others: string[]): Uint8Array<ArrayBuffer> {
  const names = [name, ...others]
  const parts = names.map((one) => Buffer.concat([numbers(30, [26, one.length]), Buffer.from(one + zippedText)]))
  const list = names.map((one, at) => {
    const start = Buffer.concat(parts.slice(0, at)).length
    const fields: [number, number][] = [
      [0, 0x02014b50],
      [20, zippedText.length],
      [28, one.length],
      [42, start],
    ]
    return Buffer.concat([numbers(46, ...fields), Buffer.from(one)])
  })
  const listed = Buffer.concat(list)
  const end = numbers(22, [0, 0x06054b50], [12, listed.length], [16, Buffer.concat(parts).length])
  return new Uint8Array(Buffer.concat([...parts, listed, end]))
}

function numbers(size: number, ...fields: [number, number][]): Buffer {
  const bytes = Buffer.alloc(size)
  for (const [at, value] of fields) bytes.writeUInt32LE(value, at)
  return bytes
}

const zippedText = 'Name;City\nAda;London\n'

test('of a compressed file, only the delimiter is found', async () => {
  const nothing = { firstLine: null, likelyDelimiter: 'semicolon' }
  expect(await readBeginning(new File([new Uint8Array(gzipSync(zippedText))], 'leads.csv.gz'))).toEqual(nothing)
  const zipped = (...names: [string, ...string[]]) => new File([zipOf(...names)], 'leads.zip')
  expect(await readBeginning(zipped('leads.csv', '__MACOSX/._leads.csv'))).toEqual(nothing)
  expect(await readBeginning(zipped('leads.csv', 'more.csv'))).toBeNull()
  expect(await readBeginning(new File([zippedText], 'leads.pdf'))).toBeNull()
})
