import { describe, expect, test } from 'vitest'
import { isPlainText, missingColumns, parseHeader, readFirstLine } from './file-header.ts'

const file = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => new Blob(parts)

describe('the first line', () => {
  test('ends at the line break, without the byte order mark', async () => {
    expect(await readFirstLine(file('\uFEFFName,City\r\nAda,London'))).toBe('Name,City')
    expect(await readFirstLine(file('Name,City'))).toBe('Name,City')
  })

  test('goes on over line breaks between quotes', async () => {
    expect(await readFirstLine(file('"Full\nname",City\nAda,London'))).toBe('"Full\nname",City')
  })

  test('is read as UTF-16 and Windows-1252 too', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...Array.from('Größe\n').flatMap((char) => [char.charCodeAt(0), 0])])
    expect(await readFirstLine(file(utf16))).toBe('Größe')
    expect(await readFirstLine(file(new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65, 0x0a])))).toBe('Größe')
  })

  test('is read to 64 kB, also where that cuts a letter', async () => {
    const long = `Name,City\n${'ö'.repeat(100_000)}`
    expect(await readFirstLine(file(long))).toBe('Name,City')
    expect(await readFirstLine(file('x'.repeat(70_000)))).toBeNull()
  })

  test('of an empty file is none', async () => {
    expect(await readFirstLine(file('\nAda'))).toBeNull()
  })
})

describe('the columns', () => {
  test('by the chosen delimiter', () => {
    expect(parseHeader('Name, City ,"Zip, or ""code"""', 'comma')).toEqual({
      columns: ['Name', 'City', 'Zip, or "code"'],
      likelyDelimiter: 'comma',
    })
    expect(parseHeader('Name|City', 'pipe').columns).toEqual(['Name', 'City'])
    expect(parseHeader('Name;"City;Town"', 'semicolon').columns).toEqual(['Name', 'City;Town'])
  })

  test('of another delimiter are noticed', () => {
    expect(parseHeader('Name\tCity\tZip', 'comma')).toEqual({ columns: ['Name\tCity\tZip'], likelyDelimiter: 'tab' })
    expect(parseHeader('Name;City;"Zip, code"', 'comma').likelyDelimiter).toBe('semicolon')
    expect(parseHeader('Name', 'comma').likelyDelimiter).toBeNull()
  })

  test('that are chosen but not in the file are named', () => {
    expect(missingColumns(['email', 'City '], ['Email', 'City'])).toBeNull()
    expect(missingColumns(['Email', 'Zip', 'Fax'], ['Email'])).toBe('The file has no column "Zip", "Fax".')
    expect(missingColumns(['', 'Zip'], null)).toBeNull()
  })
})

test('packed files are not looked into', () => {
  expect(['a.csv', 'a.TXT', 'a.csv.gz', 'a.zip'].map(isPlainText)).toEqual([true, true, false, false])
})
