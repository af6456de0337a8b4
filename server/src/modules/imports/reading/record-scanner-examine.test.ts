import { describe, expect, it } from 'vitest'
import { examine, type SetAside } from './record-scanner-examine.ts'
import type { CandidateType } from './value-types.ts'

describe('the types of columns', () => {
  it('are what all their values fit', async () => {
    const text = 'n,b,d,s\n1,true,2024-01-31,007\n-2.5,FALSE,1/2/2024 3:04 PM,8\n,,,\n0,"false","2024-01-31T10:00Z",9\n'
    expect((await examineText(text)).types).toEqual(['number', 'boolean', 'date', 'string'])
  })

  it('are strings where a value does not fit, wherever it is', async () => {
    for (let odd = 0; odd < 3; odd++) {
      const rows = ['1,true,2024-01-31', '2,false,1/31/2024', '3,TRUE,2024-01-31T00:00Z']
      rows.splice(odd, 1, 'x,1,true')
      expect((await examineText(`a,b,c\n${rows.join('\n')}`)).types).toEqual(['string', 'string', 'string'])
    }
  })

  it('are found in the last of many blocks', async () => {
    const many = '1,2,3\n'.repeat(100_000)
    expect((await examineText(`a,b,c\n${many}1,"2""",\n`)).types).toEqual(['number', 'string', 'number'])
  })

  it('are asked of good rows only', async () => {
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
    ['number', ' ', 'string'],
    ['number', '" 1"', 'string'],
    ['number', '"1""1"', 'string'],
  ])('asked for %s, %j makes the column a %s', async (candidate, value, type) => {
    expect((await examineText(`a,b\n${value},x\n`, [candidate, 'string'])).types[0]).toBe(type)
  })

  it('do not mind Windows-1252 and stray quotes in other columns', async () => {
    const text = Buffer.from('a,b,c\n1,Zo\xeb,5" pipe\n2,\x80,true\n', 'latin1')
    expect((await examineText(text)).types).toEqual(['number', 'string', 'string'])
  })
})

describe('a column', () => {
  it('is empty without any value', async () => {
    const { emptyColumns } = await examineText('a,b,c,d\n,"", ,\n,,,x\n1\n', ['infer', 'string', 'string', 'string'])
    expect(emptyColumns).toEqual([true, true, false, false])
  })
})

describe('rows set aside', () => {
  it('are told with line, reason and cells', async () => {
    const heard: SetAside[] = []
    const text = 'a,b\r\n"x\r\ny",1\r\n\r\n"p""q\n",2,3\r\n"Zo\xeb"!,\x80\nn,\0'
    await examineText(Buffer.from(text, 'latin1'), ['string', 'string'], (record) => heard.push(record))
    expect(heard).toEqual([
      { line: 5, reason: 'Expected 2 cells, found 3.', cells: ['p"q\n', '2', '3'] },
      { line: 7, reason: 'Text follows a closing quote.', cells: ['"Zoë"!', '€'] },
      { line: 8, reason: 'The row contains a NUL character.', cells: ['n', '\0'] },
    ])
  })

  it('wait until the one before was dealt with', async () => {
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
  it('has blank lines that are no rows, and lines of spaces that are', async () => {
    expect(await examineText('a\n\n1\r\n\r\n  \n""\n')).toMatchObject({ rows: 3, setAside: 0, types: ['string'] })
  })
})

it('examines a file that has only a header', async () => {
  expect(await examineText('a,b\n')).toEqual({
    rows: 0,
    setAside: 0,
    types: ['string', 'string'],
    emptyColumns: [true, true],
  })
})

async function examineText(text: string | Buffer, typed?: CandidateType[], onSetAside?: (record: SetAside) => unknown) {
  const columns = text.toString().split('\n')[0]?.split(',').length ?? 0
  const stream = (async function* () {
    yield Buffer.from(text)
  })()
  return examine(stream, {
    delimiter: ',',
    columns,
    typed: typed ?? Array.from({ length: columns }, () => 'infer' as const),
    onSetAside: async (record) => void (await onSetAside?.(record)),
  })
}
