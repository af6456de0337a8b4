import { describe, expect, it } from 'vitest'
import { readCells, repairRow } from './record-repair.ts'
import { scanRecords } from './record-scanner.ts'

describe('a repaired row', () => {
  it.each([
    ['5" pipe,b,c', '"5"" pipe",b,c'],
    ['a, "b",c', 'a," ""b""",c'],
    ['a",",""",b', '"a""",",""",b'],
    ['"a ""b""",x"y,""', '"a ""b""","x""y",""'],
    ['Zo\xeb,"\x80, 10""",\x93\x81\x94', 'Zoë,"€, 10""",“\u0081”'],
    ['\xff"\xfe,,', '"ÿ""þ",,'],
    [' ,"\t\xc2\xa0",x', ',,x'],
    ['\xe3\x80\x80\xe2\x80\x8b,"",\xef\xbb\xbfx', ',"",\ufeffx'],
    // Windows-1252 has a no-break space too; the UTF-8 bytes of one are a letter and a blank there.
    ['\xa0,\xc2\xa0,\xe9', ',Â\u00a0,é'],
    // An incomplete letter in one cell makes the whole record Windows-1252: guessing cell by cell would mix two
    // encodings.
    ['\xc3\xa9,\xc3,c', 'Ã©,Ã,c'],
  ])('%j becomes %j', async (row, repaired) => expect(await repair(row)).toBe(repaired))
})

describe('the cells of a record', () => {
  it.each([
    ['', ['']],
    [',', ['', '']],
    ['a,"b,""c""\n",', ['a', 'b,"c"\n', '']],
    ['"a"b,"c" ,d"e"', ['"a"b', '"c" ', 'd"e"']],
    ['"a""",""""', ['a"', '"']],
    ['"open, and no more', ['"open, and no more']],
    ['"', ['"']],
    ['Zo\xeb', ['Zoë']],
  ])('of %j are %j', (record, cells) => expect(readCells(Buffer.from(record, 'latin1'), ',')).toEqual(cells))

  it('are limited to 2,000, the last one holding the rest', () => {
    const cells = readCells(Buffer.from('|'.repeat(1_000_000)), '|')
    expect([cells.length, cells.at(-1)]).toEqual([2000, '|'.repeat(998_001)])
  })
})

async function repair(row: string): Promise<string | null> {
  const text = (async function* () {
    yield Buffer.from(`x,y,z\n${row}\n`, 'latin1')
  })()
  for await (const block of scanRecords(text, { delimiter: ',', columns: 3 })) {
    if (block.isHeader || block.rows === 0) continue
    const { bytes, start, end, cellEnds } = repairRow(block, 0, 3)
    expect(cellEnds.at(-1)).toBe(end)
    return bytes.toString('utf8', start, end)
  }
  return null
}
