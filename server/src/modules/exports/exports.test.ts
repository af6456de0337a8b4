import type { FieldType } from '@portico/contract/contacts'
import type { Export, NewExport } from '@portico/contract/exports'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts, type FieldValues } from '#test/contacts.ts'
import { parseCsv } from '#test/csv.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'

const path = '/contact-service/v1/exports'
const types: Record<string, FieldType> = { 'First Name': 'string', Age: 'number', Member: 'boolean', Since: 'date' }
const contacts: FieldValues[] = [
  { 'First Name': 'Zoë', Age: 31.5, Member: true, Since: '2026-01-31T00:00:00Z' },
  { 'First Name': '=1+1', Age: -7, Member: false },
  { 'First Name': 'O"Neil, "Bob"\nx', Age: 1e15, Since: '2025-12-31T23:30:00.25Z' },
  {},
]
const header = 'First Name,Age,Member,Since,purl,Import'
const everything = ['First Name', 'Age', 'Member', 'Since', 'purl', 'Import']
const lines = [
  `Zoë,31.5,true,2026-01-31T00:00:00.000Z,zoe,7`,
  `'=1+1,-7,false,,zoe2,7`,
  `"O""Neil, ""Bob""\nx",1000000000000000,,2025-12-31T23:30:00.250Z,,7`,
  `,,,,,7`,
]

let portal: TestPortal
let account: number
let member: Member
let ids: string[]

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  member = await portal.member(account)
  ids = await addContacts(portal.parts.database, account, types, contacts, (at) => ({
    importId: 7,
    ...(at < 2 && { purl: { base: 'zoe', number: at + 1 } }),
  }))
})
afterAll(() => portal.close())

let names = 0
const draft = (more: Partial<NewExport> = {}): NewExport => ({
  name: `Export ${++names}`,
  delimiter: 'csv',
  exportFields: everything,
  ...more,
})

async function create(more: Partial<NewExport> = {}, by = member): Promise<Export> {
  const answer = await by.post(path, draft(more))
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<Export>()
}

const ended = async (id: string, by = member): Promise<Export> => {
  await expect
    .poll(async () => (await by.get(`${path}/${id}`)).json<Export>().status, { timeout: 30_000, interval: 50 })
    .toMatch(/completed|rejected/)
  return (await by.get(`${path}/${id}`)).json<Export>()
}

async function download(file: string, by = member): Promise<{ text: string; disposition: unknown; type: unknown }> {
  const { url } = (await by.get(`/contact-service/v1/downloads/${file}`)).json<{ url: string }>()
  const reply = await portal.app.inject({ url })
  expect(reply.statusCode).toBe(200)
  return { text: reply.body, disposition: reply.headers['content-disposition'], type: reply.headers['content-type'] }
}

describe('before anybody works', () => {
  test('an export waits, with everything that was asked for', async () => {
    const aggregateQuery = JSON.stringify([{ $match: { Age: { $gt: 0 } } }])
    const made = await create({
      name: '  Monthly list ',
      exportFields: ['first name', '_id'],
      delimiter: 'pipe',
      aggregateQuery,
    })
    expect(made).toEqual({
      _id: made._id,
      accountId: account,
      name: 'Monthly list',
      creationDate: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      creator: member.email,
      status: 'waiting',
      processedRecords: 0,
      totalRecords: null,
      startDate: null,
      lastActivityDate: null,
      delimiter: 'pipe',
      databaseName: `account_${account}`,
      recoveryCount: 0,
      recoveryError: null,
      exportFields: ['First Name', '_id'],
      aggregateQuery,
      fileSize: null,
    })
    expect((await member.get(`${path}/${made._id}`)).body).toEqual(made)
    expect((await member.get(`/contact-service/v1/downloads/${made._id}.txt`)).body).toMatchObject({
      error: { code: 'not_ready' },
    })
    expect((await member.put(`${path}/${made._id}`, { cancel: true })).body).toMatchObject({
      status: 'rejected',
      recoveryError: 'cancelled by the user',
    })
    expect((await member.put(`${path}/${made._id}`, { cancel: true })).body).toMatchObject({
      error: { code: 'not_cancellable' },
    })
  })

  test.each<[string, object, object]>([
    [
      'a short name',
      { name: 'abcd' },
      { code: 'invalid_input', details: [{ field: 'name', message: 'Name should have more than 5 charecters' }] },
    ],
    ['no fields', { exportFields: [] }, { details: [{ field: 'exportFields', message: 'Value is required!' }] }],
    [
      'a field that does not exist',
      { exportFields: ['Age', 'Agee'] },
      { details: [{ field: 'exportFields', message: 'Value is invalid! There is no field "Agee".' }] },
    ],
    [
      'a field named twice',
      { exportFields: ['Age', 'age'] },
      { details: [{ field: 'exportFields', message: 'Value is duplicate! "Age" is named twice.' }] },
    ],
    ['an internal part that is no value', { exportFields: ['events'] }, { details: [{ field: 'exportFields' }] }],
    ['another delimiter', { delimiter: 'comma' }, { details: [{ field: 'delimiter' }] }],
    [
      'what it does not know',
      { shouldZip: true },
      { details: [{ field: 'shouldZip', message: 'This field is not known.' }] },
    ],
    [
      'a filter that is not JSON',
      { aggregateQuery: '[{' },
      { code: 'invalid_filter', message: expect.stringContaining('The filter is not JSON') },
    ],
    [
      'a filter that is no list',
      { aggregateQuery: '{"$match":{}}' },
      { code: 'invalid_filter', message: 'Should be an array' },
    ],
    ['a filter with something else in it', { aggregateQuery: '[1]' }, { code: 'invalid_filter' }],
    [
      'an unknown operator',
      { aggregateQuery: '[{"$match":{"Age":{"$near":1}}}]' },
      { code: 'invalid_filter', message: 'Unknown Operator: "$near"' },
    ],
    [
      'an unknown stage',
      { aggregateQuery: '[{"$out":"x"}]' },
      { code: 'invalid_filter', message: 'Unknown Operator: "$out"' },
    ],
    [
      'an expression that only the database refuses',
      { aggregateQuery: '[{"$match":{"First Name":{"$regex":"(?<a>b)"}}}]' },
      { code: 'invalid_filter', message: expect.stringContaining('invalid regular expression') },
    ],
    [
      'stages in an order that means something else',
      { aggregateQuery: '[{"$limit":1},{"$match":{}}]' },
      { code: 'invalid_filter', message: '"$match" has to stand before "$limit".' },
    ],
    [
      'a projection without the fields',
      { aggregateQuery: '[{"$project":{"Age":1}}]' },
      { code: 'invalid_filter', message: '"$project" leaves out "First Name", which is to be exported.' },
    ],
  ])('%s is refused', async (_what, more, error) => {
    const answer = await member.post(path, { ...draft(), ...more })
    expect([answer.status, answer.body]).toMatchObject([400, { error }])
  })

  test('a name is taken once, whatever its letters', async () => {
    const { name } = await create({ name: 'Straße ÉTÉ' })
    const answer = await member.post(path, draft({ name: name.toLowerCase() }))
    expect([answer.status, answer.body]).toMatchObject([
      409,
      { error: { code: 'name_taken', details: [{ field: 'name' }] } },
    ])
    const twice = await Promise.all([1, 2, 3].map(() => member.post(path, draft({ name: 'At the same time' }))))
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('who may export', () => {
  test('an action for each call, and only the own account', async () => {
    const { _id } = await create()
    const calls = (by: Pick<Member, 'get' | 'post' | 'put'>) => [
      by.get(path),
      by.get(`${path}/${_id}`),
      by.post(path, draft()),
      by.put(`${path}/${_id}`, { cancel: true }),
      by.get(`/contact-service/v1/downloads/${_id}.csv`),
    ]
    const statuses = async (by: Pick<Member, 'get' | 'post' | 'put'>) =>
      (await Promise.all(calls(by))).map(({ status }) => status)
    expect(await statuses(portal.anonymous)).toEqual([401, 401, 401, 401, 401])
    expect(await statuses(await portal.member(account, 'contact-service::imports::get'))).toEqual([
      403, 403, 403, 403, 403,
    ])
    // Another account has neither the export nor its fields.
    const stranger = await portal.member(await portal.account())
    expect(await statuses(stranger)).toEqual([200, 404, 400, 404, 404])
    expect((await stranger.get(path)).body).toEqual([])
    for (const id of ['0', 'abc', '-1', '99999999999999999999', `${_id}'`]) {
      expect([id, (await member.get(`${path}/${encodeURIComponent(id)}`)).status]).toEqual([id, 404])
    }
  })
})

describe('the list', () => {
  test('comes newest first, and may be filtered, sorted, paged and counted', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    await addContacts(portal.parts.database, own, { A: 'string' }, [])
    for (const name of ['banana', 'Cherry', 'apple']) await create({ name, exportFields: ['A'] }, by)
    const listed = async (query: string) => (await by.get(`${path}?${query}`)).json<Export[]>().map(({ name }) => name)
    const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
    expect(await listed('')).toEqual(['apple', 'Cherry', 'banana'])
    expect(await listed(`sort=${json({ name: 1 })}&limit=2`)).toEqual(['apple', 'banana'])
    expect(await listed(`sort=${json({ status: 1 })}&skip=1`)).toEqual(['Cherry', 'banana'])
    expect(await listed(`find=${json([{ $match: { name: { $regex: 'CHE', $options: 'i' } } }])}`)).toEqual(['Cherry'])
    expect(await listed(`find=${json([{ $match: { status: 'completed' } }])}`)).toEqual([])
    expect(
      (await by.get(`${path}?count=&find=${json([{ $match: { creationDate: { $gt: '2020-01-01' } } }])}`)).body,
    ).toEqual({ count: 3 })
    for (const query of [
      `find=${json([{ $match: { file_key: 'x' } }])}`,
      `sort=${json({ cancel_requested: 1 })}`,
      'select=name',
    ]) {
      expect([query, (await by.get(`${path}?${query}`)).status]).toEqual([query, 400])
    }
  })
})

describe('the file', () => {
  beforeAll(() => portal.startWorker())

  test('holds every contact, in the order they came, with values as the API gives them', async () => {
    const { _id } = await create({ name: 'Všechno "new"' })
    expect(await ended(_id)).toMatchObject({
      status: 'completed',
      processedRecords: 4,
      totalRecords: 4,
      recoveryCount: 0,
      recoveryError: null,
      fileSize: Buffer.byteLength([header, ...lines, ''].join('\n')),
      startDate: expect.any(String) as string,
      lastActivityDate: expect.any(String) as string,
    })
    const { text, disposition, type } = await download(`${_id}.csv`)
    expect(text).toBe([header, ...lines, ''].join('\n'))
    expect(disposition).toMatch(/^attachment; .*filename\*=UTF-8''V%C5%A1echno/)
    expect(type).toMatch(/^text\/csv/)
    expect((await member.get(`/contact-service/v1/downloads/${_id}.txt`)).status).toBe(404)
    expect((await member.get(`/contact-service/v1/downloads/${_id}`)).status).toBe(404)
    expect((await member.put(`${path}/${_id}`, { cancel: true })).status).toBe(409)
  })

  test('takes other delimiters, and is a .txt then', async () => {
    const { _id } = await create({ delimiter: 'pipe', exportFields: ['_id', 'First Name', 'purlNumber'] })
    await ended(_id)
    const { text } = await download(`${_id}.txt`)
    expect(text).toBe(
      `_id|First Name|purlNumber\n${ids[0]}|Zoë|1\n${ids[1]}|'=1+1|2\n${ids[2]}|"O""Neil, ""Bob""\nx"|\n${ids[3]}||\n`,
    )
    expect((await member.get(`/contact-service/v1/downloads/${_id}.csv`)).status).toBe(404)
  })

  test.each<[string, unknown[], number[]]>([
    ['what matches', [{ $match: { Age: { $gt: 0 } } }, { $match: { Import: '7' } }], [0, 2]],
    ['what has no value', [{ $match: { 'first name': null } }], [3]],
    ['nothing, when nothing matches', [{ $match: { purl: 'nobody' } }], []],
    ['what is asked for, sorted', [{ $sort: { Age: -1 } }, { $limit: 3 }], [2, 0, 1]],
    ['a page', [{ $skip: 1 }, { $limit: 2 }], [1, 2]],
    ['everything, when the filter is empty', [], [0, 1, 2, 3]],
    ['everything, when the condition is empty', [{ $match: {} }], [0, 1, 2, 3]],
    [
      'a projection of the same fields',
      [{ $match: { purl: 'zoe2' } }, { $project: Object.fromEntries(everything.map((name) => [name, 1])) }],
      [1],
    ],
  ])('holds %s', async (_what, stages, expected) => {
    const { _id } = await create({ aggregateQuery: JSON.stringify(stages) })
    expect(await ended(_id)).toMatchObject({
      status: 'completed',
      totalRecords: expected.length,
      processedRecords: expected.length,
    })
    expect((await download(`${_id}.csv`)).text).toBe([header, ...expected.map((at) => lines[at]), ''].join('\n'))
  })

  test('reads fields of all tables that the columns are spread over', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    const wide = Object.fromEntries(Array.from({ length: 601 }, (_, at) => [`Column ${at + 1}`, 'number' as const]))
    const row = Object.fromEntries(Object.keys(wide).map((name, at) => [name, at]))
    await addContacts(portal.parts.database, own, wide, [row, { 'Column 601': -1 }])
    const all = await create({ exportFields: Object.keys(wide) }, by)
    const aggregateQuery = JSON.stringify([{ $match: { 'Column 301': 300 } }])
    const some = await create({ exportFields: ['Column 601', 'Column 2'], aggregateQuery }, by)
    await ended(all._id, by)
    await ended(some._id, by)
    expect(parseCsv((await download(`${all._id}.csv`, by)).text, ',')).toEqual([
      Object.keys(wide),
      Object.values(row).map(String),
      [...Array.from({ length: 600 }, () => ''), '-1'],
    ])
    expect((await download(`${some._id}.csv`, by)).text).toBe('Column 601,Column 2\n600,1\n')
  })

  test('gives back what is stored, whatever it is', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    const odd = fc.oneof(
      fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        '\t',
        '\r',
        '"',
        '""',
        ',',
        '|',
        '\n',
        '\r\n',
        ' ',
        '\\',
        '\\.',
        '\\N',
        'NULL',
        "'",
        '-5',
        '+1',
        '=A1',
        'é',
        '𝄞',
        '\u2028',
        '\ufeff',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    )
    // PostgreSQL's text holds neither the character zero nor halves of pairs.
    const text = fc
      .array(odd, { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed())
      .filter((joined) => joined !== '')
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })
    const contact = fc.record<FieldValues>({
      'a,"b"\n|\t': optional(text),
      Text: optional(text),
      Number: optional(
        fc.oneof(
          fc.integer(),
          fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => Number(number.toPrecision(15)) + 0),
        ),
      ),
      Flag: optional(fc.boolean()),
      Date: optional(
        fc
          .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
          .map((date) => date.toISOString()),
      ),
      'More text': optional(text),
    })
    const rows = fc.sample(contact, 300)
    const fields: Record<string, FieldType> = {
      'a,"b"\n|\t': 'string',
      Text: 'string',
      Number: 'number',
      Flag: 'boolean',
      Date: 'date',
      'More text': 'string',
    }
    await addContacts(portal.parts.database, own, fields, rows)
    const isGuarded = (value: string) => /^[=+\-@\t\r]/.test(value) && !/^[+-](\d{1,38}\.?\d*|\.\d+)$/.test(value)
    const shown = (name: string, value: FieldValues[string] | undefined) => {
      if (value === null || value === undefined) return ''
      if (fields[name] !== 'string') return value
      return isGuarded(String(value)) ? `'${String(value)}` : value
    }
    for (const [delimiter, separator, ending] of [
      ['csv', ',', 'csv'],
      ['tab', '\t', 'txt'],
      ['pipe', '|', 'txt'],
    ] as const) {
      const { _id } = await create({ delimiter, exportFields: Object.keys(fields) }, by)
      expect(await ended(_id, by)).toMatchObject({ status: 'completed', processedRecords: 300 })
      const [names, ...read] = parseCsv((await download(`${_id}.${ending}`, by)).text, separator)
      expect(names).toEqual(Object.keys(fields))
      const values = read.map((cells) =>
        cells.map((cell, at) =>
          cell !== '' && at === 2 ? Number(cell) : cell === 'true' || cell === 'false' ? cell === 'true' : cell,
        ),
      )
      expect(values).toEqual(rows.map((row) => Object.keys(fields).map((name) => shown(name, row[name]))))
      for (const cells of read) expect(cells[2]).not.toMatch(/e/i)
    }
  })

  test('is written down in the audit log', async () => {
    const { _id, name } = await create()
    const { rows } = await portal.parts.database.pool.query(
      `SELECT actor, action, details->>'name' AS name FROM portico.audit_log WHERE account_id = $1 AND subject = $2 AND action LIKE 'export %'`,
      [account, _id],
    )
    expect(rows).toEqual([{ actor: member.email, action: 'export created', name }])
  })
})
