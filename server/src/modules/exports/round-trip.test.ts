import type { Field, FieldType } from '@portico/contract/contacts'
import { isForSpreadsheets, type TextDelimiter } from '@portico/contract/exports'
import { guardFormula } from '@portico/contract/exported-values'
import type { ImportDelimiter, NewImport } from '@portico/contract/imports'
import { isBlank } from '@portico/domain/white-space'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCsv } from '#test/kit/csv.ts'
import { createExport, downloadExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { importFile } from '#test/resources/imports.ts'
import { oddTexts, valueOf } from '#test/oracles/odd-texts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type Draw, drawsOf } from '#test/oracles/random-filters.ts'
import { unzipped } from '#test/kit/unzipped.ts'

// An export of everything, imported into an empty account and exported again, is the same file except for the portal's
// own numbers: ids of contacts and of their import.

const seed = Number(process.env['ROUND_TRIP_SEED'] ?? Date.now() % 1_000_000)

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const newMember = async (): Promise<Member> => portal.member(await portal.account())

const importDelimiters: Record<TextDelimiter, ImportDelimiter> = {
  csv: 'comma',
  tab: 'tab',
  pipe: 'pipe',
  semicolon: 'semicolon',
}
const signs: Record<TextDelimiter, string> = { csv: ',', tab: '\t', pipe: '|', semicolon: ';' }

/** Types of the columns of a random file. Their names are odd, too; line breaks and tabs are not allowed in names. */
const columns: Record<string, FieldType> = {
  Key: 'string',
  'a,b': 'string',
  'x"y|z': 'string',
  '=SUM(A1)': 'string',
  'Ünï 😀 \u00e9': 'number',
  "it's; --": 'boolean',
  'null.Day': 'date',
  Empty: 'string',
}

/** A cell as stored: composed (NFC), and empty if it contains only white space. */
const kept = (text: string): string => (isBlank(text) ? '' : text.normalize('NFC'))

/** Rows of a random file: each odd text once, then random texts; a few contacts appear twice. */
function randomRows(draw: Draw, count: number): string[][] {
  const keys = Array.from({ length: count }, (_row, at) => `key ${draw.chance(0.05) ? draw.below(at + 1) : at}`)
  const names = new Map<string, string>()
  return keys.map((key, at) => {
    const cells = Object.entries(columns).map(([name, type]) => {
      if (name === 'Key') return key
      return name === 'Empty' || draw.chance(0.15) ? '' : valueOf(type, draw)
    })
    // Values from which PURLs are made are equal in all rows of a contact, so any of its rows gives the same PURL.
    const name = names.get(key) ?? oddTexts[at] ?? cells[1] ?? ''
    names.set(key, name)
    return [key, name, ...cells.slice(2)]
  })
}

/** A file as programs write it: quoted where necessary, and sometimes where not. */
function written(rows: readonly (readonly string[])[], delimiter: TextDelimiter, draw: Draw): string {
  const cell = (text: string): string => {
    const needsQuotes = text.includes(signs[delimiter]) || /["\r\n]/.test(text)
    return needsQuotes || draw.chance(0.1) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const lineEnd = draw.one(['\n', '\r\n'])
  return rows.map((row) => row.map(cell).join(signs[delimiter]) + lineEnd).join('')
}

/** Imports a complete file: no row is set aside. */
async function load(member: Member, content: Buffer | string, changes: Partial<NewImport>): Promise<void> {
  const done = await importFile(portal, member, content, changes)
  expect(done).toMatchObject({ status: 'completed', recoveryError: null, setAsideRecords: 0 })
}

type ExportedAs = { delimiter: TextDelimiter; shouldZip: boolean }

/** Exports all fields of an account, after `internal` ones of the portal, in the form that is downloaded. */
async function exportAll(member: Member, how: ExportedAs, internal: readonly string[] = []): Promise<Buffer> {
  const fields = (await member.get('/contact-service/v1/fields')).json<Field[]>()
  const draft = exportDraft([...internal, ...fields.map(({ name }) => name)], how)
  const { _id } = await createExport(member, draft)
  expect(await endedExport(member, _id)).toMatchObject({ status: 'completed', recoveryError: null })
  const ending = how.shouldZip ? 'zip' : isForSpreadsheets(how.delimiter) ? 'csv' : 'txt'
  return (await downloadExport(portal, member, `${_id}.${ending}`)).bytes
}

async function textOf(file: Buffer, { shouldZip }: ExportedAs): Promise<string> {
  if (!shouldZip) return file.toString()
  const texts = Object.values(await unzipped(file))
  expect(texts).toHaveLength(1)
  return texts[0] ?? ''
}

/** The settings with which an exported file is imported. */
const importOf = ({ delimiter, shouldZip }: ExportedAs): Partial<NewImport> => ({
  fileDelimiter: importDelimiters[delimiter],
  filePath: `again.${shouldZip ? 'zip' : 'txt'}`,
})

const csv: ExportedAs = { delimiter: 'csv', shouldZip: false }

describe(`an export, imported and exported again (ROUND_TRIP_SEED=${seed})`, () => {
  test.each<[TextDelimiter, string, boolean, boolean]>([
    ['csv', 'plain', false, false],
    ['tab', 'zipped', false, false],
    ['pipe', 'plain', false, false],
    ['csv', 'zipped', true, true],
    ['tab', 'plain', true, true],
    ['pipe', 'zipped', true, true],
    ['csv', 'plain', true, false],
    ['tab', 'zipped', true, false],
    ['pipe', 'plain', true, false],
    ['semicolon', 'plain', false, false],
    ['semicolon', 'plain', true, true],
  ])(
    '%s, %s: the same bytes, with types cast at first (%s) and again (%s)',
    async (delimiter, packed, first, again) => {
      const how = { delimiter, shouldZip: packed === 'zipped' }
      const draw = drawsOf(seed * 1000 + delimiter.charCodeAt(0) + (first ? 300 : 0) + (again ? 600 : 0))
      const rows = randomRows(draw, 300)
      // Files with commas or semicolons are written as exports write them: an apostrophe before a formula is a guard.
      const guarded = isForSpreadsheets(delimiter) ? guardFormula : (cell: string) => cell
      const guardedRows = [Object.keys(columns), ...rows].map((row) => row.map(guarded))
      const source = written(guardedRows, delimiter, draw)
      const one = await newMember()
      await load(one, source, { fileDelimiter: importDelimiters[delimiter], typeCasting: first })
      const exported = await exportAll(one, how)
      const text = await textOf(exported, how)

      // The file equals the first one: word by word where nothing was cast.
      const [header, ...cells] = parseCsv(text, signs[delimiter])
      expect(header).toEqual(Object.keys(columns).map(guarded))
      const isText = Object.values(columns).map((type) => type === 'string' || !first)
      const texts = (table: string[][]) => table.map((row) => row.filter((_cell, at) => isText[at]))
      expect(texts(cells)).toEqual(texts(rows).map((row) => row.map((cell) => guarded(kept(cell)))))

      const other = await newMember()
      await load(other, exported, { ...importOf(how), typeCasting: again })
      expect(await textOf(await exportAll(other, how), how)).toBe(text)
      const types = (await other.get('/contact-service/v1/fields')).json<Field[]>().map(({ type }) => type)
      expect(types).toEqual(Object.values(columns).map((type) => (again ? type : 'string')))
      // The names are those of the first file too, without apostrophes.
      const fields = (await other.get('/contact-service/v1/fields')).json<Field[]>()
      expect(fields.map(({ name }) => name)).toEqual(Object.keys(columns))
    },
  )

  test('keeps its PURLs, with internal columns excluded by the column mapping', async () => {
    const purls: Partial<NewImport> = {
      generatePURL: true,
      dedupHashMatching: true,
      purlColumns: ['a,b'],
      dedupColumns: ['Key'],
      typeCasting: true,
    }
    const internal = ['_id', 'purl', 'Import', 'basePurl', 'purlNumber']
    const draw = drawsOf(seed)
    const rows = randomRows(draw, 300)
    const one = await newMember()
    await load(one, written([Object.keys(columns), ...rows], 'csv', draw), purls)
    const exported = await exportAll(one, csv, internal)
    const [header = [], ...contacts] = parseCsv(exported.toString(), ',')
    expect(header.slice(0, internal.length)).toEqual(internal)
    // One row per contact, each with its own PURL.
    expect(contacts).toHaveLength(new Set(rows.map(([key]) => key)).size)
    expect(new Set(contacts.map((cells) => cells[1])).size).toBe(contacts.length)

    const other = await newMember()
    const refused = await importFile(portal, other, exported, { typeCasting: true })
    expect(refused.recoveryError).toBe('Column 1 is named "_id", which is a reserved name. Rename it, or leave it out.')
    const stillOther = await newMember()
    const columnMapping = Object.fromEntries(internal.map((name) => [name, null]))
    await load(stillOther, exported, { ...purls, columnMapping })
    const again = parseCsv((await exportAll(stillOther, csv, internal)).toString(), ',')
    const withoutNumbers = (table: string[][]) =>
      table.map((cells) => cells.filter((_cell, at) => at !== 0 && at !== 2))
    expect(withoutNumbers(again)).toEqual(withoutNumbers([header, ...contacts]))
  })

  test('with one column has no contacts without a value', async () => {
    const one = await newMember()
    await load(one, 'A\nx\n""\n\\.\n""\n', {})
    const text = (await exportAll(one, csv)).toString()
    expect(parseCsv(text, ',')).toEqual([['A'], ['x'], ['\\.']])
    const other = await newMember()
    await load(other, text, {})
    expect((await exportAll(other, csv)).toString()).toBe(text)
  })

  test('with unguarded formulas has unchanged texts', async () => {
    const rows = oddTexts.map((text, at) => [`${at}`, text])
    const members = [await newMember(), await newMember()]
    let text = written([['No', '=Text'], ...rows], 'csv', drawsOf(seed))
    for (const member of members) {
      const settings = await member.put('/contact-service/v1/configuration/exports', { guardFormulas: false })
      expect(settings.status).toBe(200)
      await load(member, text, {})
      text = (await exportAll(member, csv)).toString()
      expect(parseCsv(text, ',')).toEqual([['No', '=Text'], ...rows.map((row) => row.map(kept))])
    }
  })

  test('with more columns than one table holds is unchanged', async () => {
    const draw = drawsOf(seed)
    const names = Array.from({ length: 320 }, (_column, at) => `Column ${at}`)
    const rows = Array.from({ length: 5 }, () =>
      names.map(() => (draw.chance(0.2) ? '' : draw.one(oddTexts.slice(0, 90)))),
    )
    const one = await newMember()
    const guardedRows = rows.map((row) => row.map(guardFormula))
    await load(one, written([names, ...guardedRows], 'csv', draw), {})
    const text = (await exportAll(one, csv)).toString()
    expect(parseCsv(text, ',')).toEqual([names, ...rows.map((row) => row.map((cell) => guardFormula(kept(cell))))])
    const other = await newMember()
    await load(other, text, {})
    expect((await exportAll(other, csv)).toString()).toBe(text)
  })
})
