import type { FieldType } from '@portico/contract/contacts'
import { type ExportDelimiter, isForSpreadsheets, type NewExport } from '@portico/contract/exports'
import { guardFormula } from '@portico/contract/exported-values'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts, type FieldValues } from '#test/resources/contacts.ts'
import { parseCsv } from '#test/kit/csv.ts'
import { createExport, downloadExport, endedExport, exportDraft, exportsPath as path } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const types: Record<string, FieldType> = { 'First Name': 'string', Age: 'number', Member: 'boolean', Since: 'date' }
const contacts: FieldValues[] = [
  { 'First Name': 'Zoë', Age: 31.5, Member: true, Since: '2026-01-31T00:00:00Z' },
  { 'First Name': '=1+1', Age: -7, Member: false },
  { 'First Name': 'O"Neil, "Bob"\nx', Age: 1e15, Since: '2025-12-31T23:30:00.25Z' },
  {},
]
const everything = ['First Name', 'Age', 'Member', 'Since', 'purl', 'Import']
const header = 'First Name,Age,Member,Since,purl,Import'
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
  await portal.startWorker()
})
afterAll(() => portal.close())

const create = (more: Partial<NewExport> = {}, by = member) => createExport(by, exportDraft(everything, more))
const ended = (id: string, by = member) => endedExport(by, id)
const download = (file: string, by = member) => downloadExport(portal, by, file)

test.each([
  ['csv', undefined, true],
  ['semicolon', undefined, true],
  ['tab', undefined, false],
  ['pipe', undefined, false],
  ['csv', false, false],
  ['tab', true, true],
] as const)('%s with byteOrderMark %s: the file has one (%s)', async (delimiter, byteOrderMark, hasMark) => {
  const created = await create({ delimiter, byteOrderMark, exportFields: ['First Name'] })
  expect(created.byteOrderMark).toBe(hasMark)
  await ended(created._id)
  const ending = delimiter === 'csv' || delimiter === 'semicolon' ? 'csv' : 'txt'
  const { bytes } = await download(`${created._id}.${ending}`)
  expect(bytes.toString('utf8').split('\n')[0]).toBe(`${hasMark ? '\uFEFF' : ''}First Name`)
})

describe('the file', () => {
  test('contains every contact in order of creation, with values as in the API', async () => {
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

  test('with another delimiter is a .txt', async () => {
    const { _id } = await create({ delimiter: 'pipe', exportFields: ['_id', 'First Name', 'purlNumber'] })
    await ended(_id)
    const { text } = await download(`${_id}.txt`)
    expect(text).toBe(
      `_id|First Name|purlNumber\n${ids[0]}|Zoë|1\n${ids[1]}|=1+1|2\n${ids[2]}|"O""Neil, ""Bob""\nx"|\n${ids[3]}||\n`,
    )
    expect((await member.get(`/contact-service/v1/downloads/${_id}.csv`)).status).toBe(404)
  })

  test('with semicolons is a .csv, and older clients can download it as .txt', async () => {
    const { _id, name } = await create({ delimiter: 'semicolon', exportFields: ['First Name'] })
    await ended(_id)
    const [file, again] = [await download(`${_id}.csv`), await download(`${_id}.txt`)]
    expect(again).toEqual(file)
    expect(again.disposition).toContain(`${name}.csv`)
    expect((await member.get(`/contact-service/v1/downloads/${_id}.xlsx`)).status).toBe(404)
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
  ])('contains %s', async (_what, stages, expected) => {
    const { _id } = await create({ aggregateQuery: JSON.stringify(stages) })
    expect(await ended(_id)).toMatchObject({
      status: 'completed',
      totalRecords: expected.length,
      processedRecords: expected.length,
    })
    expect((await download(`${_id}.csv`)).text).toBe([header, ...expected.map((at) => lines[at]), ''].join('\n'))
  })

  test('contains fields from every table of the contacts', async () => {
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

  test('contains random values exactly as stored', async () => {
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
    // PostgreSQL's text cannot hold the character zero or unpaired surrogates.
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
    const shown = (name: string, value: FieldValues[string] | undefined, delimiter: ExportDelimiter) => {
      if (value === null || value === undefined) return ''
      return fields[name] === 'string' && isForSpreadsheets(delimiter) ? guardFormula(String(value)) : value
    }
    for (const [delimiter, separator, ending] of [
      ['csv', ',', 'csv'],
      ['tab', '\t', 'txt'],
      ['pipe', '|', 'txt'],
      ['semicolon', ';', 'csv'],
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
      expect(values).toEqual(rows.map((row) => Object.keys(fields).map((name) => shown(name, row[name], delimiter))))
      for (const cells of read) expect(cells[2]).not.toMatch(/e/i)
    }
  })
})
