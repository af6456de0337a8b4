import type { Import, NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { anImport, contactsOf, importFile, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Cells that do not fit the type of an existing field: they do not change the field unless requested.

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
  await load('Email,Score,Active,Born,Seen\na@x,1.5,true,2024-04-25,2024-04-25 10:00\n')
})

const load = (file: Buffer | string, changes: Partial<NewImport> = {}): Promise<Import> =>
  importFile(portal, member, file, { typeCasting: true, dedupColumns: ['Email'], ...changes })

async function types(): Promise<Record<string, string>> {
  const fields = (await member.get('/contact-service/v1/fields')).json<{ name: string; type: string }[]>()
  return Object.fromEntries(fields.map(({ name, type }) => [name, type]))
}

async function valuesOf(...names: string[]): Promise<unknown[][]> {
  return (await contactsOf(member)).map((contact) => names.map((name) => contact[name]))
}

async function reportOf({ _id }: Import): Promise<string[]> {
  const { url } = (await member.get(`/contact-service/v1/imports/${_id}/set-aside`)).json<{ url: string }>()
  return (await portal.app.inject({ url })).body.replace('\uFEFF', '').trimEnd().split('\r\n')
}

const typed = { Email: 'string', Score: 'number', Active: 'boolean', Born: 'day', Seen: 'date' }

describe('misfit cells by default', () => {
  test.each([
    ['directly', 'Skipped', ['x', 'y', 'z'], { columnMapping: { Skipped: null } }],
    ['staged', 'Email', ['', '', ''], { dedupColumns: ['Email'] }],
  ])('set the row aside if it has no other value, %s', async (_how, column, [x, y, z], options) => {
    if (column === 'Skipped') {
      member = await portal.member(await portal.account())
      await importFile(portal, member, 'Score,Born\n1,2024-05-01\n', { typeCasting: true })
    }
    const file = `${column},Score,Born\n${x},n/a,soon\n${y},n/a,\n${z},n/a,2024-05-02\n,7,\n,,"-"\n`
    const done = await importFile(portal, member, file, options)
    expect(done).toMatchObject({ processedRecords: 2, createdRecords: 2, setAsideRecords: 3, setAsideCells: 1 })
    expect(await reportOf(done)).toEqual([
      `Set-Aside Line,Set-Aside Reason,${column},Score,Born`,
      `2,"In Score, ""n/a"" is not a number. In Born, ""soon"" is not a date. The row has no other value.",${x},n/a,soon`,
      `3,"In Score, ""n/a"" is not a number. The row has no other value.",${y},n/a,`,
      `4,"In Score, ""n/a"" is not a number. The row is loaded without this cell.",${z},n/a,2024-05-02`,
      '6,"In Born, ""-"" is not a date. The row has no other value.",,,-',
    ])
    expect((await valuesOf('Score', 'Born')).slice(1)).toEqual([
      [undefined, '2024-05-02'],
      [7, undefined],
    ])
  })

  test('of every type leave the contact as it was, and the report has line, column, value and reason', async () => {
    const done = await load(
      'Email,Score,Active,Born,Seen\n' +
        'a@x,n/a,maybe,soon,later\n' +
        'b@x,2,false,2024-05-01,2024-05-01\n' +
        '"c@x","3, or 4",true,"2024-05-01 10:00",\n',
    )
    expect(done).toMatchObject({
      status: 'completed',
      onMismatch: 'cell',
      onMismatchByField: {},
      totalRecords: 3,
      createdRecords: 2,
      unchangedRecords: 1,
      setAsideRecords: 0,
      setAsideCells: 6,
    })
    expect(await types()).toEqual(typed)
    expect(await valuesOf('Email', 'Score', 'Active', 'Born', 'Seen')).toEqual([
      ['a@x', 1.5, true, '2024-04-25', '2024-04-25T10:00:00.000Z'],
      ['b@x', 2, false, '2024-05-01', '2024-05-01T00:00:00.000Z'],
      ['c@x', undefined, true, undefined, undefined],
    ])
    expect(await reportOf(done)).toEqual([
      'Set-Aside Line,Set-Aside Reason,Email,Score,Active,Born,Seen',
      '2,"In Score, ""n/a"" is not a number. In Active, ""maybe"" is neither true nor false. In Born, ""soon"" is not a date. ' +
        'In Seen, ""later"" is not a date. The row is loaded without these 4 cells.",a@x,n/a,maybe,soon,later',
      '4,"In Score, ""3, or 4"" is not a number. In Born, ""2024-05-01 10:00"" has a time, and the field holds dates only. ' +
        'The row is loaded without these 2 cells.",c@x,"3, or 4",true,2024-05-01 10:00,',
    ])
  })

  test.each(['comma', 'tab', 'pipe', 'semicolon'] as const)(
    'are left out with the delimiter %s, in any encoding',
    async (delimiter) => {
      const sign = { comma: ',', tab: '\t', pipe: '|', semicolon: ';' }[delimiter]
      const rows = ['Email;Score;Note', 'é@x;"n/a";"x ""y"""', '"a@x";-;', 'd@x; 4 ;ü'].map((row) =>
        row.replaceAll(';', sign),
      )
      const done = await load(Buffer.from(`${rows.join('\r\n')}\r\n`, 'latin1'), { fileDelimiter: delimiter })
      expect(done).toMatchObject({ setAsideCells: 2, setAsideRecords: 0, createdRecords: 2 })
      expect(await valuesOf('Email', 'Score', 'Note')).toEqual([
        ['a@x', 1.5, undefined],
        ['é@x', undefined, 'x "y"'],
        ['d@x', 4, 'ü'],
      ])
    },
  )

  test('are detected without the surrounding white space', async () => {
    const done = await load(
      'Email,Score,Active,Born,Seen\na@x, 7\t," FALSE ", 2024-05-01 , 2024-05-01 \nb@x,\u00a08,,,\n',
    )
    expect(done).toMatchObject({ setAsideCells: 1, updatedRecords: 1, createdRecords: 1 })
    expect(await valuesOf('Score', 'Active', 'Born')).toEqual([
      [7, false, '2024-05-01'],
      [undefined, undefined, undefined],
    ])
  })

  test('are reported together with set-aside rows, in file order', async () => {
    const done = await load('Email,Score\nb@x,n/a\nc@x\nd@x,none\n')
    expect(done).toMatchObject({ setAsideRecords: 1, setAsideCells: 2, createdRecords: 2 })
    expect((await reportOf(done)).map((line) => line.split(',')[0])).toEqual(['Set-Aside Line', '2', '3', '4'])
    const { body } = await member.get('/contact-service/v1/downloads')
    expect(body).toMatchObject([{ rows: 3 }])
    const find = encodeURIComponent(JSON.stringify([{ $match: { setAsideCells: { $gt: 1 } } }]))
    expect((await member.get(`/contact-service/v1/imports?find=${find}&count=`)).body).toEqual({ count: 1 })
  })

  test('are left out when loading straight into an account without contacts, which keeps its fields', async () => {
    await member.delete('/contact-service/v1/offers', {
      filter: [{ $match: { Email: 'a@x' } }],
      deletedRecords: 1,
    })
    await vi.waitUntil(async () => (await contactsOf(member)).length === 0, { timeout: 20_000 })
    const rows = Array.from({ length: 600 }, (_, row) => `p${row}@x,${row % 2 ? 5 : 'n/a'}`)
    const done = await load(`Email,Score\n${rows.join('\n')}\n`)
    expect(done).toMatchObject({ status: 'completed', setAsideCells: 300, createdRecords: 600 })
    expect(await types()).toEqual(typed)
    expect(new Set((await contactsOf(member)).slice(0, 4).map(({ Score }) => Score))).toEqual(new Set([undefined, 5]))
  })

  test('are left out in every working table of a wide file', async () => {
    const names = Array.from({ length: 330 }, (_, at) => `N${at}`)
    await load(`Email,${names.join(',')}\nw@x,${names.map(() => '1').join(',')}\n`)
    const row = names.map((_, at) => (at % 100 === 50 || at === 320 ? 'odd' : '2'))
    const done = await load(`Email,${names.join(',')}\nw@x,${row.join(',')}\n`)
    expect(done).toMatchObject({ setAsideCells: 4, updatedRecords: 1 })
    const wide = (await contactsOf(member)).find(({ Email }) => Email === 'w@x')
    expect(['N50', 'N51', 'N250', 'N310', 'N320'].map((name) => wide?.[name])).toEqual([1, 2, 1, 2, 1])
  })

  test('do not occur in new columns, which become text if a value does not fit', async () => {
    const done = await load('Email,New\nb@x,1\nc@x,one\n')
    expect(done).toMatchObject({ setAsideCells: 0 })
    expect(await types()).toEqual({ ...typed, New: 'string' })
  })

  test('set the row aside in a dedup column, as the contact would have no key', async () => {
    const other = await portal.member(await portal.account())
    const keyed = { typeCasting: true, dedupColumns: ['No'] }
    await importFile(portal, other, 'No,Name\n1,Ada\n', keyed)
    const done = await importFile(portal, other, 'No,Name\nn/a,Bob\n1,Ida\n', keyed)
    expect(done).toMatchObject({ setAsideRecords: 1, setAsideCells: 0, updatedRecords: 1, createdRecords: 0 })
  })
})

describe('onMismatch', () => {
  test('`row` sets the rows aside with the same reason, and rejects a file of only such rows', async () => {
    const done = await load('Email,Score\nb@x,n/a\nc@x,3\n', { onMismatch: 'row' })
    expect(done).toMatchObject({ onMismatch: 'row', setAsideRecords: 1, setAsideCells: 0, createdRecords: 1 })
    expect((await reportOf(done))[1]).toBe('2,"In Score, ""n/a"" is not a number.",b@x,n/a')
    expect(await types()).toEqual(typed)
    expect(await load('Email,Score\nd@x,n/a\n', { onMismatch: 'row' })).toMatchObject({
      status: 'rejected',
      recoveryError: 'The only row cannot be loaded. Line 2: In Score, "n/a" is not a number.',
      setAsideRecords: 1,
    })
  })

  test('`text` turns the field into text and keeps every value, and turns a day field into moments', async () => {
    const done = await load('Email,Score,Born\nb@x,n/a,2024-05-01 10:00\n', { onMismatch: 'text' })
    expect(done).toMatchObject({ setAsideRecords: 0, setAsideCells: 0 })
    expect(await types()).toMatchObject({ Score: 'string', Born: 'date', Active: 'boolean' })
    expect(await valuesOf('Score')).toEqual([['1.5'], ['n/a']])
  })

  test('for one field overrides the general choice, in any letter case and under a mapped name', async () => {
    const done = await load('Email,Points,Active,Born\nb@x,n/a,maybe,soon\nc@x,2,maybe,soon\n', {
      columnMapping: { Points: 'Score' },
      onMismatch: 'cell',
      onMismatchByField: { SCORE: 'row', born: 'text' },
    })
    expect(done).toMatchObject({ setAsideRecords: 1, setAsideCells: 1, createdRecords: 1 })
    expect(done.onMismatchByField).toEqual({ SCORE: 'row', born: 'text' })
    // The key of a row cannot be left out.
    expect(done.columnValidation).toEqual({ Email: 'row', Points: 'row', Active: 'cell', Born: 'text' })
    expect(done.indexObject).toEqual({ Email: 1 })
    expect(await types()).toEqual({ ...typed, Born: 'string' })
  })

  test('is refused with the field name if it is invalid', async () => {
    await upload(portal, member, 'contacts.csv', 'Email,Score\nb@x,2\n')
    const ask = async (changes: object) =>
      fieldProblems(await member.post('/contact-service/v1/imports', { ...anImport(), ...changes }))
    expect(await ask({ onMismatch: 'widen' })).toMatchObject([{ field: 'onMismatch' }])
    expect(await ask({ onMismatchByField: { Score: 'widen' } })).toMatchObject([{ field: 'onMismatchByField.Score' }])
    expect(await ask({ onMismatchByField: { Points: 'row' } })).toEqual([
      { field: 'onMismatchByField', message: 'The field "Points" is not a column of the file.' },
    ])
  })
})
