import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { FileMissing, maxLinkSeconds, type Storage } from '#platform/storage.ts'
import { type S3Server, startS3 } from '#test/stand-ins/s3-server.ts'
import { createStorage, newStorageKey } from '#files'
import { removeAbandonedFiles } from './disk-storage.ts'

const log = pino({ level: 'silent' })
const secrets = { secretKey: 'a secret of at least thirty-two characters', publicUrl: 'https://portal.example' }
let dataDir: string
let s3: S3Server
let disk: Storage
let bucket: Storage

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-files-'))
  s3 = await startS3()
  disk = createStorage({ ...secrets, dataDir, s3: null }, log)
  bucket = createStorage({ ...secrets, dataDir, s3: s3.s3 }, log)
})

afterAll(async () => {
  await s3.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const newKey = (): string => newStorageKey(7, 'uploads')
const text = async (storage: Storage, key: string, range?: { start?: number; end?: number }): Promise<string> =>
  (await buffer(await storage.read(key, range))).toString()
const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** All files of the key in both storages, and every unfinished part in the bucket. */
async function remains(key: string): Promise<string[]> {
  const name = key.split('/')[2] ?? ''
  const onDisk = await readdir(dataDir, { recursive: true })
  const inBucket = await readdir(s3.folder, { recursive: true })
  return [...onDisk, ...inBucket].filter((path) => path.includes(name) || /_uploads\//.test(path))
}

/** The first bytes of a file that breaks off. */
async function* breakingOff(bytes: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes; sent += 1024 * 1024) yield randomBytes(1024 * 1024)
  throw new Error('broken off')
}

describe.each([
  ['the disk', () => disk],
  ['a bucket', () => bucket],
])('%s', (_name, storageOf) => {
  let storage: Storage
  beforeAll(() => {
    storage = storageOf()
  })

  test('stores a file and returns its size', async () => {
    const key = newKey()
    expect(await storage.put(key, Readable.from(['héllo ', 'world']), { contentType: 'text/plain' })).toBe(12)
    expect(await storage.size(key)).toBe(12)
    expect(await text(storage, key)).toBe('héllo world')
  })

  test('stores an empty file', async () => {
    const key = newKey()
    expect(await storage.put(key, Readable.from([]))).toBe(0)
    expect(await storage.size(key)).toBe(0)
    expect(await text(storage, key)).toBe('')
  })

  test('stores a file of several parts byte for byte', async () => {
    const key = newKey()
    const chunks = Array.from({ length: 40 }, () => randomBytes(1_000_001))
    expect(await storage.put(key, Readable.from(chunks))).toBe(40_000_040)
    expect(hash(await buffer(await storage.read(key)))).toBe(hash(Buffer.concat(chunks)))
  })

  test('replaces a file that is put again', async () => {
    const key = newKey()
    await storage.put(key, Readable.from(['a longer first one']))
    await storage.put(key, Readable.from(['second']))
    expect(await text(storage, key)).toBe('second')
  })

  test('reads a range', async () => {
    const key = newKey()
    await storage.put(key, Readable.from(['0123456789']))
    expect(await text(storage, key, { start: 3 })).toBe('3456789')
    expect(await text(storage, key, { start: 3, end: 5 })).toBe('34')
    expect(await text(storage, key, { end: 4 })).toBe('0123')
    expect(await text(storage, key, { start: 8, end: 99 })).toBe('89')
    expect(await text(storage, key, { start: 5, end: 5 })).toBe('')
    expect(await text(storage, key, { start: 10 })).toBe('')
  })

  test('reports a missing file', async () => {
    const key = newKey()
    expect(await storage.size(key)).toBeNull()
    await expect(storage.read(key)).rejects.toThrow(FileMissing)
    await expect(storage.read(key, { start: 2, end: 2 })).rejects.toThrow(FileMissing)
    await expect(storage.remove(key)).resolves.toBeUndefined()
  })

  test('removes a file', async () => {
    const key = newKey()
    await storage.put(key, Readable.from(['gone']))
    await storage.remove(key)
    expect(await storage.size(key)).toBeNull()
    expect(await remains(key)).toEqual([])
  })

  test.each([1, 36])('leaves nothing of a file that is interrupted after %i MB', async (megabytes) => {
    const key = newKey()
    const content = Readable.from(breakingOff(megabytes * 1024 * 1024))
    await expect(storage.put(key, content)).rejects.toThrow('broken off')
    expect(await storage.size(key)).toBeNull()
    expect(await remains(key)).toEqual([])
  })

  test('stops when aborted and leaves nothing behind', async () => {
    const key = newKey()
    const stop = new AbortController()
    const endless = Readable.from(
      (async function* () {
        for (let sent = 0; ; sent++) {
          if (sent === 20) stop.abort()
          yield randomBytes(1024 * 1024)
          await nextTurn()
        }
      })(),
    )
    await expect(storage.put(key, endless, { signal: stop.signal })).rejects.toThrow(/abort/i)
    expect(await storage.size(key)).toBeNull()
    expect(await remains(key)).toEqual([])
  })

  const uuid = randomUUID()
  test.each([
    '',
    uuid,
    `/${uuid}`,
    `/etc/passwd`,
    `../../etc/passwd`,
    `7/uploads/../../../../etc/passwd`,
    `7/../8/${uuid}`,
    `7/uploads/..`,
    `7/uploads/.`,
    `7/uploads/.${uuid}.once.part`,
    `7/uploads/${uuid}/x`,
    `7//${uuid}`,
    `7/uploads/${uuid}\0.csv`,
    `7/uploads\\${uuid}`,
    `7/uploads/${uuid}\n`,
    `7/uploads/${uuid.toUpperCase()}X`,
    `7/uploads/%2e%2e`,
    `07/uploads/${uuid}`,
    `0/uploads/${uuid}`,
    `-1/uploads/${uuid}`,
    `C:/uploads/${uuid}`,
    `7/uploads/con..csv`,
    `7/uploads/${'x'.repeat(300)}`,
  ])('refuses %j as a key', async (key) => {
    await expect(async () => storage.put(key, Readable.from(['x']))).rejects.toThrow('not a storage key')
    await expect(async () => storage.read(key)).rejects.toThrow('not a storage key')
    await expect(async () => storage.size(key)).rejects.toThrow('not a storage key')
    await expect(async () => storage.remove(key)).rejects.toThrow('not a storage key')
    await expect(async () => storage.uploadUrl(key, { expiresInSeconds: 60 })).rejects.toThrow('not a storage key')
    await expect(async () => storage.downloadUrl(key, { expiresInSeconds: 60 })).rejects.toThrow('not a storage key')
  })

  test('creates no link that lasts longer than a bucket allows', async () => {
    const key = newKey()
    await expect(storage.downloadUrl(key, { expiresInSeconds: maxLinkSeconds })).resolves.toContain(key)
    await expect(storage.downloadUrl(key, { expiresInSeconds: maxLinkSeconds + 1 })).rejects.toThrow(/seconds|week/)
  })
})

describe('disk storage', () => {
  test('accepts a file once: a second one is refused, and the first is kept', async () => {
    const key = newKey()
    await disk.put(key, Readable.from(['first']), { once: true })
    await expect(disk.put(key, Readable.from(['second']), { once: true })).rejects.toMatchObject({
      code: 'link_invalid',
    })
    expect(await text(disk, key)).toBe('first')
  })

  test('stores exactly one of many simultaneous files, complete', async () => {
    const key = newKey()
    const contents = Array.from({ length: 20 }, (_, n) => String(n).repeat(200_000))
    const outcomes = await Promise.allSettled(
      contents.map((content) => disk.put(key, Readable.from([content]), { once: true })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(contents).toContain(await text(disk, key))
    expect(await remains(key)).toHaveLength(1)
  })

  test('refuses a second file at once while the first is being written', async () => {
    const key = newKey()
    const first = new PassThrough()
    const put = disk.put(key, first, { once: true })
    first.write('first')
    await vi.waitFor(async () => expect(await remains(key)).toHaveLength(1))
    // An endless file: waiting for it would never finish.
    await expect(disk.put(key, new PassThrough(), { once: true })).rejects.toMatchObject({ code: 'link_invalid' })
    first.end()
    expect(await put).toBe(5)
    expect(await text(disk, key)).toBe('first')
  })

  test('never replaces a file created during the write', async () => {
    const key = newKey()
    const late = new PassThrough()
    const put = disk.put(key, late, { once: true })
    late.write('late')
    await vi.waitFor(async () => expect(await remains(key)).toHaveLength(1))
    await disk.put(key, Readable.from(['there']))
    late.end()
    await expect(put).rejects.toMatchObject({ code: 'link_invalid' })
    expect(await text(disk, key)).toBe('there')
    expect(await remains(key)).toHaveLength(1)
  })

  test('accepts a retry after an interrupted write-once file', async () => {
    const key = newKey()
    await expect(disk.put(key, Readable.from(breakingOff(3_000_000)), { once: true })).rejects.toThrow('broken off')
    expect(await disk.put(key, Readable.from(['whole']), { once: true })).toBe(5)
  })

  test('shows a file only when it is complete', async () => {
    const key = newKey()
    let finish = (): void => {}
    const halfway = new Promise<void>((resolve) => {
      finish = resolve
    })
    const content = Readable.from(
      (async function* () {
        yield Buffer.from('half')
        await halfway
        yield Buffer.from(' whole')
      })(),
    )
    const put = disk.put(key, content)
    await vi.waitFor(async () => expect(await remains(key)).toHaveLength(1))
    expect(await disk.size(key)).toBeNull()
    finish()
    await put
    expect(await text(disk, key)).toBe('half whole')
  })

  test('removes only what a killed process left behind more than a day ago', async () => {
    const folder = join(dataDir, 'files')
    const of = (name: string): string => join(folder, '9/uploads', name)
    await mkdir(of(''), { recursive: true })
    const names = [`.${randomUUID()}.once.part`, `.${randomUUID()}.${randomUUID()}.part`, randomUUID()]
    for (const name of names) await writeFile(of(name), 'x')
    const [abandoned = '', active = '', finished = ''] = names
    const twoDaysAgo = Date.now() / 1000 - 48 * 3600
    await utimes(of(abandoned), twoDaysAgo, twoDaysAgo)
    await utimes(of(finished), twoDaysAgo, twoDaysAgo)
    await removeAbandonedFiles(folder)
    expect(names.map((name) => existsSync(of(name)))).toEqual([false, true, true])
    expect(active).not.toBe('')
  })
})

describe('bucket storage', () => {
  test('accepts a file of any type with a plain PUT to its link', async () => {
    const key = newKey()
    const url = await bucket.uploadUrl(key, { expiresInSeconds: 60, contentType: 'text/csv' })
    const reply = await fetch(url, { method: 'PUT', body: 'a,b\n1,2\n', headers: { 'content-type': 'text/plain' } })
    expect(reply.status).toBe(200)
    expect(await text(bucket, key)).toBe('a,b\n1,2\n')
    expect(url).not.toMatch(/checksum|crc32/i)
  })

  test('returns a file with a plain GET to its link, as a download with its name', async () => {
    const key = newKey()
    await bucket.put(key, Readable.from(['a,b\n']))
    const url = await bucket.bucketUrl(key, { contentType: 'text/csv', downloadName: 'Größe "1" 🎉.csv' })
    const reply = await fetch(url ?? '')
    expect(reply.status).toBe(200)
    expect(await reply.text()).toBe('a,b\n')
    expect(reply.headers.get('content-type')).toContain('text/csv')
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _1_ _.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%F0%9F%8E%89.csv`,
    )
  })

  test('creates links that last a few minutes at most', async () => {
    expect(await bucket.bucketUrl(newKey(), {})).toContain('X-Amz-Expires=60&')
    expect(await bucket.uploadUrl(newKey(), { expiresInSeconds: 3600 })).toContain('X-Amz-Expires=300&')
  })

  test('refuses a modified link or another method', async () => {
    const [key, other] = [newKey(), newKey()]
    await bucket.put(key, Readable.from(['mine']))
    await bucket.put(other, Readable.from(['not mine']))
    const url = (await bucket.bucketUrl(key, {})) ?? ''
    expect((await fetch(url.replace(key, other))).status).toBe(403)
    expect((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'))).status).toBe(403)
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403)
    expect((await fetch(url)).status).toBe(200)
  })

  test('reports invalid credentials', async () => {
    const stranger = createStorage({ ...secrets, dataDir, s3: { ...s3.s3, secretKey: 'wrong' } }, log)
    await expect(stranger.put(newKey(), Readable.from(['x']))).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' })
    await expect(stranger.size(newKey())).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })
})
