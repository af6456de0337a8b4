import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Import, NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { contactsOf, ended, importFile, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Files that break importers, through the whole portal: upload, job, contacts.

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

/** Imports and returns the contacts' values, without the portal's own fields. */
async function loaded(content: Buffer | string, changes: Partial<NewImport> = {}) {
  const done = await importFile(portal, member, content, changes)
  expect(done.recoveryError).toBeNull()
  return (await contactsOf(member)).map(({ _id, Import: _import, ...fields }) => fields)
}

/** Imports and returns the reason for the rejection; expects that nothing was loaded. */
async function refusal(content: Buffer | string, changes: Partial<NewImport> = {}): Promise<string | null> {
  const done = await importFile(portal, member, content, changes)
  expect(done.status).toBe('rejected')
  expect(await contactsOf(member)).toEqual([])
  return done.recoveryError
}

async function setAsideRows(done: Import): Promise<string[]> {
  const { url } = (await member.get(`/contact-service/v1/imports/${done._id}/set-aside`)).json<{ url: string }>()
  const report = await portal.app.inject({ method: 'GET', url })
  return report.body.replace('\uFEFF', '').trimEnd().split('\r\n')
}

function zipOf(files: Record<string, string>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name)
  zip.end()
  return buffer(zip.outputStream)
}

const table = 'Name,City\nZoë,Zürich\n'
const rows = [{ Name: 'Zoë', City: 'Zürich' }]

describe('encodings', () => {
  test.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${table}`)],
    ['UTF-16 little endian', Buffer.from(`\uFEFF${table}`, 'utf16le')],
    ['UTF-16 big endian', Buffer.from(`\uFEFF${table}`, 'utf16le').swap16()],
    ['Windows-1252', Buffer.from(table, 'latin1')],
  ])('%s', async (_name, content) => {
    expect(await loaded(content)).toEqual(rows)
  })
})

describe('line endings and quotes', () => {
  test('CRLF and LF mixed, no newline at the end', async () => {
    expect(await loaded('A,B\r\n1,2\n3,4\r\n5,6')).toEqual([
      { A: '1', B: '2' },
      { A: '3', B: '4' },
      { A: '5', B: '6' },
    ])
  })

  test('quoted cells with delimiters, line breaks and quotes', async () => {
    expect(await loaded('A,B\n"x, y","line one\nline ""two"""\n5" pipe,\n')).toEqual([
      { A: 'x, y', B: 'line one\nline "two"' },
      { A: '5" pipe' },
    ])
  })

  test('tab, pipe and semicolon as delimiters', async () => {
    expect(await loaded('A\tB\n1,1\t2\n', { fileDelimiter: 'tab' })).toEqual([{ A: '1,1', B: '2' }])
    member = await portal.member(await portal.account())
    expect(await loaded('A|B\n1,1|2\n', { fileDelimiter: 'pipe' })).toEqual([{ A: '1,1', B: '2' }])
    member = await portal.member(await portal.account())
    expect(await loaded('A;B\n1,1;"2;3"\n', { fileDelimiter: 'semicolon' })).toEqual([{ A: '1,1', B: '2;3' }])
    member = await portal.member(await portal.account())
    const dedup = { generatePURL: true, purlColumns: ['A'], dedupColumns: ['A'], fileDelimiter: 'semicolon' as const }
    await importFile(portal, member, 'A;B\nx;1\n', dedup)
    await importFile(portal, member, 'A;B\nx;"2;3"\n', dedup)
    expect(await contactsOf(member)).toMatchObject([{ A: 'x', B: '2;3' }])
  })
})

describe('rows that cannot be loaded', () => {
  test('are set aside with line and reason, and the rest is loaded', async () => {
    const done = await importFile(portal, member, 'A,B\n1,2\n3\n"4\n4",5,6\n7,8\n9,\u0000\n')
    expect(done).toMatchObject({ status: 'completed', processedRecords: 2, setAsideRecords: 3 })
    const [header, ...lines] = await setAsideRows(done)
    expect(header).toBe('Set-Aside Line,Set-Aside Reason,A,B')
    expect(lines.join('\n')).toMatch(
      /^3,"?Expected 2 cells, found 1\."?,3\n4,"?Expected 2 cells, found 3\."?,"4\n4",5,6\n7,/,
    )
  })

  test('reject a file that has no other rows: no fields are created, and the report remains', async () => {
    const done = await importFile(portal, member, 'A,B\n1\n2,3,4\n')
    const recoveryError = 'None of the 2 rows can be loaded. Line 2: Expected 2 cells, found 1.'
    expect(done).toMatchObject({ status: 'rejected', recoveryError, setAsideRecords: 2 })
    expect(await setAsideRows(done)).toHaveLength(3)
    expect((await member.get('/contact-service/v1/fields')).body).toEqual([])
    expect(await importFile(portal, member, 'A,B\n1\n')).toMatchObject({
      recoveryError: 'The only row cannot be loaded. Line 2: Expected 2 cells, found 1.',
    })
  })

  test('leave a report only if there are any', async () => {
    const done = await importFile(portal, member, table)
    expect((await member.get(`/contact-service/v1/imports/${done._id}/set-aside`)).status).toBe(409)
  })
})

describe('headers', () => {
  test.each([
    ['an empty file', '', /empty/i],
    ['a blank name', 'A,,C\n1,2,3\n', /Column 2 .* blank/],
    ['a name twice, whatever its case', 'Email,Name,EMAIL\n1,2,3\n', /"EMAIL" twice: columns 1 and 3/],
    [
      'all blank and repeated names at once',
      'Email,,Phone,email, ,Phone\n1,2,3,4,5,6\n',
      /^Columns 2, 5 of the header are blank, with a first value on line 2\. Give them names\. The header names "email" twice: columns 1 and 4\. The header names "Phone" twice: columns 3 and 6\.$/,
    ],
    ['a name of the portal', 'Name,PURL\n1,2\n', /Column 2 is named "PURL"/],
    ['1,001 columns', `${Array.from({ length: 1001 }, (_, n) => `c${n}`).join(',')}\n`, /1,001 columns/],
    ['a name that is too long', `${'x'.repeat(201)},B\n1,2\n`, /column 1 is longer than 200/],
    ['the wrong delimiter', 'A;B;C\n1;2;3\n', /contains semicolons. Choose semicolon as file delimiter/],
    ['another of our delimiters', 'A|B|C\n1|2|3\n', /pipe/],
    ['a quote that is never closed', 'A,B\n1,"2\n3,4\n', /Line 2: a quote is opened and never closed/],
  ])('refuses %s', async (_name, content, reason) => {
    expect(await refusal(content)).toMatch(reason)
  })

  test('rejects a header without rows and creates no fields', async () => {
    expect(await refusal('A,B\n')).toBe('The file has only a header, and no rows to import.')
    expect((await member.get('/contact-service/v1/fields')).body).toEqual([])
  })

  test.each([
    ['a text named .zip', 'contacts.zip', Buffer.from('A,B\n1,2\n'), /named .zip, but it is no archive/],
    ['a picture named .csv', 'contacts.csv', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), /This is a PNG image/],
    ['JSON named .csv', 'contacts.csv', Buffer.from('[{"A": 1}]'), /This is JSON/],
  ])('%s is rejected and creates no fields', async (_name, filePath, content, reason) => {
    expect(await refusal(content, { filePath })).toMatch(reason)
    expect((await member.get('/contact-service/v1/fields')).body).toEqual([])
  })

  test('accepts names with quotes, dots, dollars, emoji and SQL', async () => {
    const names = ['a.b', '$match', '🙂', `x"; DROP TABLE contacts; --`, "it's", 'x'.repeat(200), 'id', 'c1']
    const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')
    const values = names.map((_, index) => `v${index}`)
    expect(await loaded(`${header}\n${values.join(',')}\n`)).toEqual([
      Object.fromEntries(names.map((name, index) => [name, `v${index}`])),
    ])
  })

  test('accepts 1,000 columns with values of any length', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => `Column ${n}`)
    const values = names.map((_, n) => `value number ${n} `.repeat((n % 5) + 1).trim())
    const done = await importFile(portal, member, `${names.join(',')}\n${values.join(',')}\n${values.join(',')}\n`, {
      generatePURL: true,
      dedupHashMatching: true,
      purlColumns: ['Column 999'],
      dedupColumns: ['Column 0', 'Column 700'],
    })
    expect(done).toMatchObject({ status: 'completed', createdRecords: 1, unchangedRecords: 1 })
    const [contact] = await contactsOf(member)
    const whole = (await member.get(`/contact-service/v1/offers/${contact?._id}`)).json<Record<string, unknown>>()
    expect(names.map((name) => whole[name])).toEqual(values)
    expect(whole['purl']).toMatch(/^valuenumber999.*x$/)
  })
})

describe('archives', () => {
  test('accepts gzip, and zip with one file', async () => {
    expect(await loaded(gzipSync(table), { filePath: 'a.csv.gz' })).toEqual(rows)
    member = await portal.member(await portal.account())
    expect(await loaded(await zipOf({ 'b.txt': table }), { filePath: 'b.zip' })).toEqual(rows)
  })

  test('refuses a zip with two files', async () => {
    const zip = await zipOf({ 'a.csv': table, 'b.csv': table })
    expect(await refusal(zip, { filePath: 'two.zip' })).toMatch(/a\.csv.*b\.csv/)
  })

  test('refuses a truncated gzip', async () => {
    const whole = gzipSync(table.repeat(1000))
    expect(await refusal(whole.subarray(0, whole.length / 2), { filePath: 'cut.gz' })).toMatch(/damaged/)
  })

  test('refuses a zip bomb', async () => {
    // 400 MB of rows in 400 kB.
    const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024, '1,2\n'))
    expect(await refusal(bomb, { filePath: 'bomb.gz' })).toMatch(/times/)
  })
})

test('refuses a field of 50 MB and says on which line', async () => {
  const reason = await refusal(`A,B\n1,2\n3,"${'x'.repeat(50 * 1024 * 1024)}"\n`)
  expect(reason).toMatch(/Line 3/)
})

test('rejects an import whose file was deleted before it started', async () => {
  const other = await startPortal()
  const owner = await other.member(await other.account())
  const waiting = await submit(other, owner, table)
  const { rows: uploads } = await other.parts.database.pool.query<{ storage_key: string }>(
    'SELECT storage_key FROM portico.uploads WHERE account_id = $1',
    [owner.account],
  )
  for (const { storage_key } of uploads) await other.parts.storage.remove(storage_key)
  await other.startWorker()
  expect(await ended(owner, waiting._id)).toMatchObject({
    status: 'rejected',
    recoveryError: 'The uploaded file "contacts.csv" no longer exists. Upload it again.',
  })
  await other.close()
})

describe('types', () => {
  test('a misfit in a later file widens the field when requested, and every value is kept', async () => {
    await importFile(portal, member, 'N,D\n1.5,2026-01-31\n100000000000000,1/2/2026\n0.00001,\n', { typeCasting: true })
    await importFile(portal, member, 'N,D\nmany,soon\n', { typeCasting: true, onMismatch: 'text' })
    expect((await contactsOf(member)).map(({ N, D }) => [N, D])).toEqual([
      ['1.5', '2026-01-31'],
      ['100000000000000', '2026-01-02'],
      ['0.00001', undefined],
      ['many', 'soon'],
    ])
  })

  test('values that a type would alter stay text', async () => {
    const file = 'Zip,Code,Phone,Day,Flag\n01234,1e5,+15551234,2026-02-30,yes\n'
    expect(await loaded(file, { typeCasting: true })).toEqual([
      { Zip: '01234', Code: '1e5', Phone: '+15551234', Day: '2026-02-30', Flag: 'yes' },
    ])
  })

  test('a day among moments becomes midnight in the time zone of the account', async () => {
    await portal.parts.database.pool.query(`UPDATE portico.accounts SET time_zone = 'America/New_York' WHERE id = $1`, [
      member.account,
    ])
    expect(await loaded('D\n1/31/2026\n2026-01-31 10:00\n', { typeCasting: true })).toEqual([
      { D: '2026-01-31T05:00:00.000Z' },
      { D: '2026-01-31T15:00:00.000Z' },
    ])
  })
})

describe('columns', () => {
  test('can be renamed and left out', async () => {
    const changes = { columnMapping: { B: null, c: 'See' } }
    expect(await loaded('A,B,C\n1,2,3\n', changes)).toEqual([{ A: '1', See: '3' }])
  })

  test('with reserved names, as exports have them, can be left out or renamed', async () => {
    const changes = { columnMapping: { _id: null, PURL: 'Old PURL', Import: null } }
    expect(await loaded('_id,A,purl,Import\n17,1,ada,3\n', changes)).toEqual([{ A: '1', 'Old PURL': 'ada' }])
  })

  test.each([
    [{ A: 'purl' }, '"A" is mapped to "purl", which is a reserved name. Rename it, or leave it out.'],
    [{ B: ' _ID ' }, '"B" is mapped to "_ID", which is a reserved name. Rename it, or leave it out.'],
    [{ B: ' ' }, '"B" is mapped to a blank name. Enter a field name, or leave it out.'],
    [{ B: ' a ' }, 'Both "A" and "B" are mapped to "a".'],
    [{ A: null, B: null }, 'Every column is left out; there is nothing to import.'],
  ])('mapped as %j are refused', async (columnMapping, reason) => {
    expect(await refusal('A,B\n1,2\n', { columnMapping })).toBe(reason)
  })

  test('of coordinates store only valid values', async () => {
    const file = 'N,Lat,Lon\n1,47.37,8.54\n2,91,0\n3,abc,7\n4,,\n'
    await importFile(portal, member, file, { latitudeColumn: 'Lat', longitudeColumn: 'Lon' })
    const { rows: places } = await portal.parts.database.pool.query(
      `SELECT latitude, longitude FROM account_${member.account}.contact_keys ORDER BY id`,
    )
    expect(places).toEqual([
      { latitude: 47.37, longitude: 8.54 },
      { latitude: null, longitude: 0 },
      { latitude: null, longitude: 7 },
      { latitude: null, longitude: null },
    ])
  })
})
