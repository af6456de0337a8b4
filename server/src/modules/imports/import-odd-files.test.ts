import type { Import, NewImport } from '@portico/contract/imports'
import type { ImportPreview } from '@portico/contract/import-preview'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contactsOf, importFile, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Rows and cells without a value, lines that name the delimiter, and letters with two spellings, as spreadsheets write
// them.

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

/** The contacts' values, without the portal's own fields. */
async function values(): Promise<Record<string, unknown>[]> {
  return (await contactsOf(member)).map(
    ({ _id, Import: _import, basePurl: _base, purlNumber: _number, ...rest }) => rest,
  )
}

async function fieldTypes(): Promise<Record<string, string>> {
  const fields = (await member.get('/contact-service/v1/fields')).json<{ name: string; type: string }[]>()
  return Object.fromEntries(fields.map(({ name, type }) => [name, type]))
}

async function count(condition: object): Promise<number> {
  const find = encodeURIComponent(JSON.stringify([{ $match: condition }]))
  return (await member.get(`/contact-service/v1/offers?find=${find}&count=`)).json<{ count: number }>().count
}

async function preview(content: string, changes: Partial<NewImport> = {}): Promise<ImportPreview> {
  await upload(portal, member, 'contacts.csv', content)
  const body = { filePath: 'contacts.csv', fileDelimiter: 'comma', typeCasting: true, ...changes }
  const reply = await member.post('/contact-service/v1/imports/preview', body)
  expect(reply.status).toBe(200)
  return reply.json<ImportPreview>()
}

const byEmail: Partial<NewImport> = { dedupColumns: ['Email'], typeCasting: true }
/** Every kind of white space in quotes, as a cell of a comma-separated file. */
const spaces = [' ', '" "', '"\t"', '\u00a0', '\u3000', '"\r\n"', '"\n \t"', '\u200b', '\ufeff', '\u00ad', '\u2028']

describe('rows without a value', () => {
  test.each<[string, string, Partial<NewImport>]>([
    [
      'comma',
      'First Name,Email,City\r\nAda,ada@x.org,Paris\r\n,,\r\n,,\r\nBob,bob@x.org,Rome\r\n,,\r\n" ",  ,""\r\n',
      {},
    ],
    [
      'semicolon',
      'Name;Mail\nAda;ada@x.org\n;\n;\n;;;\nBob;bob@x.org\n \u00a0;"\u3000"\n',
      { fileDelimiter: 'semicolon' },
    ],
    ['tab', 'Name\tMail\nAda\tada@x.org\n\t\n\t\t\n" "\t\nBob\tbob@x.org\n  \n', { fileDelimiter: 'tab' }],
    ['pipe', '|\nName|Mail\nAda|ada@x.org\n|\n |\nBob|bob@x.org\n|""\n', { fileDelimiter: 'pipe' }],
  ])('are skipped and counted, with %s', async (_name, content, changes) => {
    const seen = await preview(content, changes)
    expect(seen).toMatchObject({ sampledRows: 2, setAsideRows: 0, emptyRows: 4 })
    const done = await importFile(portal, member, content, changes)
    expect(done).toMatchObject({ status: 'completed', totalRecords: 2, createdRecords: 2, setAsideRecords: 0 })
    expect(done).toMatchObject({ emptyRecords: 4, fileDelimiter: changes.fileDelimiter ?? 'comma' })
    expect(await values()).toHaveLength(2)
  })

  test('get no PURL, and match no contact in later imports', async () => {
    const settings = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
    const content = 'First Name,Last Name,Email\nAda,Byron,ada@x.org\n,,\n,,\n'
    for (const emptyRecords of [2, 2]) {
      expect(await importFile(portal, member, content, settings)).toMatchObject({ totalRecords: 1, emptyRecords })
    }
    expect(await contactsOf(member)).toMatchObject([{ Email: 'ada@x.org', basePurl: 'adabyron', purlNumber: 1 }])
  })

  test('reject a file that has no other rows', async () => {
    const refused = await importFile(portal, member, 'A,B\n,\n" ",\n')
    const recoveryError = 'The file has only a header and empty rows, and nothing to import.'
    expect(refused).toMatchObject({ status: 'rejected', recoveryError })
    expect(await contactsOf(member)).toEqual([])
  })

  test('can be used to find their imports', async () => {
    await importFile(portal, member, 'A,B\n1,2\n,\n')
    await importFile(portal, member, 'A,B\n1,2\n')
    const find = encodeURIComponent(JSON.stringify([{ $match: { emptyRecords: { $gt: 0 } } }]))
    const found = (await member.get(`/contact-service/v1/imports?find=${find}`)).json<Import[]>()
    expect(found.map(({ emptyRecords }) => emptyRecords)).toEqual([1])
  })
})

describe('a cell of only white space', () => {
  test('is empty: it has no value, and does not affect types', async () => {
    const rows = spaces.map((space, at) => `${at}@x.org,${space},${space},${space},${space}`)
    const content = `Email,Score,Optin,Born,City\na@x.org,5,true,2024-01-31,Paris\n${rows.join('\n')}\nc@x.org,7,false,2024-02-01,Rome\n`
    await importFile(portal, member, content, byEmail)
    expect(await fieldTypes()).toEqual({
      Email: 'string',
      Score: 'number',
      Optin: 'boolean',
      Born: 'day',
      City: 'string',
    })
    expect(await count({ City: { $eq: '' } })).toBe(spaces.length)
    expect(await count({ Score: { $gt: 0 } })).toBe(2)
  })

  test('overwrites nothing, in a first or later import', async () => {
    await importFile(portal, member, 'Email,Score,City\na@x.org,5,Paris\na@x.org, ,"\t"\n', byEmail)
    const [kept] = await values()
    expect(kept).toEqual({ Email: 'a@x.org', Score: 5, City: 'Paris' })
    for (const space of spaces) {
      const done = await importFile(portal, member, `Email,Score,City\na@x.org,${space},${space}\n`, byEmail)
      expect(done).toMatchObject({ unchangedRecords: 1, updatedRecords: 0 })
    }
    expect(await values()).toEqual([kept])
    expect(await fieldTypes()).toEqual({ Email: 'string', Score: 'number', City: 'string' })
  })

  test('does not affect the type in the preview', async () => {
    const { columns } = await preview('Email,Score\na@x.org,5\nb@x.org," \u00a0"\n')
    expect(columns.map(({ type }) => type)).toEqual(['string', 'number'])
  })

  test('is unlike white space within or around a value, which is kept', async () => {
    await importFile(portal, member, 'A,B\n" x y ",\u00a0z\u3000\n', {})
    expect(await values()).toEqual([{ A: ' x y ', B: '\u00a0z\u3000' }])
  })
})

describe('the line that names the delimiter', () => {
  test.each([
    ['sep=;\r\n', ';', 'semicolon'],
    ['"sep=;"\r\n', ';', 'semicolon'],
    ['sep=,\n', ',', 'comma'],
    ['\ufeffsep=\t\n', '\t', 'tab'],
    ['\ufeff"sep=|"\n', '|', 'pipe'],
  ] as const)('%j is no header, and decides', async (line, sign, name) => {
    const content = `${line}Email${sign}Name\r\nada@x.org${sign}"Ada, B"\r\nragged\r\nbob@x.org${sign}Bob\r\n`
    const fileDelimiter = name === 'comma' ? 'pipe' : 'comma'
    expect((await preview(content, { fileDelimiter })).columns.map((column) => column.name)).toEqual(['Email', 'Name'])
    const done = await importFile(portal, member, content, { ...byEmail, fileDelimiter })
    expect(done).toMatchObject({
      status: 'completed',
      createdRecords: 2,
      fileDelimiter: name,
      header: ['Email', 'Name'],
    })
    expect(await values()).toEqual([
      { Email: 'ada@x.org', Name: 'Ada, B' },
      { Email: 'bob@x.org', Name: 'Bob' },
    ])
    // The lines keep their numbers.
    expect((await preview(content, { fileDelimiter })).setAside).toMatchObject([{ line: 4 }])
    expect((await importFile(portal, member, content, { ...byEmail, fileDelimiter })).unchangedRecords).toBe(2)
  })

  test('is refused if it names an unsupported delimiter', async () => {
    const done = await importFile(portal, member, 'sep=:\nEmail:Name\n')
    expect(done).toMatchObject({
      status: 'rejected',
      recoveryError: expect.stringContaining('":" separates the cells'),
    })
  })
})

describe('decomposed letters', () => {
  const composed = 'Pr\u00e9nom,Ville,Email\nZo\u00e9,Orl\u00e9ans,zo\u00e9@x.org\n'
  const decomposed = composed.normalize('NFD')

  test.each([
    ['later', [composed, decomposed]],
    ['first', [decomposed, composed]],
  ])('imported %s match the same field and contact', async (_name, files) => {
    for (const file of files) await importFile(portal, member, file, byEmail)
    expect(await fieldTypes()).toEqual({ 'Pr\u00e9nom': 'string', Ville: 'string', Email: 'string' })
    expect(await values()).toEqual([{ 'Pr\u00e9nom': 'Zo\u00e9', Ville: 'Orl\u00e9ans', Email: 'zo\u00e9@x.org' }])
  })

  test('in one file make one contact and one group', async () => {
    await importFile(portal, member, 'Name,City\nZoe\u0301,Orle\u0301ans\nZo\u00e9,Orl\u00e9ans\n', {
      dedupColumns: ['Name'],
    })
    expect(await values()).toEqual([{ Name: 'Zo\u00e9', City: 'Orl\u00e9ans' }])
    await importFile(portal, member, 'Name,City\nMax,Orle\u0301ans\n', { dedupColumns: ['Name'] })
    const stages = JSON.stringify([{ $group: { _id: '$City', value: { $sum: 1 } } }])
    const groups = (await member.get(`/contact-service/v1/offers?aggregate=${encodeURIComponent(stages)}`)).body
    expect(groups).toEqual([{ _id: 'Orl\u00e9ans', value: 2 }])
  })

  test('are found by conditions in either form', async () => {
    await importFile(portal, member, decomposed, byEmail)
    for (const form of ['NFC', 'NFD']) {
      const city = 'Orl\u00e9ans'.normalize(form)
      expect(await count({ Ville: { $eq: city } })).toBe(1)
      expect(await count({ Ville: { $in: ['Bern', city] } })).toBe(1)
      expect(await count({ Ville: { $nin: [city] } })).toBe(0)
      for (const pattern of [
        `^${'Orl\u00e9'.normalize(form)}`,
        '\u00e9an'.normalize(form),
        `${'\u00e9ans'.normalize(form)}$`,
      ]) {
        expect(await count({ Ville: { $regex: pattern } })).toBe(1)
      }
    }
  })

  test('in events are composed, and found in either form', async () => {
    await importFile(portal, member, composed, byEmail)
    const [contact] = await contactsOf(member)
    const event = { event_code: 'visite\u0301', event_date: '2026-05-06T07:08:09Z', lieu: 'Orle\u0301ans' }
    expect((await member.post(`/contact-service/v1/offers/${contact?._id}/events`, event)).status).toBe(201)
    for (const form of ['NFC', 'NFD']) {
      const wanted = { event_code: 'visit\u00e9'.normalize(form), lieu: 'Orl\u00e9ans'.normalize(form) }
      expect(await count({ events: { $elemMatch: wanted } })).toBe(1)
    }
  })

  test('are matched in settings that name columns', async () => {
    const settings = {
      dedupColumns: ['Pr\u00e9nom'.normalize('NFD'), '\u200bVille\u00a0'],
      columnMapping: { ['Pr\u00e9nom'.normalize('NFD')]: 'Surnom e\u0301\ufeff' },
    }
    const done = await importFile(portal, member, composed, settings)
    expect(done.recoveryError).toBeNull()
    expect(Object.keys(await fieldTypes())).toEqual(['Surnom \u00e9', 'Ville', 'Email'])
  })
})
