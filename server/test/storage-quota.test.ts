import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { StorageUse } from '@portico/contract/downloads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createExport, endedExport, exportDraft, readExport } from '#test/resources/exports.ts'
import { anImport, ended, submit, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { dashboardOf, endedRun, instructionFor, reportCron } from '#test/resources/reports.ts'
import { type S3Server, startS3 } from '#test/stand-ins/s3-server.ts'

// A portal with limits: 100 kB an account, 40 kB a file, 60 kB unpacked.

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({ storageQuota: 100_000, uploadMaxBytes: 40_000, unpackedMaxBytes: 60_000 })
  await portal.startWorker()
})
afterAll(() => portal.close())

const newMember = async (): Promise<Member> => portal.member(await portal.account())

/** Returns a table of about that size. */
const table = (bytes: number): string => `Name\n${`${'x'.repeat(98)}\n`.repeat(Math.floor(bytes / 99))}`

const linkFor = (by: Member, name = 'contacts.csv') => by.get(`/contact-service/v1/uploads/${name}?type=text/csv`)

async function send(by: Member, content: string, headers: Record<string, string> = {}) {
  const { url } = (await linkFor(by)).json<{ url: string }>()
  return portal.app.inject({
    method: 'PUT',
    url,
    payload: content,
    headers: { 'content-type': 'text/csv', ...headers },
  })
}

async function filesOf({ account }: Member): Promise<string[]> {
  const found = []
  for await (const file of glob(join(portal.config.dataDir, `files/${account}/*/{,.}*`))) found.push(file)
  return found
}

const useOf = async (by: Member) => (await by.get('/contact-service/v1/storage')).json<StorageUse>()

describe('an upload', () => {
  test('over the file size limit is refused with the limit, and leaves nothing behind', async () => {
    const member = await newMember()
    const refused = await send(member, table(41_000))
    expect(refused.statusCode).toBe(413)
    expect(refused.json()).toMatchObject({
      error: { code: 'too_large', message: 'Files may have at most 40 kB.', details: { limit: 40_000 } },
    })
    expect(await filesOf(member)).toEqual([])
    expect((await send(member, table(39_000))).statusCode).toBe(200)
    expect(await filesOf(member)).toHaveLength(1)
  })

  test('of unknown size is refused while it arrives', async () => {
    const member = await newMember()
    const { url } = (await linkFor(member)).json<{ url: string }>()
    const { port } = new URL(await portal.app.listen({ host: '127.0.0.1', port: 0 }))
    async function* pieces() {
      for (let index = 0; index < 5; index++) yield Buffer.from(table(10_000))
    }
    // Without a size, and in chunks.
    const reply = await fetch(`http://127.0.0.1:${port}${url}`, {
      method: 'PUT',
      body: ReadableStream.from(pieces()),
      duplex: 'half',
    } as RequestInit)
    expect(reply.status).toBe(413)
    expect(await filesOf(member)).toEqual([])
  })

  test('over the quota is refused, and a full account gets no link', async () => {
    const member = await newMember()
    for (let index = 0; index < 2; index++) expect((await send(member, table(39_000))).statusCode).toBe(200)
    const refused = await send(member, table(39_000))
    expect(refused.statusCode).toBe(413)
    expect(refused.json()).toMatchObject({
      error: { code: 'storage_full', message: expect.stringContaining('storage quota of 100 kB') },
    })
    expect(await filesOf(member)).toHaveLength(2)
    expect((await send(member, table(21_500))).statusCode).toBe(200)
    expect(await useOf(member)).toMatchObject({ quota: 100_000, total: expect.any(Number) })
    expect((await useOf(member)).total).toBeLessThanOrEqual(100_000)
    await portal.parts.database.pool.query('UPDATE portico.uploads SET size_bytes = 60000 WHERE account_id = $1', [
      member.account,
    ])
    expect(await linkFor(member)).toMatchObject({ status: 413, body: { error: { code: 'storage_full' } } })
    // Another account has room.
    expect((await send(await newMember(), table(39_000))).statusCode).toBe(200)
  })

  test('stays within the quota together with concurrent ones', async () => {
    const member = await newMember()
    const links = []
    for (let index = 0; index < 6; index++) links.push((await linkFor(member)).json<{ url: string }>().url)
    const payload = table(30_000)
    const headers = { 'content-type': 'text/csv' }
    const replies = await Promise.all(links.map((url) => portal.app.inject({ method: 'PUT', url, payload, headers })))
    const taken = replies.filter(({ statusCode }) => statusCode === 200)
    expect(taken.length).toBeGreaterThanOrEqual(1)
    expect((await useOf(member)).total).toBeLessThanOrEqual(100_000)
    expect(await filesOf(member)).toHaveLength(taken.length)
  })
})

test('an archive that unpacks to more than the limit is refused in the preview, and as an import', async () => {
  const member = await newMember()
  await upload(portal, member, 'big.csv.gz', gzipSync(table(61_000)))
  await upload(portal, member, 'small.csv.gz', gzipSync(table(59_000)))
  const draft = (filePath: string) => anImport({ filePath })
  const importOf = async (filePath: string) => {
    const answer = await member.post('/contact-service/v1/imports', draft(filePath))
    expect(answer).toMatchObject({ status: 201 })
    return ended(member, answer.json<{ _id: string }>()._id)
  }
  expect(await importOf('big.csv.gz')).toMatchObject({
    status: 'rejected',
    recoveryError: 'The file unpacks to more than 60,000 bytes, the limit of this portal.',
  })
  expect(await importOf('small.csv.gz')).toMatchObject({ status: 'completed' })
})

test('an export over the quota fails with the reason, and leaves no file', async () => {
  const member = await newMember()
  const { _id } = await submit(portal, member, table(39_000))
  await ended(member, _id)
  const exported = await createExport(member, exportDraft(['Name']))
  expect(await endedExport(member, exported._id)).toMatchObject({ status: 'completed' })
  const tooMuch = await createExport(member, exportDraft(['Name']))
  expect(await endedExport(member, tooMuch._id)).toMatchObject({
    status: 'rejected',
    recoveryError: expect.stringContaining('storage quota of 100 kB'),
  })
  expect(await readExport(member, tooMuch._id)).toMatchObject({ recoveryCount: 0 })
  expect(await filesOf(member)).toHaveLength(2)
})

test('a report over the quota fails with the reason, and leaves no file', async () => {
  const member = await newMember()
  const { _id } = await submit(portal, member, table(39_000))
  await ended(member, _id)
  const people = {
    type: 'PaginaTable',
    title: 'People',
    filter: { standard: [{ $match: { Name: { $exists: true } } }], columns: ['Name'], sort: { Name: 1 } },
  }
  const draft = reportCron(instructionFor(await dashboardOf(member, people)))
  expect(await endedRun(portal, member, draft)).toMatchObject({ status: 'completed' })
  const used = await useOf(member)
  expect(used.reports).toBeGreaterThan(38_000)
  const refused = await endedRun(portal, member, { ...draft, name: 'Too much' })
  expect(refused).toMatchObject({ status: 'terminated' })
  expect(JSON.stringify(refused)).toContain('storage quota of 100 kB')
  expect(await useOf(member)).toEqual(used)
  expect(await filesOf(member)).toHaveLength(2)
})

describe('in a bucket', () => {
  let s3: S3Server
  let inBucket: TestPortal

  beforeAll(async () => {
    s3 = await startS3()
    inBucket = await startPortal({ s3: s3.s3, storageQuota: 100_000, uploadMaxBytes: 40_000 })
    await inBucket.startWorker()
  })
  afterAll(async () => {
    await inBucket.close()
    await s3.stop()
  })

  test('an upload over a limit is removed when it is used, and an export over the quota leaves nothing', async () => {
    const member = await inBucket.member(await inBucket.account())
    const sent = async (name: string, content: string) => {
      const { url } = (await linkFor(member, name)).json<{ url: string }>()
      expect((await fetch(url, { method: 'PUT', body: content })).status).toBe(200)
      return member.post('/contact-service/v1/imports', anImport({ filePath: name }))
    }
    expect(await sent('large.csv', table(41_000))).toMatchObject({
      status: 413,
      body: { error: { code: 'too_large' } },
    })
    expect(await useOf(member)).toMatchObject({ total: 0 })
    const taken = await sent('fine.csv', table(39_000))
    await ended(member, taken.json<{ _id: string }>()._id)
    const [first, second] = [
      await createExport(member, exportDraft(['Name'])),
      await createExport(member, exportDraft(['Name'])),
    ]
    const done = [await endedExport(member, first._id), await endedExport(member, second._id)]
    expect(done.map(({ status }) => status).toSorted()).toEqual(['completed', 'rejected'])
    expect(done.find(({ status }) => status === 'rejected')).toMatchObject({
      recoveryError: expect.stringContaining('storage quota of 100 kB'),
    })
  })
})
