import type { ImportPreview } from '@portico/contract/import-preview'
import type { ColumnReading, Import, NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { anImport, contactsOf, importFile, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Columns whose type and reading were chosen before the import.

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

const load = (file: Buffer | string, changes: Partial<NewImport> = {}): Promise<Import> =>
  importFile(portal, member, file, { typeCasting: true, ...changes })

const valuesOf = async (name: string) => (await contactsOf(member)).map((contact) => contact[name])

async function types(): Promise<Record<string, string>> {
  const fields = (await member.get('/contact-service/v1/fields')).json<{ name: string; type: string }[]>()
  return Object.fromEntries(fields.map(({ name, type }) => [name, type]))
}

async function preview(content: string): Promise<ImportPreview> {
  await upload(portal, member, 'contacts.csv', content)
  const reply = await member.post('/contact-service/v1/imports/preview', {
    filePath: 'contacts.csv',
    fileDelimiter: 'comma',
    typeCasting: true,
  })
  expect(reply).toMatchObject({ status: 200 })
  return reply.json<ImportPreview>()
}

describe('a reading', () => {
  test('converts cells as people write them, and leaves out those it cannot read', async () => {
    const columnTypes = {
      amount: { type: 'number' },
      Share: { type: 'number' },
      Member: { type: 'boolean' },
      Born: { type: 'day', order: 'day-first' },
      Seen: { type: 'date', order: 'day-first' },
      Zip: { type: 'string' },
    } as const
    const done = await load(
      'Amount,Share,Member,Born,Seen,Zip\n' +
        '"$2,490.18",12 %,Yes,03/04/2024,25/12/2023 3:15 PM,80202\n' +
        '"1,250",100%,N,25.12.2023,03/04/2024,10001\n' +
        'n/a,,maybe,12/25/2023,,1\n',
      { columnTypes },
    )
    expect(done).toMatchObject({ status: 'completed', createdRecords: 3, setAsideCells: 3, columnTypes })
    expect(await types()).toEqual({
      Amount: 'number',
      Share: 'number',
      Member: 'boolean',
      Born: 'day',
      Seen: 'date',
      Zip: 'string',
    })
    expect(await valuesOf('Amount')).toEqual([2490.18, 1250, undefined])
    expect(await valuesOf('Share')).toEqual([0.12, 1, undefined])
    expect(await valuesOf('Member')).toEqual([true, false, undefined])
    expect(await valuesOf('Born')).toEqual(['2024-04-03', '2023-12-25', undefined])
    expect(await valuesOf('Seen')).toEqual(['2023-12-25T15:15:00.000Z', '2024-04-03T00:00:00.000Z', undefined])
    expect(await valuesOf('Zip')).toEqual(['80202', '10001', '1'])
  })

  test('applies to later files, staged and in any encoding, and matches contacts by the converted values', async () => {
    const settings = {
      dedupColumns: ['No'],
      columnTypes: { No: { type: 'number' }, Paid: { type: 'number', decimal: 'comma' } },
    }
    await load('No,Paid\n"1,001","2,50"\n', settings as Partial<NewImport>)
    const file = Buffer.from('No;Paid;Name\n1001;"1.250,75 \u20ac";Zo\u00eb\nn/a;7;Bob\n1002;;"A ""B"""\n', 'utf8')
    const done = await load(file, { ...(settings as Partial<NewImport>), fileDelimiter: 'semicolon' })
    expect(done).toMatchObject({ updatedRecords: 1, createdRecords: 1, setAsideRecords: 1, setAsideCells: 0 })
    expect(await valuesOf('Paid')).toEqual([1250.75, undefined])
    expect(await valuesOf('Name')).toEqual(['Zo\u00eb', 'A "B"'])
    const latin = Buffer.from('No;Paid;Name\n1002;"3\u00a0000,5";Zo\u00eb\n', 'latin1')
    await load(latin, { ...(settings as Partial<NewImport>), fileDelimiter: 'semicolon' })
    expect(await valuesOf('Paid')).toEqual([1250.75, 3000.5])
  })

  test('sets aside days in the other order, and never turns the field into text', async () => {
    await load('Email,Birthday\nada@example.com,03/04/2024\nbob@example.com,05/06/2024\n')
    expect(await load('Email,Birthday\ncai@example.com,25/12/2023\n')).toMatchObject({ setAsideCells: 1 })
    const dayFirst: Record<string, ColumnReading> = { Birthday: { type: 'day', order: 'day-first' } }
    expect(await load('Email,Birthday\ndee@example.com,25/12/2023\n', { columnTypes: dayFirst })).toMatchObject({
      setAsideCells: 0,
    })
    expect(await valuesOf('Birthday')).toEqual(['2024-03-04', '2024-05-06', undefined, '2023-12-25'])
    expect(await types()).toMatchObject({ Birthday: 'day' })
  })

  test('of a type other than that of the field is refused with a fix, as is one for a missing column', async () => {
    await load('Email,Score\na@x,1\n')
    expect(await load('Email,Score\na@x,Yes\n', { columnTypes: { Score: { type: 'boolean' } } })).toMatchObject({
      status: 'rejected',
      recoveryError:
        'The field "Score" holds numbers, so the column "Score" cannot be read as true or false. Choose another type, or map the column to another field.',
    })
    await upload(portal, member, 'contacts.csv', 'Email\na@x\n')
    const ask = async (columnTypes: object) =>
      fieldProblems(await member.post('/contact-service/v1/imports', { ...anImport(), columnTypes }))
    expect(await ask({ Score: { type: 'number' } })).toEqual([
      { field: 'columnTypes', message: 'The column "Score" is not a column of the file.' },
    ])
    expect(await ask({ Email: { type: 'number', order: 'day-first' } })).toMatchObject([
      { field: 'columnTypes.Email.order' },
    ])
    expect(await ask({ Email: { type: 'money' } })).toMatchObject([{ field: 'columnTypes.Email.type' }])
  })
})

describe('a column of numbers', () => {
  test.each([
    ['2.1', '2.10'],
    ['2.10', '2.1'],
    ['2.100', '2.10'],
    ['3', '3.0'],
    ['1.50', '"1.5"'],
  ])('in which %s and %s are the same number stays text', async (one, other) => {
    const rows = Array.from({ length: 20_000 }, (_, row) => `${row}.25`)
    await load(`Version\n${one}\n${rows.join('\n')}\n${other}\n`)
    expect(await types()).toEqual({ Version: 'string' })
  })

  test('with other notations becomes a number field, with decimals of any length', async () => {
    await load('A,B,C,Amount\n2.10,1.5,10,0.1\n3.50,2.10,2.0,40.4\n-2.10,3,100,40.4\n')
    expect(await types()).toEqual({ A: 'number', B: 'number', C: 'number', Amount: 'number' })
  })
})

describe('the preview', () => {
  const reading = async (header: string, ...cells: string[]) => {
    const quoted = cells.map((cell) => `"${cell}"`)
    return (await preview(`${header}\n${quoted.join('\n')}\n`)).columns[0]
  }

  test('suggests a reading for all cells, with values before and after', async () => {
    expect(await reading('Amount', '$2,490.18', '$50')).toMatchObject({
      type: 'string',
      suggestedReading: { type: 'number', decimal: 'point' },
      isAmbiguous: false,
      readings: [
        {
          reading: { type: 'number', decimal: 'point' },
          misfits: { cells: 0 },
          examples: [
            { before: '$2,490.18', after: '2490.18' },
            { before: '$50', after: '50' },
          ],
        },
        { reading: { type: 'number', decimal: 'comma' }, misfits: { cells: 1, examples: ['$2,490.18'] } },
      ],
    })
    expect(await reading('Paid', 'Yes', 'No', 'y')).toMatchObject({ suggestedReading: { type: 'boolean' } })
    expect(await reading('Born', '03/04/2024', '25/12/2023')).toMatchObject({
      suggestedReading: { type: 'day', order: 'day-first' },
      isAmbiguous: false,
    })
    expect(await reading('Seen', '25/12/2023 10:00', '25/12/2023')).toMatchObject({
      suggestedReading: { type: 'date', order: 'day-first' },
    })
  })

  test('flags columns in which no value settles the order of day and month, or the decimal separator', async () => {
    expect(await reading('Born', '03/04/2024', '05/06/2024')).toMatchObject({ isAmbiguous: true })
    expect(await reading('Born', '04/04/2024')).toMatchObject({ isAmbiguous: false })
    expect(await reading('Paid', '1,250', '2,500')).toMatchObject({ isAmbiguous: true })
    expect(await reading('Paid', '1,250', '2,500.75')).toMatchObject({ isAmbiguous: false })
  })

  test('suggests no number reading for codes, versions and texts', async () => {
    expect(await reading('Zip', '01234', '80202')).toMatchObject({ type: 'string', suggestedReading: null })
    expect(await reading('Version', '2.1', '2.10')).toMatchObject({ type: 'string', suggestedReading: null })
    expect(await reading('Card', '1234567890123456')).toMatchObject({ suggestedReading: null })
    expect(await reading('Amount', '$5', 'n/a')).toMatchObject({ suggestedReading: null })
  })

  test('remembers the choices of the last import with the same header, per account', async () => {
    const choices = {
      columnMapping: { Amount: 'Total' },
      onMismatchByField: { Total: 'row' as const },
      columnTypes: { Amount: { type: 'number' as const, decimal: 'comma' as const } },
    }
    await load('Name,Amount\nAda,"1,5"\n', { name: 'First totals', ...choices })
    expect((await preview('Name,Amount\nBob,2\n')).remembered).toEqual({
      name: 'First totals',
      keyColumn: null,
      keyField: null,
      ...choices,
    })
    expect((await preview('Name,Other\nBob,2\n')).remembered).toBeNull()
    member = await portal.member(await portal.account())
    expect((await preview('Name,Amount\nBob,2\n')).remembered).toBeNull()
  })
})
