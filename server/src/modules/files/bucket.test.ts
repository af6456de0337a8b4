import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type S3Server, startS3 } from '#test/stand-ins/s3-server.ts'
import { findUpload, newStorageKey } from '#files'
import { signedLinks } from './signed-links.ts'

// The portal with a bucket: bytes go directly to and from it, and the portal only issues links.

let s3: S3Server
let portal: TestPortal
let member: Member

beforeAll(async () => {
  s3 = await startS3()
  portal = await startPortal({ s3: s3.s3 })
  member = await portal.member(await portal.account(), 'contact-service::uploads::get')
})

afterAll(async () => {
  await portal.close()
  await s3.stop()
})

async function linkFor(fileName: string): Promise<string> {
  const path = `/contact-service/v1/uploads/${encodeURIComponent(fileName)}?type=text/csv`
  return (await member.get(path)).json<{ url: string }>().url
}

const find = (fileName: string, account = member.account) =>
  findUpload(portal.parts.database.db, portal.parts.storage, account, { fileName, by: null })

test('an upload goes straight to the bucket and is found there', async () => {
  const url = await linkFor('Größe 🎉.csv')
  expect(url.startsWith(s3.s3.endpoint)).toBe(true)
  expect(await find('Größe 🎉.csv')).toBeNull()
  expect((await fetch(url, { method: 'PUT', body: 'a,b\n1,2\n' })).status).toBe(200)
  const upload = await find('Größe 🎉.csv')
  expect(upload).toMatchObject({ fileName: 'Größe 🎉.csv', sizeBytes: 8 })
  expect(await text(await portal.parts.storage.read(upload?.storageKey ?? ''))).toBe('a,b\n1,2\n')
})

test('the size of an upload is requested once and then stored', async () => {
  await fetch(await linkFor('known.csv'), { method: 'PUT', body: 'a,b\n' })
  const upload = await find('known.csv')
  await portal.parts.storage.remove(upload?.storageKey ?? '')
  expect(await find('known.csv')).toMatchObject({ sizeBytes: 4 })
})

test('links that were used do not count as open ones', async () => {
  const { pool } = portal.parts.database
  await fetch(await linkFor('used.csv'), { method: 'PUT', body: 'a,b\n' })
  await pool.query(
    `INSERT INTO portico.uploads (id, account_id, file_name, storage_key, creator, created_at)
     SELECT id, $1::integer, 'unused.csv', $1::text || '/uploads/' || id, $2, now() FROM
       (SELECT gen_random_uuid() AS id FROM generate_series(1, 200 - (
         SELECT count(*)::int FROM portico.uploads WHERE account_id = $1 AND size_bytes IS NULL))) unused`,
    [member.account, member.email],
  )
  const link = () => member.get('/contact-service/v1/uploads/more.csv')
  expect(await link()).toMatchObject({ status: 200 })
  for (;;) if ((await link()).status !== 200) break
  expect(await link()).toMatchObject({ status: 409, body: { error: { code: 'limit_reached' } } })
  await pool.query(`DELETE FROM portico.uploads WHERE file_name IN ('unused.csv', 'more.csv')`)
})

test('another account cannot find an upload', async () => {
  await fetch(await linkFor('mine.csv'), { method: 'PUT', body: 'a,b\n' })
  expect(await find('mine.csv', await portal.account())).toBeNull()
  expect(await find('mine.csv')).not.toBeNull()
})

test('the browser is allowed to send to the bucket', async () => {
  const { headers } = await member.get('/contact-service/v1/uploads/contacts.csv')
  expect(headers['content-security-policy']).toContain(`connect-src 'self' ${s3.s3.endpoint}`)
})

test('a portal link from before the bucket redirects to moved files and refuses uploads', async () => {
  const links = signedLinks(portal.config)
  const key = newStorageKey(member.account, 'exports')
  const upload = links.make('PUT', key, { expiresInSeconds: 60 })
  const reply = await portal.app.inject({ method: 'PUT', url: upload, payload: 'x' })
  expect(reply.json()).toMatchObject({ error: { code: 'link_invalid' } })
  await portal.parts.storage.put(key, Readable.from(['moved']))
  const download = await portal.app.inject(links.make('GET', key, { expiresInSeconds: 60 }))
  expect(download.statusCode).toBe(302)
  expect(await (await fetch(download.headers.location ?? '')).text()).toBe('moved')
})
