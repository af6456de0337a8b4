import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { anImport, upload } from '#test/resources/imports.ts'
import { findUpload } from '#files'

let portal: TestPortal
let member: Member
let stranger: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account(), 'contact-service::uploads::get')
  stranger = await portal.member(await portal.account())
})

afterEach(() => {
  vi.useRealTimers()
})

afterAll(() => portal.close())

const pathOf = (fileName: string): string => `/contact-service/v1/uploads/${encodeURIComponent(fileName)}`

async function linkFor(fileName: string): Promise<string> {
  const reply = await member.get(`${pathOf(fileName)}?type=text/csv`)
  expect(reply.status).toBe(200)
  return reply.json<{ url: string }>().url
}

const put = (url: string, payload: string | Buffer = 'a,b\n1,2\n', headers: Record<string, string> = {}) =>
  portal.app.inject({ method: 'PUT', url, payload, headers: { 'content-type': 'text/csv', ...headers } })

const find = (fileName: string, { account } = member, by: string | null = null) =>
  findUpload(portal.parts.database.db, portal.parts.storage, account, { fileName, by })

async function contentOf(fileName: string): Promise<string> {
  const upload = await find(fileName)
  return text(await portal.parts.storage.read(upload?.storageKey ?? ''))
}

test('a later upload of the same name by another member does not replace the own one in preview and import', async () => {
  const [owner, other] = [await portal.member(member.account), await portal.member(member.account)]
  await upload(portal, owner, 'leads.csv', 'Email\nown@x.example\n')
  await upload(portal, other, 'leads.csv', 'Email\nother@x.example\n')
  const shown = (by: Member) =>
    by.post('/contact-service/v1/imports/preview', {
      filePath: 'leads.csv',
      fileDelimiter: 'comma',
      typeCasting: false,
    })
  for (const [by, email] of [
    [owner, 'own@x.example'],
    [other, 'other@x.example'],
  ] as const) {
    expect(JSON.stringify((await shown(by)).body)).toContain(email)
  }
  const [own, newest] = [await find('leads.csv', member, owner.email), await find('leads.csv', member)]
  expect(own?.id).not.toBe(newest?.id)
  expect((await find('leads.csv', member, 'third@x.example'))?.id).toBe(newest?.id)
  const reply = await owner.post('/contact-service/v1/imports', anImport({ filePath: 'leads.csv' }))
  expect(reply.status).toBe(201)
  const { rows } = await portal.parts.database.pool.query<{ key: string }>(
    `SELECT u.id AS key FROM account_${member.account}.imports i JOIN portico.uploads u ON u.storage_key = i.file_key
     WHERE i.id = $1`,
    [reply.json<{ _id: string }>()._id],
  )
  expect(rows).toEqual([{ key: own?.id }])
})

describe('requesting a link', () => {
  test('returns one relative to the root of the host', async () => {
    expect(await linkFor('contacts.csv')).toMatch(
      /^\/api\/files\/\d+\/uploads\/[0-9a-f-]{36}\?expires=\d+&grant=[\w-]+&signature=/,
    )
  })

  test('ignores parameters of older clients', async () => {
    const path = pathOf('older.csv')
    expect(await member.get(`${path}?type=text/csv&folder=x&isPublic=true`)).toMatchObject({ status: 200 })
    expect(await member.get(`${path}?type=`)).toMatchObject({ status: 200 })
    expect(await member.get(path)).toMatchObject({ status: 200 })
  })

  test('requires a session and the right to upload', async () => {
    const path = pathOf('contacts.csv')
    const visitor = await portal.member(member.account, 'contact-service::imports::get')
    expect(await portal.anonymous.get(path)).toMatchObject({ status: 401 })
    expect(await visitor.get(path)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
  })

  test.each([
    'contacts.csv',
    'UPPER.CSV',
    'two words.txt',
    `it's "quoted".zip`,
    'Größe, naïve.csv',
    'контакты.txt',
    '連絡先.csv',
    '🎉👩‍👩‍👧.gz',
    '%2e%2e.csv',
    'a?b#c&d=e;f+g.csv',
    'con-tacts.csv',
    '-rf.csv',
    '$(touch x).csv',
    `'; DROP TABLE contacts; --.csv`,
    `${'連'.repeat(196)}.csv`,
    `${'🎉'.repeat(196)}.csv`,
  ])('accepts %j as a name', async (fileName) => {
    expect((await put(await linkFor(fileName))).statusCode).toBe(200)
    expect(await find(fileName)).toMatchObject({ fileName })
  })

  test.each([
    ['../../etc/passwd.csv', 'without a path'],
    ['folder/contacts.csv', 'without a path'],
    ['/contacts.csv', 'without a path'],
    ['C:\\contacts.csv', 'without a path'],
    ['..\\contacts.csv', 'without a path'],
    ['.hidden.csv', 'other than a dot'],
    ['.csv', 'other than a dot'],
    ['contacts..csv', 'one dot in a row'],
    ['contacts\0.csv', 'control characters'],
    ['contacts\n.csv', 'control characters'],
    ['contacts\u0085.csv', 'control characters'],
    ['con.csv', 'reserved on Windows'],
    ['NUL.txt', 'reserved on Windows'],
    ['com1.csv.gz', 'reserved on Windows'],
    ['LPT² .zip', 'reserved on Windows'],
    [' ', 'a name'],
    ['contacts', '.csv, .txt, .zip, .gz, .xlsx or .xlsm'],
    ['contacts.csv.exe', '.csv, .txt, .zip, .gz, .xlsx or .xlsm'],
    ['contacts.csv ', '.csv, .txt, .zip, .gz, .xlsx or .xlsm'],
    ['contactscsv', '.csv, .txt, .zip, .gz, .xlsx or .xlsm'],
    [`${'x'.repeat(197)}.csv`, '200 characters'],
  ])('refuses %j and explains how to fix it', async (fileName, fix) => {
    const reply = await member.get(pathOf(fileName))
    expect(reply.status).toBe(400)
    const message: unknown = expect.stringContaining(fix)
    expect(reply.body).toMatchObject({ error: { code: 'invalid_input', details: [{ field: 'fileName', message }] } })
  })

  test('refuses an invalid type', async () => {
    expect(await member.get(`${pathOf('contacts.csv')}?type=text%00csv`)).toMatchObject({ status: 400 })
    expect(await member.get(`${pathOf('contacts.csv')}?type=${'x'.repeat(201)}`)).toMatchObject({ status: 400 })
  })
})

describe('sending the bytes', () => {
  test('makes the upload available by its name, with its size', async () => {
    const url = await linkFor('known.csv')
    expect(await find('known.csv')).toBeNull()
    const reply = await put(url)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({})
    expect(await find('known.csv')).toMatchObject({ fileName: 'known.csv', sizeBytes: 8 })
    expect(await contentOf('known.csv')).toBe('a,b\n1,2\n')
  })

  test.each([
    'application/json',
    'text/plain; charset=utf-16',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'not a type',
    '',
  ])('accepts any content as %j', async (contentType) => {
    const name = `${randomUUID()}.csv`
    const reply = await put(await linkFor(name), '{"a":', { 'content-type': contentType })
    expect(reply.statusCode).toBe(200)
    expect(await contentOf(name)).toBe('{"a":')
  })

  test('stores compressed content unchanged', async () => {
    const bytes = gzipSync('a,b\n1,2\n')
    expect((await put(await linkFor('zipped.csv.gz'), bytes, { 'content-encoding': 'gzip' })).statusCode).toBe(200)
    expect(await find('zipped.csv.gz')).toMatchObject({ sizeBytes: bytes.length })
  })

  test('accepts an empty file', async () => {
    const url = await linkFor('empty.csv')
    expect((await portal.app.inject({ method: 'PUT', url })).statusCode).toBe(200)
    expect(await find('empty.csv')).toMatchObject({ sizeBytes: 0 })
  })

  test('works once: a second time is refused and changes nothing', async () => {
    const url = await linkFor('once.csv')
    expect((await put(url, 'first')).statusCode).toBe(200)
    const reply = await put(url, 'second')
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toMatchObject({ error: { code: 'link_invalid' } })
    expect(await contentOf('once.csv')).toBe('first')
  })

  test('many times at once with one link succeeds once', async () => {
    const address = await portal.app.listen({ host: '127.0.0.1', port: 0 })
    const url = address + (await linkFor('race.csv'))
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        fetch(url, { method: 'PUT', body: String(n).repeat(3_000_000) }).then(({ status }) => status),
      ),
    )
    expect(replies.filter((status) => status === 200)).toHaveLength(1)
    expect(replies.filter((status) => status === 403)).toHaveLength(7)
    const content = await contentOf('race.csv')
    expect(content === content.charAt(0).repeat(3_000_000)).toBe(true)
  })

  test('under an existing name leaves the earlier file unchanged', async () => {
    await put(await linkFor('again.csv'), 'earlier')
    const earlier = await find('again.csv')
    await put(await linkFor('again.csv'), 'later')
    expect(await contentOf('again.csv')).toBe('later')
    expect(await text(await portal.parts.storage.read(earlier?.storageKey ?? ''))).toBe('earlier')
  })

  test('is not waited for: the newest complete upload of a name is used', async () => {
    await put(await linkFor('newest.csv'), 'complete')
    for (let n = 0; n < 5; n++) await linkFor('newest.csv')
    expect(await contentOf('newest.csv')).toBe('complete')
    // More links than are looked up at a time; any user who may upload can request them.
    const { pool } = portal.parts.database
    await pool.query(
      `INSERT INTO portico.uploads (id, account_id, file_name, storage_key, creator, created_at)
       SELECT id, $1::integer, 'newest.csv', $1::text || '/uploads/' || id, 'x', now() FROM
         (SELECT gen_random_uuid() AS id FROM generate_series(1, 450)) unused`,
      [member.account],
    )
    expect(await contentOf('newest.csv')).toBe('complete')
    // Also if the portal was killed before it recorded the file, or if a bucket received it, which records none.
    await pool.query(
      `UPDATE portico.uploads SET size_bytes = NULL, completed_at = NULL WHERE file_name = 'newest.csv' AND account_id = $1`,
      [member.account],
    )
    expect(await find('newest.csv', member, member.email)).toMatchObject({ sizeBytes: 8 })
    expect(await contentOf('newest.csv')).toBe('complete')
  })

  test('makes the upload available by its name in any Unicode normalization', async () => {
    await put(await linkFor('Zoe\u0308.csv'))
    expect(await find('Zo\u00eb.csv')).not.toBeNull()
    expect(await find('Zoe\u0308.csv')).not.toBeNull()
  })

  test('does not make the upload available to another account', async () => {
    await put(await linkFor('mine.csv'))
    expect(await find('mine.csv', stranger)).toBeNull()
    expect(await find('mine.csv')).not.toBeNull()
  })

  test('is complete even if the portal was killed before recording it', async () => {
    const url = await linkFor('killed.csv')
    await put(url)
    await portal.parts.database.pool.query(
      `UPDATE portico.uploads SET size_bytes = NULL, completed_at = NULL WHERE file_name = 'killed.csv'`,
    )
    expect(await find('killed.csv')).toMatchObject({ sizeBytes: 8 })
    const { rows } = await portal.parts.database.pool.query<{ completed_at: string | null }>(
      `SELECT completed_at FROM portico.uploads WHERE file_name = 'killed.csv'`,
    )
    expect(rows[0]?.completed_at).not.toBeNull()
  })
})

describe('a link', () => {
  const changes: [string, (url: string) => string][] = [
    ['another file', (url) => url.replace(/uploads\/[^?]+/, `uploads/${randomUUID()}`)],
    ['another account', (url) => url.replace(/files\/\d+/, 'files/999')],
    ['another kind', (url) => url.replace('/uploads/', '/exports/')],
    ['a later end', (url) => url.replace(/expires=\d+/, `expires=${Math.floor(Date.now() / 1000) + 86_400}`)],
    ['no end', (url) => url.replace(/expires=\d+&/, '')],
    ['an end that is no number', (url) => url.replace(/expires=\d+/, 'expires=never')],
    ['two ends', (url) => url.replace(/(expires=\d+)/, '$1&$1')],
    ['a type', (url) => `${url}&type=text%2Fhtml`],
    ['a name', (url) => `${url}&saveAs=x.exe`],
    ['no signature', (url) => url.replace(/&signature=.*/, '')],
    ['an empty signature', (url) => url.replace(/signature=.*/, 'signature=')],
    ['half a signature', (url) => url.slice(0, -20)],
    [
      'another signature',
      (url) => url.replace(/signature=./, (start) => (start.endsWith('A') ? 'signature=B' : 'signature=A')),
    ],
    ['a path to elsewhere', (url) => url.replace(/uploads\/[^?]+/, 'uploads/..%2F..%2F..%2Fetc%2Fpasswd')],
    ['an absolute path', (url) => url.replace(/uploads\/[^?]+/, 'uploads/%2Fetc%2Fpasswd')],
    ['a backslash', (url) => url.replace(/uploads\/[^?]+/, 'uploads/..%5C..%5Csecret')],
    ['a NUL', (url) => url.replace('?', '%00?')],
  ]

  test.each(changes)('with %s is refused', async (_change, change) => {
    const url = change(await linkFor('changed.csv'))
    const reply = await put(url)
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toMatchObject({ error: { code: 'link_invalid' } })
  })

  test('is refused after it has expired', async () => {
    const url = await linkFor('expired.csv')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 })
    expect((await put(url)).json()).toMatchObject({ error: { code: 'link_invalid' } })
  })

  test('is refused for another method', async () => {
    const url = await linkFor('method.csv')
    expect((await portal.app.inject(url)).json()).toMatchObject({ error: { code: 'link_invalid' } })
    await put(url)
    const key = (await find('method.csv'))?.storageKey ?? ''
    const download = await portal.parts.storage.downloadUrl(key, { expiresInSeconds: 60 })
    expect((await put(download)).json()).toMatchObject({ error: { code: 'link_invalid' } })
    expect((await portal.app.inject({ method: 'DELETE', url })).statusCode).toBe(404)
  })
})
