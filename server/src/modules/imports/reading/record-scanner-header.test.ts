import { describe, expect, it } from 'vitest'
import { readHeader } from './record-scanner-header.ts'

describe('the header', () => {
  it('is the first line that is not blank, with trimmed names', async () => {
    expect(await headerOf('\r\n\n first , last\tname \r\n1,2\n')).toEqual({
      names: ['first', 'last\tname'],
      line: 3,
      delimiter: ',',
    })
  })

  it('may be the whole file', async () =>
    expect(await headerOf('a,b')).toEqual({ names: ['a', 'b'], line: 1, delimiter: ',' }))

  it('may hold quotes, dots, line breaks, emoji and blanks', async () => {
    const { names } = await headerOf('"a ""b"", c",d.e.f,5" pipe,"x\r\ny",\u{1f600},,"",1\n')
    expect(names).toEqual(['a "b", c', 'd.e.f', '5" pipe', 'x\r\ny', '\u{1f600}', '', '', '1'])
  })

  it('comes after rows of only white space', async () => {
    expect(await headerOf(',,\n" ",\u00a0,\na,b\n')).toEqual({ names: ['a', 'b'], line: 3, delimiter: ',' })
  })

  it('has names trimmed of any kind of white space, and composed', async () => {
    const { names } = await headerOf('\u00a0a\u3000,\u200bPre\u0301nom\ufeff,"\nc\u00ad"\n')
    expect(names).toEqual(['a', 'Pr\u00e9nom', 'c'])
  })

  it.each([
    ['sep=;\r\n', ';'],
    ['"sep=;"\n', ';'],
    ['sep=,\r', ','],
    ['SEP=\t\n', '\t'],
    ['"sep=\t"\r\n', '\t'],
    ['sep=|||\n', '|'],
  ] as const)('comes after the line %j, which names the delimiter', async (line, delimiter) => {
    expect(await headerOf(`${line}a${delimiter}b\n`, delimiter === '|' ? ',' : '|')).toEqual({
      names: ['a', 'b'],
      line: 2,
      delimiter,
    })
  })

  it('may be in Windows-1252', async () => {
    expect((await headerOf(Buffer.from('Stra\xdfe,\x80', 'latin1'))).names).toEqual(['Straße', '€'])
  })

  it('is read without reading the rest of the file', async () => {
    let chunks = 0
    const endless = (async function* () {
      yield Buffer.from('a,b\n')
      for (;;) {
        chunks++
        yield Buffer.alloc(65_536, '1,2\n')
      }
    })()
    expect(await readHeader(endless, { delimiter: ',' })).toEqual({ names: ['a', 'b'], line: 1, delimiter: ',' })
    expect(chunks).toBeLessThan(10)
  })

  it('may be larger than one chunk', async () => {
    const names = Array.from({ length: 950 }, (_, index) => `${'long '.repeat(200)}${index}`)
    expect((await headerOf(`${names.join('|')}\n1`, '|')).names).toEqual(names)
  })

  it.each([
    ['', 'The file is empty.'],
    ['\n\r\n\r', 'The file is empty.'],
    ['\n"a"b,c\n', 'Line 2: text follows a closing quote.'],
    ['a,\0\n', 'Line 1: the header contains a NUL character.'],
    [',,\n" "\n', 'The file is empty.'],
    ['sep=;', 'The file is empty.'],
    [
      'sep=:\na:b\n',
      'Line 1 says that ":" separates the cells. Use commas, semicolons, tabs or pipes, and change or delete this line.',
    ],
    ['a,\n', null],
    ['\n"a\nb\n', 'Line 2: a quote is opened and never closed.'],
    ['a,"b\n",c,"\n', 'Line 2: a quote is opened and never closed.'],
  ])('%j is refused with %j', async (text, refusal) => {
    const message = await headerOf(text).then(
      () => null,
      (error: Error) => `${error.name}: ${error.message}`,
    )
    expect(message).toBe(refusal && `FileRefused: ${refusal}`)
  })
})

async function headerOf(text: string | Buffer, delimiter: ',' | '|' = ',') {
  return readHeader(
    (async function* () {
      yield Buffer.from(text)
    })(),
    { delimiter },
  )
}
