import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Transform } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { StorageUse } from '@portico/contract/downloads'
import type { Import } from '@portico/contract/imports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runImport } from '#imports'
import { recordsWithoutFile } from '#test/kit/files-and-records.ts'
import { anImport, contactsOf, ended, importFile, submit, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import type { Storage } from '#platform/storage.ts'

// The report of rows set aside, for an import that ends while writing it, and for one that fills the storage.

const path = '/contact-service/v1/imports'

let portal: TestPortal
let member: Member

async function open(limits: { storageQuota?: number } = {}): Promise<void> {
  portal = await startPortal(limits)
  member = await portal.member(await portal.account())
}
beforeEach(() => open())
afterEach(() => portal.close())

/** Rows with a cell too many, of about this size. */
const badRows = (bytes: number): string => `${'x'.repeat(10_000)},b,c,d,e\n`.repeat(Math.ceil(bytes / 10_000))
const cutShort = (file: Buffer): Buffer => file.subarray(0, file.length - 2000)
// Incompressible, so cutting the file loses part of it.
const noise = (rows: number): string => Array.from({ length: rows }, () => `${crypto.randomUUID()}@x.org,1\n`).join('')

async function setAsideFiles(): Promise<string[]> {
  const found = []
  const cwd = join(portal.config.dataDir, 'files', String(member.account))
  for await (const file of glob(['set-aside/*', 'set-aside/.*'], { cwd })) found.push(file)
  return found
}

async function expectNothingLeft(): Promise<void> {
  expect(await setAsideFiles()).toEqual([])
  expect(await recordsWithoutFile(portal, [member.account])).toEqual([])
}

describe('the report is removed for an import', () => {
  test('whose file is truncated', async () => {
    await portal.startWorker()
    const file = cutShort(gzipSync(`Email,B\nok@x.org,1\n${badRows(2_000_000)}${noise(2000)}`))
    const done = await importFile(portal, member, file, { filePath: 'cut.csv.gz' })
    expect(done).toMatchObject({ status: 'rejected', recoveryError: expect.stringContaining('damaged') })
    await expectNothingLeft()
  })

  test('of events whose file is truncated', async () => {
    await portal.startWorker()
    await importFile(portal, member, 'Email\nok@x.org\n')
    const file = cutShort(
      gzipSync(`Email,event_code,event_date\nok@x.org,click,2026-01-01\n${badRows(2_000_000)}${noise(2000)}`),
    )
    await upload(portal, member, 'cut.csv.gz', file)
    const draft = { kind: 'events', keyColumn: 'Email', keyField: 'Email' }
    const { name, fileDelimiter, processBatchSize } = anImport()
    const settings = { ...draft, name, fileDelimiter, processBatchSize, filePath: 'cut.csv.gz' }
    const asked = await member.post(path, settings)
    expect(asked).toMatchObject({ status: 201 })
    expect(await ended(member, asked.json<Import>()._id)).toMatchObject({ status: 'rejected' })
    await expectNothingLeft()
  })

  test('whose columns exceed the limit of the account once its file is read', async () => {
    await portal.startWorker()
    await importFile(portal, member, 'Email\nok@x.org\n')
    const names = Array.from({ length: 2000 }, (_name, at) => `own ${at}`)
    const pool = portal.parts.database.pool
    await pool.query(`INSERT INTO account_${member.account}.event_fields (name) SELECT unnest($1::text[])`, [names])
    await upload(
      portal,
      member,
      'events.csv',
      `Email,event_code,event_date,new one\nok@x.org,click,2026-01-01,1\n${'x,y\n'.repeat(10)}`,
    )
    const { name, fileDelimiter, processBatchSize } = anImport()
    const draft = { kind: 'events', keyColumn: 'Email', keyField: 'Email', filePath: 'events.csv' }
    const asked = await member.post(path, { ...draft, name, fileDelimiter, processBatchSize })
    expect(asked).toMatchObject({ status: 201 })
    expect(await ended(member, asked.json<Import>()._id)).toMatchObject({ status: 'rejected' })
    await expectNothingLeft()
  })

  test.each([
    ['that is cancelled', async (id: string) => void (await member.put(`${path}/${id}`, { cancel: true }))],
    ['whose worker stops', async (_id: string, stop: () => void) => stop()],
  ])('%s while it is examined', async (_name, interrupt) => {
    const file = gzipSync(`Email,B\nok@x.org,1\n${badRows(2_000_000)}${noise(20_000)}`)
    const { _id } = await submit(portal, member, file, { filePath: 'whole.csv.gz' })
    const stopping = new AbortController()
    const { database, log } = portal.parts
    const storage = slowAtEnd(portal.parts.storage, async () => {
      expect(await setAsideFiles()).toHaveLength(1)
      await interrupt(_id, () => stopping.abort())
    })
    const deps = { database, log, storage, onCompleted: async () => {}, onRejected: async () => {} }
    await runImport(deps, member.account, Number(_id), stopping.signal).catch(() => {})
    expect((await member.get(`${path}/${_id}`)).json<Import>().status).not.toBe('completed')
    await expectNothingLeft()
  })
})

const pool = () => portal.parts.database.pool

/** A storage that is slow to read the end of the file, and calls `meanwhile` once before it. */
function slowAtEnd(storage: Storage, meanwhile: () => Promise<unknown>): Storage {
  let isOver = false
  return {
    ...storage,
    async read(key, range) {
      const source = await storage.read(key, range)
      const slow = new Transform({
        async transform(piece: Buffer, _encoding, done) {
          const half = Math.floor(piece.length / 2)
          this.push(piece.subarray(0, half))
          // More than a second, after which an import checks whether it was cancelled.
          if (!isOver && piece.length > 100_000) {
            await new Promise((resolve) => setTimeout(resolve, 1100))
            isOver = true
            await meanwhile()
          }
          done(null, piece.subarray(half))
        },
      })
      pipeline(source, slow, () => {})
      return slow
    },
  }
}

test('a report of unmatched events replaces the one of damaged rows, which is removed', async () => {
  await portal.startWorker()
  await importFile(portal, member, 'Email\nok@x.org\n')
  await upload(
    portal,
    member,
    'events.csv',
    'Email,event_code,event_date\nok@x.org,click,2026-01-01\nno@x.org,click,2026-01-01\na,b\n',
  )
  const { name, fileDelimiter, processBatchSize } = anImport()
  const draft = { kind: 'events', keyColumn: 'Email', keyField: 'Email', filePath: 'events.csv' }
  const asked = await member.post(path, { ...draft, name, fileDelimiter, processBatchSize })
  const done = await ended(member, asked.json<Import>()._id)
  expect(done).toMatchObject({ status: 'completed', setAsideRecords: 2 })
  expect(await setAsideFiles()).toHaveLength(1)
  expect(await recordsWithoutFile(portal, [member.account])).toEqual([])
})

describe('with a quota', () => {
  const useOf = async () => (await member.get('/contact-service/v1/storage')).json<StorageUse>()
  const big = () => gzipSync(`Email,B\nok@x.org,1\n${badRows(90_000)}`)

  beforeEach(async () => {
    await portal.close()
    await open({ storageQuota: 200_000 })
    await portal.startWorker()
  })

  test('reports count at once, and an import that would exceed it is rejected before loading', async () => {
    await upload(portal, member, 'bad.csv.gz', big())
    const importAgain = async () => {
      const asked = await member.post(path, anImport({ filePath: 'bad.csv.gz' }))
      expect(asked).toMatchObject({ status: 201 })
      return ended(member, asked.json<Import>()._id)
    }
    // The storage use is not read in between: reading it measures files.
    const all = [await importAgain(), await importAgain(), await importAgain()]
    expect(all.map(({ status }) => status)).toEqual(['completed', 'completed', 'rejected'])
    expect(all[2]).toMatchObject({ createdRecords: 0, recoveryError: expect.stringContaining('Nothing was imported') })
    expect(all[2]?.recoveryError).toContain('storage quota of 200 kB')
    expect(await contactsOf(member)).toHaveLength(2)
    expect(await setAsideFiles()).toHaveLength(2)
    expect((await useOf()).total).toBeLessThanOrEqual(200_000)
    expect((await useOf()).reports).toBeGreaterThan(180_000)
  })

  test('a full account is refused new imports, with the reason', async () => {
    await upload(portal, member, 'bad.csv.gz', big())
    await pool().query('UPDATE portico.uploads SET size_bytes = 200000 WHERE account_id = $1', [member.account])
    const refused = await member.post(path, anImport({ filePath: 'bad.csv.gz' }))
    expect(refused).toMatchObject({
      status: 413,
      body: { error: { code: 'storage_full', message: expect.stringContaining('storage quota of 200 kB') } },
    })
    const stranger = await portal.member(await portal.account())
    await upload(portal, stranger, 'fine.csv', 'Email\nok@x.org\n')
    expect(await stranger.post(path, anImport({ filePath: 'fine.csv' }))).toMatchObject({ status: 201 })
  })
})
