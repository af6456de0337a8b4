import { readdir } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Delivery, NotificationInput } from '@portico/contract/notifications'
import type { Export, NewExport } from '@portico/contract/exports'
import type { Import } from '@portico/contract/imports'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deliveryOf } from '#test/resources/deliveries.ts'
import { createExport, endedExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { anImport, contactsOf, ended } from '#test/resources/imports.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type S3Server, startS3 } from '#test/stand-ins/s3-server.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'
import { unzipped } from '#test/kit/unzipped.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// A portal with its files in a bucket: imports, exports, deliveries and the removal of files.

let s3: S3Server
let mail: MailServer
let hooks: WebhookServer
let sftp: SftpServer
let portal: TestPortal
let member: Member

const csv = 'Name,City\nAda,"Zürich, west"\nEve,\n=1+1,"two\nlines"\nBob,Bern,too many\n'
const exportedText = `Name,City\nAda,"Zürich, west"\nEve,\n'=1+1,"two\nlines"\n`

beforeAll(async () => {
  s3 = await startS3()
  mail = await startMailServer()
  hooks = await startWebhookServer()
  sftp = await startSftpServer()
  portal = await startPortal({
    s3: s3.s3,
    smtpUrl: mail.url,
    outboundAllow: ['127.0.0.1'],
    mailSenderDomains: ['example.com'],
  })
  member = await portal.member(await portal.account('Bucket & Co'))
  await portal.startWorker()
})
afterEach(() => {
  mail.received.length = 0
  hooks.received.length = 0
  sftp.files.clear()
})
afterAll(async () => {
  await portal.close()
  await Promise.all([s3.stop(), mail.close(), hooks.close(), sftp.close()])
})

/** Returns the keys of the files in the bucket. */
async function keys(): Promise<string[]> {
  const found = await readdir(`${s3.folder}/${s3.s3.bucket}`, { recursive: true })
  const ending = '._S3rver_object'
  return found.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length))
}
const keysOf = async (kind: string) => (await keys()).filter((key) => key.startsWith(`${member.account}/${kind}/`))

/** Sends a file straight to the bucket, like a browser, and imports it. */
async function importFromBucket(fileName: string, content: string, by = member): Promise<Import> {
  const link = await by.get(`/contact-service/v1/uploads/${fileName}?type=text/csv`)
  const { url } = link.json<{ url: string }>()
  expect(url.startsWith(s3.s3.endpoint)).toBe(true)
  expect((await fetch(url, { method: 'PUT', body: content })).status).toBe(200)
  const reply = await by.post('/contact-service/v1/imports', anImport({ filePath: fileName }))
  expect(reply).toMatchObject({ status: 201 })
  return ended(by, reply.json<Import>()._id)
}

/** Runs an export in the worker and waits until its delivery has ended. */
async function exported(notification?: NotificationInput, more: Partial<NewExport> = {}): Promise<Export> {
  const draft = exportDraft(['Name', 'City'], { ...(notification && { notifications: [notification] }), ...more })
  const done = await endedExport(member, (await createExport(member, draft))._id)
  expect(done).toMatchObject({ status: 'completed', recoveryError: null })
  return done
}

const target = (): NotificationInput => ({
  type: 'sftp',
  host: '127.0.0.1',
  port: sftp.port,
  user: 'ada',
  password: 'right',
  folder: 'in',
})

async function delivered(made: Export): Promise<Delivery> {
  const status = async () => (await deliveryOf(member, made._id)).status
  await expect.poll(status, { timeout: 40_000 }).toMatch(/completed|rejected/)
  return deliveryOf(member, made._id)
}

/** Follows a link to the portal into the bucket. */
async function fetched(url: string): Promise<{ text: string; disposition: string | null }> {
  const { statusCode, headers } = await portal.app.inject(url.replace(portal.config.publicUrl, ''))
  expect([statusCode, headers['location']?.startsWith(s3.s3.endpoint)]).toEqual([302, true])
  const reply = await fetch(headers['location'] ?? '')
  expect(reply.status).toBe(200)
  return { text: await reply.text(), disposition: reply.headers.get('content-disposition') }
}

test('an import reads its file from the bucket, and puts the rows set aside there', async () => {
  const done = await importFromBucket('people.csv', csv)
  expect(done).toMatchObject({
    status: 'completed',
    createdRecords: 3,
    setAsideRecords: 1,
    fileSize: Buffer.byteLength(csv),
  })
  expect((await contactsOf(member)).map(({ Name, City }) => [Name, City])).toEqual([
    ['Ada', 'Zürich, west'],
    ['Eve', undefined],
    ['=1+1', 'two\nlines'],
  ])
  const report = await member.get(`/contact-service/v1/imports/${done._id}/set-aside`)
  expect((await fetched(report.json<{ url: string }>().url)).text).toContain('Bob,Bern,too many')
  expect(await keysOf('set-aside')).toHaveLength(1)
})

test('an upload of another account cannot be imported', async () => {
  const stranger = await portal.member(await portal.account())
  expect(await stranger.post('/contact-service/v1/imports', anImport({ filePath: 'people.csv' }))).toMatchObject({
    status: 400,
    body: { error: { details: [{ field: 'filePath', message: 'No file named "people.csv" has been uploaded.' }] } },
  })
})

describe('an export in the bucket', () => {
  test('is written to the bucket and downloaded from it under its name', async () => {
    const made = await exported()
    const { url } = (await member.get(`/contact-service/v1/downloads/${made._id}.csv`)).json<{ url: string }>()
    const file = await fetched(url)
    expect(file.text).toBe(exportedText)
    expect(file.disposition).toContain(`${made.name}.csv`)
    expect(made.fileSize).toBe(Buffer.byteLength(exportedText))
  })

  test('is delivered by HTTP as a link into the bucket', async () => {
    const endpoint = `${hooks.url}/hook`
    const made = await exported({ type: 'http', method: 'post', endpoint, body: { file: '{{url}}', size: '{{size}}' } })
    expect(await delivered(made)).toMatchObject({ status: 'completed', recoveryCount: 0 })
    const body = JSON.parse(hooks.received[0]?.body ?? '') as { file: string; size: number }
    expect(body.size).toBe(made.fileSize)
    expect((await fetched(body.file)).text).toBe(exportedText)
    // The link reads this file.
    const { pathname, search } = new URL(body.file)
    const put = await portal.app.inject({ method: 'PUT', url: pathname + search, payload: 'x' })
    expect(put.statusCode).toBe(403)
    expect((await portal.app.inject(`${pathname}x${search}`)).statusCode).toBe(403)
  })

  test('is delivered by SFTP complete, zipped or not', async () => {
    const plain = await exported(target())
    const zipped = await exported(target(), { shouldZip: true })
    for (const made of [plain, zipped]) expect(await delivered(made)).toMatchObject({ status: 'completed' })
    expect(sftp.files.get(`in/${plain.name}.csv`)?.toString()).toBe(exportedText)
    const archive = sftp.files.get(`in/${zipped.name}.zip`)
    expect(archive?.length).toBe(zipped.fileSize)
    expect(await unzipped(archive ?? Buffer.alloc(0))).toEqual({ [`${zipped.name}.csv`]: exportedText })
  })

  test('is delivered by email as a link into the bucket', async () => {
    const made = await exported({
      type: 'email',
      from: 'reports@example.com',
      to: 'ada@example.com',
      subject: '{{name}}',
      htmlBody: '<a href="{{url}}">{{name}}</a>',
      textBody: '{{url}}',
    })
    expect(await delivered(made)).toMatchObject({ status: 'completed', kind: 'email' })
    expect(mail.received).toHaveLength(1)
    expect((await fetched(mail.received[0]?.message.text?.trim() ?? '')).text).toBe(exportedText)
  })

  test('that is missing from it is reported, and no file is left on the server', async () => {
    sftp.password = 'another'
    const made = await exported(target())
    expect(await delivered(made)).toMatchObject({ status: 'rejected' })
    sftp.password = 'right'
    const { rows } = await portal.parts.database.pool.query<{ file_key: string }>(
      `SELECT file_key FROM account_${member.account}.exports WHERE id = $1`,
      [made._id],
    )
    await portal.parts.storage.remove(rows[0]?.file_key ?? '')
    const { _id } = await deliveryOf(member, made._id)
    expect((await member.post(`${exportsPath}/${made._id}/deliveries/${_id}/resend`)).status).toBe(200)
    expect(await delivered(made)).toMatchObject({ status: 'rejected', result: 'The file no longer exists.' })
    expect(sftp.files.size).toBe(0)
  })
})

test('retention removes only expired uploads, exports and reports from the bucket', async () => {
  const { pool } = portal.parts.database
  const schema = `account_${member.account}`
  await exported()
  expect((await importFromBucket('later.csv', 'Name,City\nLate,Linz\n')).status).toBe('completed')
  const [uploads, exports, reports] = [await keysOf('uploads'), await keysOf('exports'), await keysOf('set-aside')]
  expect([uploads.length, exports.length, reports.length]).toEqual([2, 6, 1])
  const { rows } = await pool.query<{ file_key: string }>(
    `UPDATE ${schema}.exports SET last_activity_at = now() - interval '31 days'
      WHERE id < (SELECT max(id) FROM ${schema}.exports) RETURNING file_key`,
  )
  await pool.query(
    `UPDATE ${schema}.imports SET last_activity_at = now() - interval '31 days' WHERE report_key IS NOT NULL`,
  )
  await pool.query(`UPDATE portico.uploads SET created_at = now() - interval '31 days' WHERE file_name = 'people.csv'`)

  // One of them was deleted earlier.
  expect(await portal.removeExpiredFiles()).toBe(8)
  expect(await keysOf('exports')).toEqual(exports.filter((key) => !rows.some(({ file_key }) => file_key === key)))
  expect(await keysOf('exports')).toHaveLength(1)
  expect(await keysOf('set-aside')).toEqual([])
  const [left = ''] = await keysOf('uploads')
  expect(uploads).toContain(left)
  expect(await text(await portal.parts.storage.read(left))).toBe('Name,City\nLate,Linz\n')
  expect(await portal.removeExpiredFiles()).toBe(0)
})
