import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LinkOptions, Storage } from '#platform/storage.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { newStorageKey } from '#files'

let portal: TestPortal
let storage: Storage
let address: string
let key: string
const bytes = Buffer.from('first,last\n'.repeat(1000))

beforeAll(async () => {
  portal = await startPortal({ publicUrl: 'https://portal.example' })
  storage = portal.parts.storage
  address = await portal.app.listen({ host: '127.0.0.1', port: 0 })
  key = newStorageKey(await portal.account(), 'exports')
  await storage.put(key, Readable.from([bytes]))
})

afterEach(() => {
  vi.useRealTimers()
})

afterAll(() => portal.close())

const linkFor = (options: Partial<LinkOptions> = {}): Promise<string> =>
  storage.downloadUrl(key, { expiresInSeconds: 60, ...options })

async function get(headers: Record<string, string> = {}, options: Partial<LinkOptions> = {}) {
  return portal.app.inject({ url: await linkFor(options), headers })
}

/** Requests the path unchanged; clients normalize dot segments. */
function statusOfRaw(method: string, path: string): Promise<number | undefined> {
  const { port, hostname } = new URL(address)
  return new Promise((resolve, reject) => {
    request({ method, host: hostname, port, path }, (reply) => resolve(reply.resume().statusCode))
      .on('error', reject)
      .end()
  })
}

describe('a download', () => {
  test('returns all bytes as an attachment that must not be cached', async () => {
    const reply = await get({}, { contentType: 'text/csv; charset=utf-8', downloadName: 'contacts.csv' })
    expect(reply.statusCode).toBe(200)
    expect(reply.rawPayload.equals(bytes)).toBe(true)
    expect(reply.headers).toMatchObject({
      'content-length': String(bytes.length),
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="contacts.csv"; filename*=UTF-8''contacts.csv`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    })
  })

  test('without a type is an octet-stream attachment', async () => {
    expect((await get()).headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
    })
  })

  test('is not compressed, so its length and ranges are exact', async () => {
    const reply = await get({ 'accept-encoding': 'gzip, br, zstd' }, { contentType: 'text/csv' })
    expect(reply.headers['content-encoding']).toBeUndefined()
    expect(reply.rawPayload.length).toBe(bytes.length)
  })

  test('can be read in the browser by the portal only', async () => {
    const reply = await get()
    expect(reply.headers['cross-origin-resource-policy']).toBe('same-origin')
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    expect(reply.headers['content-security-policy']).toContain(`connect-src 'self'`)
  })

  test.each([
    ['plain.csv', 'plain.csv', 'plain.csv'],
    ['two words.csv', 'two words.csv', 'two%20words.csv'],
    [`say "hi".csv`, 'say _hi_.csv', 'say%20%22hi%22.csv'],
    [`it's (1*).csv`, `it's (1*).csv`, 'it%27s%20%281%2A%29.csv'],
    ['100%.csv', '100_.csv', '100%25.csv'],
    ['Größe.csv', 'Gr__e.csv', 'Gr%C3%B6%C3%9Fe.csv'],
    ['🎉.csv', '_.csv', '%F0%9F%8E%89.csv'],
    ['a;b=c,d.csv', 'a;b=c,d.csv', 'a%3Bb%3Dc%2Cd.csv'],
    ['..\\..\\evil/x.csv', '.._.._evil_x.csv', '.._.._evil_x.csv'],
    ['line\r\nset-cookie: a=b.csv', 'line__set-cookie: a=b.csv', 'line__set-cookie%3A%20a%3Db.csv'],
    ['half \ud83c.csv', 'half _.csv', 'half%20%EF%BF%BD.csv'],
  ])('of %j is saved under that name', async (downloadName, plain, extended) => {
    const reply = await get({}, { downloadName })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-disposition']).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${extended}`)
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  test('of a missing file responds with not found', async () => {
    const gone = await storage.downloadUrl(newStorageKey(1, 'exports'), { expiresInSeconds: 60 })
    const reply = await portal.app.inject(gone)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ error: { code: 'not_found', message: 'The file no longer exists.' } })
    expect(reply.headers['content-disposition']).toBeUndefined()
  })

  test('of an empty file is empty', async () => {
    const empty = newStorageKey(1, 'exports')
    await storage.put(empty, Readable.from([]))
    const url = await storage.downloadUrl(empty, { expiresInSeconds: 60 })
    expect(await portal.app.inject(url)).toMatchObject({ statusCode: 200, payload: '' })
    expect(await portal.app.inject({ url, headers: { range: 'bytes=0-' } })).toMatchObject({ statusCode: 416 })
  })
})

describe('a range of a file', () => {
  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=5-5', 5, 6],
    ['bytes=10990-', 10_990, 11_000],
    ['bytes=-10', 10_990, 11_000],
    ['bytes=-999999', 0, 11_000],
    ['bytes=10000-999999', 10_000, 11_000],
  ])('%s is returned', async (range, start, end) => {
    const reply = await get({ range })
    expect(reply.statusCode).toBe(206)
    expect(reply.headers['content-range']).toBe(`bytes ${start}-${end - 1}/11000`)
    expect(reply.headers['content-length']).toBe(String(end - start))
    expect(reply.rawPayload.equals(bytes.subarray(start, end))).toBe(true)
  })

  test.each(['bytes=11000-', 'bytes=20000-30000', 'bytes=-0'])('%s is refused as beyond its end', async (range) => {
    const reply = await get({ range })
    expect(reply.statusCode).toBe(416)
    expect(reply.headers['content-range']).toBe('bytes */11000')
    expect(reply.payload).toBe('')
  })

  test.each(['bytes=0-1,5-6', 'bytes=9-3', 'bytes=-', 'bytes=a-b', 'lines=0-5', 'bytes=1e3-', ''])(
    '%j is ignored as invalid, and the whole file is returned',
    async (range) => {
      expect(await get({ range })).toMatchObject({ statusCode: 200 })
    },
  )

  test('is returned if If-Range matches, otherwise the whole file', async () => {
    const etag = String((await get()).headers.etag)
    expect(etag).toMatch(/^"[^"]+"$/)
    expect((await get({ range: 'bytes=5-', 'if-range': etag })).statusCode).toBe(206)
    expect((await get({ range: 'bytes=5-', 'if-range': '"another"' })).statusCode).toBe(200)
    expect((await get({ range: 'bytes=5-', 'if-range': new Date().toUTCString() })).statusCode).toBe(200)
  })

  test('joined with the other ranges gives the same large file, byte for byte', async () => {
    const large = randomBytes(3_000_000)
    const largeKey = newStorageKey(1, 'exports')
    await storage.put(largeKey, Readable.from([large]))
    const url = address + (await storage.downloadUrl(largeKey, { expiresInSeconds: 60 }))
    const parts: Buffer[] = []
    for (let start = 0; start < large.length; start += 700_001) {
      const reply = await fetch(url, { headers: { range: `bytes=${start}-${start + 700_000}` } })
      parts.push(Buffer.from(await reply.arrayBuffer()))
    }
    expect(Buffer.concat(parts).equals(large)).toBe(true)
  })
})

describe('a download link', () => {
  test('can be used repeatedly until it expires', async () => {
    const url = await linkFor({ expiresInSeconds: 60 })
    expect((await portal.app.inject(url)).statusCode).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 58_000 })
    expect((await portal.app.inject(url)).statusCode).toBe(200)
    vi.setSystemTime(Date.now() + 3_000)
    const reply = await portal.app.inject(url)
    expect(reply.statusCode).toBe(403)
    expect(reply.json()).toMatchObject({ error: { code: 'link_invalid' } })
  })

  test('starts with the public address of the portal when it is absolute', async () => {
    const inside = await linkFor({ downloadName: 'a.csv' })
    const outside = await linkFor({ downloadName: 'a.csv', absolute: true })
    expect(inside).toMatch(/^\/api\/files\//)
    expect(outside).toMatch(/^https:\/\/portal\.example\/api\/files\//)
    expect((await portal.app.inject(new URL(outside).pathname + new URL(outside).search)).statusCode).toBe(200)
  })

  test.each<[string, (url: string) => string]>([
    ['another name', (url) => url.replace('saveAs=a.csv', 'saveAs=a.html')],
    ['no name', (url) => url.replace('&saveAs=a.csv', '')],
    ['a name that holds the type', (url) => url.replace(/type=[^&]+&saveAs=a.csv/, 'saveAs=text%2Fcsva.csv')],
    ['another type', (url) => url.replace('text%2Fcsv', 'text%2Fhtml')],
    ['another file', (url) => url.replace(/exports\/[^?]+/, 'exports/00000000-0000-0000-0000-000000000000')],
    ['another account', (url) => url.replace(/files\/\d+/, 'files/2')],
    ['the signature of another link', (url) => url.replace(/signature=.*/, `signature=${'A'.repeat(43)}`)],
  ])('with %s is refused', async (_change, change) => {
    const url = await linkFor({ contentType: 'text/csv', downloadName: 'a.csv' })
    expect((await portal.app.inject(url)).statusCode).toBe(200)
    expect(change(url)).not.toBe(url)
    expect((await portal.app.inject(change(url))).json()).toMatchObject({ error: { code: 'link_invalid' } })
  })

  test('refuses HEAD, which would read the whole file', async () => {
    expect((await portal.app.inject({ method: 'HEAD', url: await linkFor() })).statusCode).toBe(404)
  })

  test.each([
    '/api/files/../../../../etc/passwd',
    '/api/files/1/uploads/../../../../../etc/passwd',
    '/api/files/1/uploads/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/api/files/1/uploads/%2e%2e/%2e%2e/secret-key',
    '/api/files/%2e%2e/%2e%2e/secret-key',
    '/api/files/1/%2e%2e/secret-key',
    '/api/files/1/uploads/..%5c..%5csecret-key',
    '/api/files//etc/passwd',
    '/api/files/1/uploads/%00',
    '/api/files/1/uploads/%c0%ae%c0%ae%c0%af',
    '/api/files/1/uploads/x%0d%0aSet-Cookie:a',
    '/API/FILES/1/uploads/..%2f..%2fsecret-key',
  ])('that is forged (%s) opens nothing', async (path) => {
    const query = `?expires=99999999999&signature=${'A'.repeat(43)}`
    for (const method of ['GET', 'PUT']) {
      expect([400, 403, 404]).toContain(await statusOfRaw(method, path + query))
    }
  })
})
