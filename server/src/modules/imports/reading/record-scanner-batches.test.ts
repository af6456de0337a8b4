import { describe, expect, it } from 'vitest'
import { cutBatches, type BatchOptions } from './record-scanner-batches.ts'

const plain = { delimiter: ',', columns: 2, groupStarts: [0], rowsPerBatch: 2, firstNumber: 0n } as const

describe('batches', () => {
  it('hold a fixed number of rows, numbered without those set aside', async () => {
    expect(await piecesOf('a,b\n1,2\nragged\n3,4\n\n5,6\r\n"x"y,7\r8,"9"', plain)).toEqual([
      [0, 0, '0,1,2\n1,3,4\n'],
      [1, 0, '2,5,6\n3,8,"9"\n'],
    ])
  })

  it.each([
    [0, []],
    [1, [2]],
    [5, [2, 2, 2]],
    [6, [2, 2, 2]],
  ])('of %i rows include no empty one', async (rows, expected) => {
    const pieces = await piecesOf(`a,b\n${'1,2\n'.repeat(rows)}`, plain)
    expect(pieces.map(([slice]) => slice)).toEqual(expected.map((_, slice) => slice))
  })

  it('keep their numbers when they are skipped', async () => {
    const skipBatch = (batch: number) => batch !== 1 && batch !== 3
    expect(await piecesOf(`a,b\n${'x,y\n'.repeat(7)}`, { ...plain, skipBatch })).toEqual([
      [1, 0, '2,x,y\n3,x,y\n'],
      [3, 0, '6,x,y\n'],
    ])
  })

  it('are checked once each for skipping', async () => {
    const asked: number[] = []
    const skipBatch = (batch: number) => asked.push(batch) > 0
    expect(await piecesOf(`a,b\n${'x,y\n'.repeat(50_001)}`, { ...plain, rowsPerBatch: 10_000, skipBatch })).toEqual([])
    expect(asked).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('begin with the given number and prefix', async () => {
    const options = { ...plain, rowsPerBatch: 9, firstNumber: 9_999_999_998n, prefixTail: ',7,"x"' }
    expect(await piecesOf(`a,b\n${'1,2\n'.repeat(3)}`, options)).toEqual([
      [0, 0, '9999999998,7,"x",1,2\n9999999999,7,"x",1,2\n10000000000,7,"x",1,2\n'],
    ])
  })

  it('number rows across changes in digit count', async () => {
    const [piece] = await piecesOf(`a,b\n${'1,2\n'.repeat(1200)}`, { ...plain, rowsPerBatch: 5000, firstNumber: 900n })
    const numbers = piece?.[2].match(/^\d+/gm)
    expect(numbers).toEqual(Array.from({ length: 1200 }, (_, row) => String(900 + row)))
  })

  it.each([',', '\t', '|'] as const)('may be delimited by %j', async (delimiter) => {
    const delimited = (text: string) => text.replaceAll('/', delimiter)
    const others = [',', '\t', '|'].filter((other) => other !== delimiter).join('')
    const text = delimited(`a/b\n1/"2/3"\n5" x/${others}\n`)
    expect(await piecesOf(text, { ...plain, delimiter })).toEqual([
      [0, 0, delimited(`0/1/"2/3"\n1/"5"" x"/${others}\n`)],
    ])
  })

  it('are split into groups of columns with the same numbers', async () => {
    const options = { ...plain, columns: 5, groupStarts: [0, 2, 3], firstNumber: 10n, prefixTail: ',x' }
    const text = 'a,b,c,d,e\n1,"2,2",3,4,5\n,,,,x\nZo\xeb,b",",""",d","\x80"\n'
    expect(await piecesOf(Buffer.from(text, 'latin1'), options)).toEqual([
      [0, 0, '10,x,1,"2,2"\n11,x,,\n'],
      [0, 1, '10,x,3\n11,x,\n'],
      [0, 2, '10,x,4,5\n11,x,,x\n'],
      [1, 0, '12,x,Zoë,"b"""\n'],
      [1, 1, '12,x,","""\n'],
      [1, 2, '12,x,"d""","€"\n'],
    ])
  })

  it('omit empty rows, without numbering them', async () => {
    expect(await piecesOf('a,b\n1,2\n,\n" ",\u00a0\n,,,\n3,4\n,\n5,6\n', plain)).toEqual([
      [0, 0, '0,1,2\n1,3,4\n'],
      [1, 0, '2,5,6\n'],
    ])
  })

  it('number empty rows as an earlier release did, with empty cells', async () => {
    const options = { ...plain, keepsEmptyRows: true }
    expect(await piecesOf('a,b\n1,2\n,\n\n" ",\n3,4\n', options)).toEqual([
      [0, 0, '0,1,2\n1,,\n'],
      [1, 0, '2,,\n3,3,4\n'],
    ])
  })

  it('have composed letters, quoted again if that yields quotes or delimiters', async () => {
    const options = { ...plain, delimiter: ';' as const, rowsPerBatch: 9 }
    const rows = [
      ['Zoe\u0308;"Orle\u0301ans ""x"""', 'Zo\u00eb;"Orl\u00e9ans ""x"""'],
      ['\u1100\u1161;x"e\u0301', '\uac00;"x""\u00e9"'],
      ['why\u037e;"who\u037e"', '"why;";"who;"'],
      ['Zo\u00eb;\u00e9', 'Zo\u00eb;\u00e9'],
    ]
    const text = `a;b\n${rows.map(([read]) => `${read}\n`).join('')}`
    const written = rows.map(([, row], number) => `${number};${row}\n`).join('')
    expect(await piecesOf(text, options)).toEqual([[0, 0, written]])
  })

  it('compose every letter of Unicode', async () => {
    const letters = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code > 0x7f && (code < 0xd800 || code > 0xdfff))
      .map((code) => String.fromCodePoint(code).normalize('NFD'))
      .filter((letter) => letter.normalize('NFC') !== letter)
    const options = { ...plain, columns: 1, rowsPerBatch: 100_000 }
    const pieces = await piecesOf(`a\n${letters.map((letter) => `x${letter}\n`).join('')}`, options)
    const text = pieces.map(([, , rows]) => rows).join('')
    expect(letters.length).toBeGreaterThan(12_000)
    expect(text === letters.map((letter, row) => `${row},x${letter.normalize('NFC')}\n`).join('')).toBe(true)
  })

  it('come in pieces that are never modified afterwards', async () => {
    const rows = Array.from({ length: 60_000 }, (_, row) => `${row},${'x'.repeat(row % 40)}\n`)
    const pieces: { bytes: Buffer; copy: Buffer }[] = []
    const options = { ...plain, rowsPerBatch: 25_000 }
    for await (const { bytes } of cutBatches(streamOf(`a,b\n${rows.join('')}`), options)) {
      pieces.push({ bytes, copy: Buffer.from(bytes) })
    }
    expect(pieces.every(({ bytes, copy }) => bytes.equals(copy))).toBe(true)
    expect(Math.max(...pieces.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(256 * 1024)
    const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()
    expect(text).toBe(rows.map((row, index) => `${index},${row}`).join(''))
  })

  it('may hold a row that is larger than a piece', async () => {
    const row = `"${'x\n'.repeat(400_000)}",${'y'.repeat(300_000)}"`
    const pieces = await piecesOf(`a,b\n1,2\n${row}\n3,4\n`, { ...plain, rowsPerBatch: 9 })
    const repaired = row.replace(/,(y+)"$/, ',"$1"""')
    expect(pieces.map(([, , bytes]) => bytes).join('')).toBe(`0,1,2\n1,${repaired}\n2,3,4\n`)
  })

  it('close the text when the reader stops early', async () => {
    let isClosed = false
    const text = (async function* () {
      try {
        for (;;) yield Buffer.from('a,b\n'.repeat(10_000))
      } finally {
        isClosed = true
      }
    })()
    for await (const { slice } of cutBatches(text, plain)) if (slice === 3) break
    expect(isClosed).toBe(true)
  })

  it('end with the refusal of an unreadable text', async () => {
    await expect(piecesOf('a,b\n1,2\n3,"4\n', plain)).rejects.toThrow('Line 3: a quote is opened and never closed.')
  })
})

async function piecesOf(
  text: string | Buffer,
  options: BatchOptions,
): Promise<[slice: number, group: number, bytes: string][]> {
  const pieces: [number, number, string][] = []
  for await (const { slice, group, bytes } of cutBatches(streamOf(text), options)) {
    pieces.push([slice, group, bytes.toString()])
  }
  return pieces
}

async function* streamOf(text: string | Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
