import { describe, expect, test } from 'vitest'
import { isPlainText, missingColumns, parseHeader, readFirstLine } from './file-header.ts'

const lineOf = async (blob: Blob) => (await readFirstLine(blob))?.text ?? null
const header = (text: string) => ({ text, delimiter: null })

const file = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => new Blob(parts)

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
    expect(await readFirstLine(file(`${line}Email;Name\r\nada@example.com;Ada`))).toEqual({
      text: 'Email;Name',
      delimiter: 'semicolon',
    })
  })

  test('overrides the chosen delimiter', () => {
    expect(parseHeader({ text: 'Email;"Name, first";Zip, Code', delimiter: 'semicolon' }, 'comma')).toEqual({
      columns: ['Email', 'Name, first', 'Zip, Code'],
      likelyDelimiter: 'semicolon',
    })
  })
})

describe('the columns of a file', () => {
  test('are split at the chosen delimiter', () => {
    expect(parseHeader(header('Name, City ,"Zip, or ""code"""'), 'comma')).toEqual({
      columns: ['Name', 'City', 'Zip, or "code"'],
      likelyDelimiter: 'comma',
    })
    expect(parseHeader(header('Name|City'), 'pipe').columns).toEqual(['Name', 'City'])
    expect(parseHeader(header('Name;"City;Town"'), 'semicolon').columns).toEqual(['Name', 'City;Town'])
  })

  test('with another delimiter are detected', () => {
    expect(parseHeader(header('Name\tCity\tZip'), 'comma')).toEqual({
      columns: ['Name\tCity\tZip'],
      likelyDelimiter: 'tab',
      // No field has a name with tabs.
      isUnclear: true,
    })
    expect(parseHeader(header('Name;City;"Zip, code"'), 'comma').likelyDelimiter).toBe('semicolon')
    expect(parseHeader(header('Name'), 'comma').likelyDelimiter).toBeNull()
  })

  test('that are selected but missing from the file are named', () => {
    expect(missingColumns(['email', 'City '], ['Email', 'City'])).toBeNull()
    expect(missingColumns(['Email', 'Zip', 'Fax'], ['Email'])).toBe('The file has no column "Zip", "Fax".')
    expect(missingColumns(['', 'Zip'], null)).toBeNull()
  })
})

test('compressed files are not read', () => {
  expect(['a.csv', 'a.TXT', 'a.csv.gz', 'a.zip'].map(isPlainText)).toEqual([true, true, false, false])
})
