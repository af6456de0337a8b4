import type { FieldProblem } from '@portico/contract/errors'
import type { ImportPreview } from '@portico/contract/import-preview'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contactsOf, ended, importFile, submit, upload } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/imports/preview'

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

const question = { filePath: 'contacts.csv', fileDelimiter: 'comma', typeCasting: true }

async function preview(content: Buffer | string, changes = {}): Promise<ImportPreview> {
  await upload(portal, member, 'contacts.csv', content)
  const answer = await member.post(path, { ...question, ...changes })
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<ImportPreview>()
}

const problemsOf = (answer: Answer) =>
  answer
    .json<{ error: { details: FieldProblem[] } }>()
    .error.details.map(({ field, message }) => `${field}: ${message}`)

describe('a preview', () => {
  test('shows the first hundred rows, and column types based on all rows', async () => {
    const lines = Array.from({ length: 150 }, (_, row) => `"Doe, ${row}",${row}.5,2024-01-0${(row % 9) + 1},`)
    const found = await preview(`Name,Age,Since,Note\n${lines.join('\n')}\nx,y\n`)
    expect(found.rows).toHaveLength(100)
    expect(found.rows[7]).toEqual(['Doe, 7', '7.5', '2024-01-08', ''])
    expect(found.columns.map(({ name, type, isEmpty, effect }) => [name, type, isEmpty, effect])).toEqual([
      ['Name', 'string', false, 'added'],
      ['Age', 'number', false, 'added'],
      ['Since', 'day', false, 'added'],
      ['Note', 'string', true, 'added'],
    ])
    expect(found).toMatchObject({ sampledRows: 151, isWhole: true, setAsideRows: 1 })
    expect(found.setAside).toEqual([{ line: 152, reason: 'Expected 4 cells, found 2.' }])
  })

  test('compares many columns with many fields without blocking the portal', { timeout: 30_000 }, async () => {
    // Each of these letters becomes 18 characters when names are compared.
    const names = Array.from({ length: 300 }, (_, at) => `${'\uFDFA'.repeat(150)}${at}`)
    const [known, others] = [names.slice(0, 150), names.slice(150)]
    await importFile(portal, member, `${known.join(',')}\n${known.map(() => 'x').join(',')}\n`)
    const { columns } = await preview(`${others.join(',')}\n${others.map(() => 'x').join(',')}\n`)
    expect(columns.map(({ suggestion }) => suggestion)).toEqual(others.map(() => null))
  })

  test('types a column by all values up to the last, and as text without type casting', async () => {
    const file = `A,B\n${'1,true\n'.repeat(200)}x,false\n`
    expect((await preview(file)).columns).toMatchObject([
      { type: 'string', loadedType: 'string' },
      { type: 'boolean', loadedType: 'boolean' },
    ])
    expect((await preview(file, { typeCasting: false })).columns[1]).toMatchObject({ loadedType: 'string' })
  })

  test('shows which fields exist, which are probably meant, and which would be widened', async () => {
    await importFile(portal, member, 'E-Mail,Age,First Name\na@x,4,Ada\n', { typeCasting: true })
    const { columns } = await preview('email,AGE,Given name,City\nb@x,forty,Bob,Rome\n', { onMismatch: 'text' })
    expect(columns).toMatchObject([
      { name: 'email', field: null, suggestion: { name: 'E-Mail' }, effect: 'added' },
      { name: 'AGE', field: { name: 'Age', type: 'number' }, effect: 'widened', loadedType: 'string' },
      { name: 'Given name', suggestion: { name: 'First Name' } },
      { name: 'City', field: null, suggestion: null, effect: 'added' },
    ])
  })

  test('shows that times turn a day field into moments, while days leave a moment field unchanged', async () => {
    await importFile(portal, member, 'Born,Seen\n2024-04-25,2024-04-25 10:00\n', { typeCasting: true })
    const asText = { onMismatch: 'text' }
    expect((await preview('Born,Seen\n4/26/2024 9:30 AM,2024-04-26\n,\n', asText)).columns).toMatchObject([
      { type: 'date', field: { type: 'day' }, effect: 'widened', loadedType: 'date' },
      { type: 'day', field: { type: 'date' }, effect: 'kept', loadedType: 'date' },
    ])
    expect((await preview('Born\n2024-04-27\nsoon\n', asText)).columns).toMatchObject([
      { field: { type: 'day' }, effect: 'widened', loadedType: 'string' },
    ])
  })

  test('suggests no field for two columns, and none that another column matches', async () => {
    await importFile(portal, member, 'Email\na@x\n')
    const { columns } = await preview('Email,e-mail\na,b\n')
    expect(columns.map(({ suggestion }) => suggestion)).toEqual([null, null])
    const others = await preview('E Mail,e-mail\na,b\n')
    expect(others.columns.map(({ suggestion }) => suggestion?.name)).toEqual(['Email', undefined])
  })

  test('counts the misfit cells of each type, with up to three examples, for any target field', async () => {
    await importFile(portal, member, 'Age,Born\n4,2024-04-25\n', { typeCasting: true })
    const cells = [
      'n/a',
      ' 7 ',
      '-',
      'n/a',
      'true',
      '2024-04-25',
      '2024-04-25 10:00',
      '""',
      '\u00a0',
      `x${'y'.repeat(99)}`,
    ]
    const { columns } = await preview(`Age,Other\n${cells.map((cell) => `${cell},1\n`).join('')}`)
    expect(columns).toMatchObject([
      {
        effect: 'kept',
        loadedType: 'number',
        misfits: {
          number: { cells: 7, examples: ['n/a', '-', 'true'] },
          boolean: { cells: 7, examples: ['n/a', ' 7 ', '-'] },
          date: { cells: 6, examples: ['n/a', ' 7 ', '-'] },
          day: { cells: 7, examples: ['n/a', ' 7 ', '-'] },
        },
      },
      { effect: 'added', misfits: { number: { cells: 0, examples: [] }, day: { cells: 10, examples: ['1'] } } },
    ])
    const rows = cells.map((cell) => `${cell},x\n`)
    const done = await importFile(portal, member, `Age,Note\n${rows.join('')}`, { typeCasting: true })
    expect(done).toMatchObject({ setAsideCells: columns[0]?.misfits.number.cells })
    const long = (await preview(`Age\n${cells.at(-1)}\n`)).columns[0]
    expect(long?.misfits.number.examples).toEqual([`x${'y'.repeat(59)}…`])
  })

  test.each([{}, { onMismatch: 'text' }, { onMismatchByField: { AGE: 'text' } }] as const)(
    'predicts what the import does with %j',
    async (choices) => {
      await importFile(portal, member, 'Age,City\n4,Rome\n', { typeCasting: true })
      const file = 'Age,City,Score\nold,Oslo,1\n,Bern,2\n'
      const { columns } = await preview(file, choices)
      await importFile(portal, member, file, { typeCasting: true, ...choices })
      const fields = (await member.get('/contact-service/v1/fields')).json<{ name: string; type: string }[]>()
      expect(fields.map(({ name, type }) => [name, type])).toEqual(columns.map((one) => [one.name, one.loadedType]))
    },
  )

  test('reads the beginning of a large file, compressed or not', async () => {
    const file = `N\n${Array.from({ length: 300_000 }, (_, row) => row).join('\n')}\n`
    for (const content of [file, gzipSync(file)]) {
      const found = await preview(content)
      expect(found.isWhole).toBe(false)
      expect(found.sampledRows).toBeGreaterThanOrEqual(10_000)
      expect(found.sampledRows).toBeLessThan(20_000)
    }
  })

  test('shows columns with reserved names, as exports have them', async () => {
    const { columns, rows } = await preview('A,purl,_id\n1,ada,7\n')
    expect(columns.map(({ name }) => name)).toEqual(['A', 'purl', '_id'])
    expect(rows).toEqual([['1', 'ada', '7']])
  })

  test('changes nothing', async () => {
    await preview('A\n1\n')
    expect((await member.get('/contact-service/v1/fields')).body).toEqual([])
    expect((await member.get('/contact-service/v1/imports')).body).toEqual([])
  })
})

describe('a preview is refused', () => {
  test.each([
    ['', 'filePath: The file is empty.'],
    ['A,a\n1,2\n', 'filePath: The header names "a" twice: columns 1 and 2.'],
    ['A,B\n1\n2,3,4\n', 'filePath: None of the 2 rows can be loaded. Line 2: Expected 2 cells, found 1.'],
    ['A,B\n"1,2\n', 'filePath: Line 2: a quote is opened and never closed.'],
  ])('for the file %j, with the message of the import', async (content, problem) => {
    await upload(portal, member, 'contacts.csv', content)
    const answer = await member.post(path, question)
    expect(answer.status).toBe(400)
    expect(problemsOf(answer)).toEqual([problem])
  })

  test('without the right to import, and without a session', async () => {
    await upload(portal, member, 'contacts.csv', 'A\n1\n')
    const reader = await portal.member(member.account, 'contact-service::imports::get')
    expect(await reader.post(path, question)).toMatchObject({ status: 403 })
    expect(await portal.anonymous.post(path, question)).toMatchObject({ status: 401 })
  })

  test('for an upload of another account, and for invalid input', async () => {
    await upload(portal, member, 'contacts.csv', 'A\n1\n')
    const stranger = await portal.member(await portal.account())
    expect(problemsOf(await stranger.post(path, question))).toEqual([
      'filePath: No file named "contacts.csv" has been uploaded.',
    ])
    expect(await member.post(path, { ...question, fileDelimiter: 'colon' })).toMatchObject({ status: 400 })
    expect(await member.post(path, { ...question, other: 1 })).toMatchObject({ status: 400 })
  })
})

describe('the report of set-aside rows', () => {
  async function reportOf(id: string): Promise<string> {
    const { url } = (await member.get(`/contact-service/v1/imports/${id}/set-aside`)).json<{ url: string }>()
    return (await portal.app.inject({ method: 'GET', url })).body
  }

  test('can be corrected and imported again: line and reason are skipped, remaining errors are reported', async () => {
    const first = await importFile(portal, member, 'A,B\n1,2\n3\n4,5,6\n')
    const report = await reportOf(first._id)
    expect(report.replace('\uFEFF', '').split('\r\n')).toEqual([
      'Set-Aside Line,Set-Aside Reason,A,B',
      '3,"Expected 2 cells, found 1.",3',
      '4,"Expected 2 cells, found 3.",4,5,6',
      '',
    ])
    const corrected = report.replace('found 1.",3\r', 'found 1.",3,33\r')
    expect((await preview(corrected)).columns.map(({ isReport }) => isReport)).toEqual([true, true, false, false])
    const second = await ended(member, (await submit(portal, member, corrected))._id)
    expect(second).toMatchObject({ status: 'completed', processedRecords: 1, setAsideRecords: 1 })
    expect((await contactsOf(member)).map(({ A, B }) => [A, B])).toEqual([
      ['1', '2'],
      ['3', '33'],
    ])
    const fields = (await member.get('/contact-service/v1/fields')).json<{ name: string }[]>()
    expect(fields.map(({ name }) => name)).toEqual(['A', 'B'])
    expect((await reportOf(second._id)).replace('\uFEFF', '').split('\r\n')).toEqual([
      'Set-Aside Line,Set-Aside Reason,A,B',
      '3,"Expected 4 cells, found 5.",4,5,6',
      '',
    ])
  })

  test('keeps line and reason if they are mapped to fields', async () => {
    const file = 'Set-Aside Line,Set-Aside Reason,A\n7,odd,1\n'
    await importFile(portal, member, file, { columnMapping: { 'Set-Aside Reason': 'Note' } })
    expect((await contactsOf(member)).map(({ Note, A }) => [Note, A])).toEqual([['odd', '1']])
  })
})
