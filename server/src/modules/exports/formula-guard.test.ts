import type { ExportDelimiter } from '@portico/contract/exports'
import type { ImportDelimiter } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseCsv } from '#test/kit/csv.ts'
import { createExport, downloadExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const newMember = async (): Promise<Member> => portal.member(await portal.account())
const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\n`).join('')

async function exported(member: Member, delimiter: ExportDelimiter, fields: readonly string[]): Promise<string> {
  const { _id } = await createExport(member, exportDraft([...fields], { delimiter }))
  await endedExport(member, _id)
  const ending = delimiter === 'csv' || delimiter === 'semicolon' ? 'csv' : 'txt'
  return (await downloadExport(portal, member, `${_id}.${ending}`)).text.replace('\uFEFF', '')
}

const plain = [
  '-42.50',
  '+41795550134',
  '+41 79 555 01 34',
  '+1 (415) 555-0134',
  '-',
  '- none -',
  '-1,234.56',
  '+',
  '-5%',
  '-€ 5',
  '– dash',
  '−5',
  '-5.000,00',
  '+49 (0) 30 5550134',
  '-12 °C',
  '-1 234,50',
  '+1-415-555-0134',
]
const computed = [
  '=1+1',
  '@SUM(A1)',
  '-2+3',
  `=cmd|'/C calc'!A0`,
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '＝1+1',
  `-2+3+cmd|' /C calc'!A0`,
  '+HYPERLINK("http://x")',
  '-1e5+A1',
]

test('only text that a spreadsheet would compute gets an apostrophe, in files that spreadsheets open', async () => {
  const member = await newMember()
  const rows = [...plain, ...computed].map((text, at) => [`${at}`, text])
  await importFile(portal, member, csvOf([['Key', 'Text'], ...rows]))
  const guarded = rows.map(([key, text = '']) => [key, computed.includes(text) ? `'${text}` : text])
  for (const [delimiter, sign] of [
    ['csv', ','],
    ['semicolon', ';'],
  ] as const) {
    expect(parseCsv(await exported(member, delimiter, ['Key', 'Text']), sign).slice(1)).toEqual(guarded)
  }
  for (const [delimiter, sign] of [
    ['tab', '\t'],
    ['pipe', '|'],
  ] as const) {
    expect(parseCsv(await exported(member, delimiter, ['Key', 'Text']), sign).slice(1)).toEqual(rows)
  }
})

const people = [
  ['Email', 'Phone', 'Note', 'Amount', 'Text', 'Padded'],
  ['ada@example.com', '+41 79 555 01 34', '=1+1', '12.5', 'line one\nline two', ' spaces '],
  ['bob@example.com', '+1-415-555-0134', "'quoted'", '-3', 'say "hi", please', '-'],
  ['cai@example.com', '+1 (415) 555-0199', '@cai', '0', 'tab\there', '- none -'],
  ['dee@example.com', '0441632960', '-2+3', '1000000', '\rbegins with a break', '+'],
  ['eve@example.com', '+HYPERLINK(A1)', `'=1+1`, '1', `''@x`, '=A1'],
]

test.each<[ExportDelimiter, ImportDelimiter]>([
  ['csv', 'comma'],
  ['semicolon', 'semicolon'],
  ['tab', 'tab'],
  ['pipe', 'pipe'],
])(
  'importing an export as %s again, matched by phone, changes nothing and adds no contact',
  async (delimiter, same) => {
    const member = await newMember()
    const settings = { generatePURL: true, purlColumns: ['Email'], dedupHashMatching: true, dedupColumns: ['Phone'] }
    const guarded = people.map((row) =>
      row.map((text) => (/^'+[=@]|^[=@]|^\+H|^-2|^\r/.test(text) ? `'${text}` : text)),
    )
    await importFile(portal, member, csvOf(guarded), { ...settings, typeCasting: true })
    const [fields = []] = people
    const before = await exported(member, delimiter, fields)
    const again = await importFile(portal, member, before, { ...settings, fileDelimiter: same, typeCasting: true })
    expect(again).toMatchObject({ status: 'completed', recoveryError: null, setAsideRecords: 0 })
    expect(await exported(member, delimiter, fields)).toBe(before)
    const offers = await member.get('/contact-service/v1/offers?limit=20')
    const shown = offers.json<Record<string, unknown>[]>().map((one) => fields.map((name) => String(one[name])))
    const lines = (rows: string[][]) => rows.map((row) => row.join('|')).toSorted()
    expect(lines(shown)).toEqual(lines(people.slice(1)))
  },
)
