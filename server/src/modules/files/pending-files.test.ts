import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type S3Server, startS3 } from '#test/stand-ins/s3-server.ts'
import type { FileKeys } from '#platform/registration.ts'
import { newStorageKey } from './storage-keys.ts'
import { releaseFile, removeAbandoned } from './pending-files.service.ts'

let onDisk: TestPortal
let inBucket: TestPortal
let s3: S3Server
let account: number

beforeAll(async () => {
  s3 = await startS3()
  onDisk = await startPortal()
  inBucket = await startPortal({ s3: s3.s3 })
  account = await onDisk.account()
  await inBucket.account()
})
afterAll(async () => {
  await onDisk.close()
  await inBucket.close()
  await s3.stop()
})

const content = () => Readable.from(['a file'])

/** Records that name these keys. */
const records = (keys: Record<string, 'kept' | 'in use'>): FileKeys[] => [
  { kind: 'exports', states: async () => new Map(Object.entries(keys)) },
]
const sweep = (portal: TestPortal, keys: Record<string, 'kept' | 'in use'> = {}) =>
  removeAbandoned(portal.parts, records(keys), new Date())
const pending = async ({ parts }: TestPortal, key: string) =>
  (await parts.database.pool.query('SELECT 1 FROM portico.pending_files WHERE storage_key = $1', [key])).rowCount

describe.each([
  ['on the disk', () => onDisk],
  ['in a bucket', () => inBucket],
])('%s', (_name, portalOf) => {
  let portal: TestPortal
  beforeAll(() => {
    portal = portalOf()
  })

  test('a file without a record is removed, and one with a record is kept', async () => {
    const [lost, kept, used] = [
      newStorageKey(account, 'exports'),
      newStorageKey(account, 'exports'),
      newStorageKey(account, 'exports'),
    ]
    const { storage } = portal.parts
    for (const key of [lost, kept, used]) await storage.put(key, content())
    // A process may still be about to record it.
    expect(await removeAbandoned(portal.parts, records({}))).toBe(0)
    expect(await sweep(portal, { [kept]: 'kept', [used]: 'in use' })).toBe(1)
    expect(await Promise.all([lost, kept, used].map((key) => storage.size(key)))).toEqual([null, 6, 6])
    expect(await Promise.all([lost, kept, used].map((key) => pending(portal, key)))).toEqual([0, 0, 1])
    // The work has ended with a different file.
    expect(await sweep(portal)).toBe(1)
    expect(await storage.size(used)).toBeNull()
  })

  test('a released file is removed by the next sweep if the process died after the commit', async () => {
    const { storage, database, log } = portal.parts
    const key = newStorageKey(account, 'exports')
    await storage.put(key, content())
    await sweep(portal, { [key]: 'kept' })
    const release = () =>
      database.db.transaction().execute((tx) => releaseFile(tx, { db: database.db, storage, log }, key))
    const rolledBack = database.db.transaction().execute(async (tx) => {
      await releaseFile(tx, { db: database.db, storage, log }, key)
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await pending(portal, key)).toBe(0)
    await release()
    expect(await storage.size(key)).toBe(6)
    expect(await sweep(portal)).toBe(1)
    expect(await storage.size(key)).toBeNull()
  })

  test('a file that was released and removed is no longer pending', async () => {
    const { storage, database, log } = portal.parts
    const key = newStorageKey(account, 'exports')
    await storage.put(key, content())
    const remove = await database.db
      .transaction()
      .execute((tx) => releaseFile(tx, { db: database.db, storage, log }, key))
    await remove()
    expect(await storage.size(key)).toBeNull()
    expect(await pending(portal, key)).toBe(0)
  })

  test('a failed write leaves only a row, which the sweep removes', async () => {
    const key = newStorageKey(account, 'exports')
    const broken = Readable.from(
      (async function* () {
        yield 'half'
        throw new Error('broken off')
      })(),
    )
    await expect(portal.parts.storage.put(key, broken)).rejects.toThrow('broken off')
    expect(await sweep(portal)).toBe(0)
    expect(await pending(portal, key)).toBe(0)
  })
})

const remember = (portal: TestPortal, key: string) =>
  portal.parts.database.pool.query(
    `INSERT INTO portico.pending_files (storage_key, account_id, seen_at) VALUES ($1, $2, $3)`,
    // The database's own clock is finer than the sweep's: its moment would be later than the sweep of the same
    // millisecond.
    [key, account, new Date()],
  )

test('an unfinished file on disk is removed, even of an upload with a record', async () => {
  const [lost, recorded] = [newStorageKey(account, 'exports'), newStorageKey(account, 'exports')]
  const folder = join(onDisk.config.dataDir, 'files', String(account), 'exports')
  await mkdir(folder, { recursive: true })
  for (const key of [lost, recorded]) {
    await writeFile(join(folder, `.${key.split('/')[2]}.once.part`), 'half')
    await remember(onDisk, key)
  }
  await sweep(onDisk, { [recorded]: 'kept' })
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
})

test('unfinished parts in a bucket are removed', async () => {
  const key = newStorageKey(account, 'exports')
  const { endpoint, region, bucket, accessKey, secretKey } = s3.s3
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  const at = { Bucket: bucket, Key: key }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at))
  await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'half' }))
  await remember(inBucket, key)
  const parts = async () => (await readdir(s3.folder, { recursive: true })).filter((path) => /_uploads\//.test(path))
  expect(await parts()).not.toEqual([])
  await sweep(inBucket)
  expect(await parts()).toEqual([])
})
