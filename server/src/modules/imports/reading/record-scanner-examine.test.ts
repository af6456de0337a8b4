import { describe, expect, it } from 'vitest'
import { examine, type SetAside } from './record-scanner-examine.ts'
import type { CandidateType } from './value-types.ts'

describe('the types of columns', () => {
  it('fit all their values', async () => {
    const text = 'n,b,d,s\n1,true,2024-01-31,007\n-2.5,FALSE,1/2/2024 3:04 PM,8\n,,,\n0,"false","2024-01-31T10:00Z",9\n'
    expect((await examineText(text)).types).toEqual(['number', 'boolean', 'date', 'string'])
  })

  it('are strings if any value does not fit, wherever it is', async () => {
    for (let odd = 0; odd < 3; odd++) {
      const rows = ['1,true,2024-01-31', '2,false,1/31/2024', '3,TRUE,2024-01-31T00:00Z']
      rows.splice(odd, 1, 'x,1,true')
      expect((await examineText(`a,b,c\n${rows.join('\n')}`)).types).toEqual(['string', 'string', 'string'])
    }
  })

  it('take the last of many blocks into account', async () => {
    const many = '1,2,3\n'.repeat(100_000)
    expect((await examineText(`a,b,c\n${many}1,"2""",\n`)).types).toEqual(['number', 'string', 'number'])
  })

  it('are based on good rows only', async () => {
    expect(await examineText('a,b\nragged\n1,2\nx,"y"z\nu,v\0\n')).toMatchObject({ types: ['number', 'number'] })
  })

  it.each<[CandidateType, string, string]>([
    ['number', '1', 'number'],
    ['number', 'true', 'string'],
    ['boolean', 'True', 'boolean'],
    ['boolean', '1', 'string'],
    ['date', '1/1/2024', 'date'],
    ['date', 'soon', 'string'],
    ['string', '1', 'string'],
    ['infer', '""', 'string'],
    ['number', '""', 'number'],
    ['number', ' ', 'number'],
    ['boolean', '"\u00a0\t\u3000\n\u200b"', 'boolean'],
    ['date', '\u2003', 'date'],
    ['number', '" 1"', 'string'],
    ['number', '""""', 'string'],
    ['number', '"1""1"', 'string'],
  ])('with candidate %s, %j makes the column a %s', async (candidate, value, type) => {
    expect((await examineText(`a,b\n${value},x\n`, [candidate, 'string'])).types[0]).toBe(type)
  })

  it('are not affected by Windows-1252 and stray quotes in other columns', async () => {
    const text = Buffer.from('a,b,c\n1,Zo\xeb,5" pipe\n2,\x80,true\n', 'latin1')
    expect((await examineText(text)).types).toEqual(['number', 'string', 'string'])
  })
})

describe('a column', () => {
  it('is empty if it has no value', async () => {
    const text = 'a,b,c,d,e\n,"", ,,\u00ad1\n,," \t",x,\n1\n'
    const { emptyColumns } = await examineText(text, ['infer', 'string', 'string', 'string', 'infer'])
    expect(emptyColumns).toEqual([true, true, true, false, false])
  })

  it('is not empty if its letters would be white space in another encoding', async () => {
    const text = Buffer.from('a,b,c\n\xe9,\xc2\xa0,\xa0\n', 'latin1')
    expect((await examineText(text)).emptyColumns).toEqual([false, false, true])
  })
})

describe('set-aside rows', () => {
  it('are reported with line, reason and cells', async () => {
    const heard: SetAside[] = []
    const text = 'a,b\r\n"x\r\ny",1\r\n\r\n"p""q\n",2,3\r\n"Zo\xeb"!,\x80\nn,\0'
    await examineText(Buffer.from(text, 'latin1'), ['string', 'string'], (record) => heard.push(record))
    expect(heard).toEqual([
      { line: 5, reason: 'Expected 2 cells, found 3.', cells: ['p"q\n', '2', '3'] },
      { line: 7, reason: 'Text follows a closing quote.', cells: ['"Zoë"!', '€'] },
      { line: 8, reason: 'The row contains a NUL character.', cells: ['n', '\0'] },
    ])
  })

  it('wait until the previous one is processed', async () => {
    const heard: string[] = []
    const onSetAside = async ({ cells }: SetAside) => {
      heard.push(`${cells[0]} comes`)
      await new Promise((resolve) => setImmediate(resolve))
      heard.push(`${cells[0]} is done`)
    }
    const { setAside, rows } = await examineText('a,b\n1\n2\n3,4\n', ['string', 'string'], onSetAside)
    expect([setAside, rows, heard]).toEqual([2, 1, ['1 comes', '1 is done', '2 comes', '2 is done']])
  })

  it('may be all rows', async () => {
    let heard = 0
    const { setAside } = await examineText(`a,b\n${'x\n'.repeat(50_000)}`, ['infer', 'infer'], () => heard++)
    expect([setAside, heard]).toEqual([50_000, 50_000])
  })
})

describe('a file of one column', () => {
  it('ignores lines without a character, and counts blank ones as empty rows', async () => {
    const found = await examineText('a\n\n1\r\n\r\n  \n""\n')
    expect(found).toMatchObject({ rows: 1, emptyRows: 2, setAside: 0, types: ['number'] })
  })
})

describe('rows of only white space', () => {
  it('are counted and otherwise ignored, regardless of their number of cells', async () => {
    const text = 'a,b,c\n1,2,3\n,,\n \t,\u00a0,"\u3000\r\n"\n,\n,,,,\n4,5,6\n"",,\n'
    expect(await examineText(text)).toMatchObject({ rows: 2, emptyRows: 5, setAside: 0 })
  })

  it('may precede the header, and be all that follows it', async () => {
    expect(await examineText('a,b\n,\n,\n')).toMatchObject({ rows: 0, emptyRows: 2, setAside: 0 })
    expect(await examineText(',\n , \na,b\n1,2\n')).toMatchObject({ rows: 1, emptyRows: 2, setAside: 0 })
  })

  it('may be more than one block holds', async () => {
    const text = `a,b\n1,2\n${',\n'.repeat(400_000)}3,4\n`
    expect(await examineText(text)).toMatchObject({ rows: 2, emptyRows: 400_000, setAside: 0 })
  })

  it('do not include rows with a Windows-1252 letter, a NUL or a quote', async () => {
    const text = Buffer.from('a,b\n\xa0,\xa0\n\xc2\xa0,\xa0\n\0,\n"""",\n', 'latin1')
    expect(await examineText(text)).toMatchObject({ rows: 2, emptyRows: 1, setAside: 1 })
  })
})

it('examines a file that has only a header', async () => {
  expect(await examineText('a,b\n')).toEqual({
    rows: 0,
    setAside: 0,
    misfits: new Map(),
    unsure: new Map(),
    emptyRows: 0,
    types: ['string', 'string'],
    emptyColumns: [true, true],
  })
})

it.each([
  ['1000-01-01\n2026-01-31T10:00Z', 'string'],
  ['2026-01-31T10:00Z\n1000-01-01', 'string'],
  ['1000-01-01\n2026-01-31', 'day'],
  ['1000-01-02\n2026-01-31T10:00Z', 'date'],
])('a first day before the valid years of moments keeps the column from becoming moments: %j', async (cells, type) => {
  const { types } = await examineText(`At\n${cells}\n`, undefined, undefined, 'Asia/Tokyo')
  expect(types).toEqual([type])
})

async function examineText(
  text: string | Buffer,
  typed?: CandidateType[],
  onSetAside?: (record: SetAside) => unknown,
  timeZone = 'UTC',
) {
  const columns = text.toString().split('\n')[0]?.split(',').length ?? 0
  const stream = (async function* () {
    yield Buffer.from(text)
  })()
  return examine(stream, {
    delimiter: ',',
    columns,
    timeZone,
    typed: typed ?? Array.from({ length: columns }, () => 'infer' as const),
    onSetAside: async (record) => void (await onSetAside?.(record)),
  })
}
