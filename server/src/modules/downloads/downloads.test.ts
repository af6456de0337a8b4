import type { DownloadEntry, StorageUse } from '@portico/contract/downloads'
import { workbookType } from '@portico/contract/workbook/workbook-parts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runExport } from '#exports'
import { findUpload } from '#files'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { createExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member
const path = '/contact-service/v1/downloads'

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }, { Name: 'Eve' }])
  for (const name of ['Spring list', 'Summer 100% list', 'Autumn list']) await exported(name)
})
afterAll(() => portal.close())

const query = (sql: string) => portal.parts.database.pool.query(sql)
const list = async (asked = '', by = member) => (await by.get(`${path}?${asked}`)).json<DownloadEntry[]>()
const names = async (asked = '') => (await list(asked)).map(({ name }) => name)

async function exported(name: string, by = member): Promise<string> {
  const { _id } = await createExport(by, exportDraft(['Name'], { name }))
  await runExport(portal.parts, by.account, _id, new AbortController().signal)
  return _id
}

/** An import of two rows, one of which is set aside. */
async function imported(fileName: string): Promise<void> {
  const { url } = (await member.get(`/contact-service/v1/uploads/${fileName}`)).json<{ url: string }>()
  await portal.app.inject({ method: 'PUT', url, payload: 'Name,City\nAda,London\nBob\n' })
  await portal.startWorker()
  const made = await member.post('/contact-service/v1/imports', {
    name: `Import of ${fileName}`,
    filePath: fileName,
    fileDelimiter: 'comma',
    processBatchSize: 25,
    generatePURL: false,
    purlGenerationScope: 'account',
    dedupHashMatching: false,
    typeCasting: false,
    exportOnImportCompletion: false,
  })
  const { _id } = made.json<{ _id: string }>()
  const read = async () => (await member.get(`/contact-service/v1/imports/${_id}`)).json<{ status: string }>()
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('completed')
}

test('finished files are listed newest first, searched, paged and counted', async () => {
  expect(await names()).toEqual(['Autumn list', 'Summer 100% list', 'Spring list'])
  expect(await names('search=SUMMER')).toEqual(['Summer 100% list'])
  expect(await names(`search=${encodeURIComponent('0% l')}`)).toEqual(['Summer 100% list'])
  expect(await names(`search=${encodeURIComponent('g%l')}`)).toEqual([])
  expect(await names(`search=${encodeURIComponent(member.email)}&limit=1&skip=1`)).toEqual(['Summer 100% list'])
  expect((await member.get(`${path}?count=&search=list`)).body).toEqual({ count: 3 })
  const [entry] = await list('search=Spring')
  expect(entry).toMatchObject({
    kind: 'export',
    fileName: 'Spring list.csv',
    rows: 2,
    size: 13,
    creator: member.email,
    isExpired: false,
  })
  const days = (Date.parse(entry?.expiresAt ?? '') - Date.parse(entry?.createdAt ?? '')) / (24 * 3600 * 1000)
  expect(days).toBe(30)
  const { url } = (await member.get(`${path}/files/${entry?._id}`)).json<{ url: string }>()
  expect((await portal.app.inject({ url })).body).toBe('Name\nAda\nEve\n')
})

test('a workbook is listed and downloaded as a workbook', async () => {
  const by = await portal.member(await portal.account())
  await addContacts(portal.parts.database, by.account, { Name: 'string' }, [{ Name: 'Ada' }])
  const { _id } = await createExport(by, exportDraft(['Name'], { name: 'Winter list', delimiter: 'xlsx' }))
  await runExport(portal.parts, by.account, _id, new AbortController().signal)
  const [entry] = await list('', by)
  expect(entry).toMatchObject({ kind: 'export', fileName: 'Winter list.xlsx' })
  const { url } = (await by.get(`${path}/files/${entry?._id}`)).json<{ url: string }>()
  const { headers } = await portal.app.inject({ url })
  expect(headers['content-type']).toBe(workbookType)
  expect(String(headers['content-disposition'])).toContain('Winter list.xlsx')
})

test('files can be sorted by each of their columns and by no other', async () => {
  const files = async (by: string, direction: 1 | -1) =>
    names(`sort=${encodeURIComponent(JSON.stringify({ [by]: direction }))}`)
  expect(await files('name', 1)).toEqual(['Autumn list', 'Spring list', 'Summer 100% list'])
  expect(await files('name', -1)).toEqual(['Summer 100% list', 'Spring list', 'Autumn list'])
  expect(await files('createdAt', 1)).toEqual(['Spring list', 'Summer 100% list', 'Autumn list'])
  expect(await files('expiresAt', -1)).toEqual(['Autumn list', 'Summer 100% list', 'Spring list'])
  // Equal entries stay newest first.
  for (const by of ['kind', 'rows', 'size', 'creator']) {
    expect(await files(by, 1)).toEqual(['Autumn list', 'Summer 100% list', 'Spring list'])
  }
  for (const sort of ['{"storageKey":1}', '{"name":2}', 'name', '["name"]']) {
    expect((await member.get(`${path}?sort=${encodeURIComponent(sort)}`)).status).toBe(400)
  }
})

test('files are visible only with the right to see them, within the account', async () => {
  const [entry] = await list()
  const stranger = await portal.member(await portal.account())
  expect(await list('', stranger)).toEqual([])
  expect((await stranger.get(`${path}/files/${entry?._id}`)).status).toBe(404)
  const other = await portal.member(member.account, 'contact-service::imports::get')
  expect([(await other.get(path)).status, (await other.get(`${path}/files/${entry?._id}`)).status]).toEqual([403, 403])
  expect((await other.get('/contact-service/v1/storage')).status).toBe(403)
  for (const id of ['export-0', 'export-x', 'import-1', `${entry?._id}'`]) {
    expect((await member.get(`${path}/files/${encodeURIComponent(id)}`)).status).toBe(404)
  }
  expect((await member.get(`${path}?limit=0`)).status).toBe(400)
})

test('files are removed when they expire, and their records show it', async () => {
  const webhook = { type: 'http' as const, method: 'get' as const, endpoint: 'https://example.com' }
  const old = await exportWith(portal, member, webhook)
  await imported('old.csv')
  const before = (await member.get('/contact-service/v1/storage')).json<StorageUse>()
  expect(before.uploads).toBe(25)
  expect(before.reports).toBeGreaterThan(0)
  expect(before.total).toBe(before.uploads + before.exports + before.reports)
  const report = (await list('search=Import')).find(({ kind }) => kind === 'set-aside report')
  expect(report).toMatchObject({ rows: 1, size: before.reports, fileName: 'Import of old.csv - set aside.csv' })

  // A report of unknown size does not sort as the smallest.
  await imported('new.csv')
  const bySize = await list(`sort=${encodeURIComponent('{"size":-1}')}`)
  expect(bySize.map(({ size }) => size)).toEqual(bySize.map(({ size }) => size).toSorted((one, other) => other - one))
  expect(bySize[0]).toMatchObject({ kind: 'set-aside report' })
  const schema = `account_${member.account}`
  await query(`UPDATE ${schema}.exports SET last_activity_at = now() - interval '31 days' WHERE id = ${old._id}`)
  await query(`UPDATE ${schema}.imports SET last_activity_at = now() - interval '31 days' WHERE file_path = 'old.csv'`)
  await query(`UPDATE portico.uploads SET created_at = now() - interval '31 days' WHERE file_name = 'old.csv'`)
  // A file that an import still needs is kept, whatever its age.
  await query(`UPDATE portico.uploads SET created_at = now() - interval '31 days' WHERE file_name = 'new.csv'`)
  await query(`UPDATE ${schema}.imports SET status = 'waiting' WHERE file_path = 'new.csv'`)

  expect(await portal.removeExpiredFiles()).toBe(3)
  expect(await portal.removeExpiredFiles()).toBe(0)
  const { db } = portal.parts.database
  expect(await findUpload(db, portal.parts.storage, member.account, { fileName: 'old.csv', by: null })).toBeNull()
  expect(await findUpload(db, portal.parts.storage, member.account, { fileName: 'new.csv', by: null })).not.toBeNull()
  expect((await list(`search=${encodeURIComponent(old.name)}`))[0]).toMatchObject({ isExpired: true })
  expect((await member.get(`${path}/files/export-${old._id}`)).body).toMatchObject({
    error: { code: 'not_found', message: 'The file expired after 30 days and was removed.' },
  })
  expect((await member.get(`${path}/${old._id}.csv`)).status).toBe(404)
  expect((await member.get(`${path}/files/${report?._id}`)).status).toBe(404)
  expect(await readExport(member, old._id)).toMatchObject({ status: 'completed', isExpired: true })
  const after = (await member.get('/contact-service/v1/storage')).json<StorageUse>()
  expect(after.uploads).toBe(25)
  expect(before.exports - after.exports).toBe(old.fileSize)

  await query(`UPDATE ${schema}.deliveries SET file = jsonb_set(file, '{expiresAt}', '"2020-01-01T00:00:00Z"')`)
  expect(await attemptNow(portal, member, old._id)).toMatchObject({
    status: 'rejected',
    result: 'The file has expired and was removed.',
  })
  const { _id } = await deliveryOf(member, old._id)
  expect((await member.post(`${exportsPath}/${old._id}/deliveries/${_id}/resend`)).status).toBe(409)
})
