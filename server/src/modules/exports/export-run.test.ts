import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NewExport } from '@portico/contract/exports'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ensureFields } from '#contacts'
import { runExport } from '#exports'
import { AttemptLost } from '#platform/jobs/job-runs.ts'
import { addContacts } from '#test/resources/contacts.ts'
import {
  createExport,
  downloadExport,
  endedExport,
  exportDraft,
  exportsPath as path,
  readExport,
} from '#test/resources/exports.ts'
import { ownWorkers } from '#test/processes/own-workers.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { rounds } from '#test/processes/rounds.ts'

let portal: TestPortal
let account: number
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  member = await portal.member(account)
  await addContacts(portal.parts.database, account, { Name: 'string', Age: 'number' }, [
    { Name: 'a' },
    { Name: 'b', Age: 2 },
  ])
})
afterAll(() => portal.close())

const aWholeFile = 'Name,Age\na,\nb,2\n'
const create = (aggregateQuery?: unknown[]) =>
  createExport(
    member,
    exportDraft(['Name', 'Age'], aggregateQuery ? { aggregateQuery: JSON.stringify(aggregateQuery) } : {}),
  )
/** Runs the job in this process. */
const run = (id: string, signal = new AbortController().signal, of = account) => runExport(portal.parts, of, id, signal)
/** Files of exports on the disk, finished or not. */
async function storedFiles(of = account): Promise<string[]> {
  const names = await readdir(join(portal.config.dataDir), { recursive: true })
  return names.filter((name) => new RegExp(`(^|/)${of}/exports/.`).test(name))
}

/** Lets exports of the account begin, but blocks reading. */
async function holdContacts(): Promise<{ waiting: () => Promise<number[]>; release: () => Promise<void> }> {
  const holder = new pg.Client({ connectionString: portal.parts.database.url })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query(`LOCK TABLE account_${account}.contacts IN ACCESS EXCLUSIVE MODE`)
  const waiting = async () => {
    const { rows } = await portal.parts.database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return rows.map(({ pid }) => pid)
  }
  let isHeld = true
  return {
    waiting,
    async release() {
      if (isHeld) await holder.end()
      isHeld = false
    },
  }
}

describe('a running export', () => {
  let held: Awaited<ReturnType<typeof holdContacts>>
  afterEach(() => held.release())

  test('shows as processing, ends within about a second when cancelled, and leaves nothing behind', async () => {
    const before = await storedFiles()
    const { _id } = await create([{ $match: { Age: 2 } }])
    held = await holdContacts()
    const running = run(_id)
    await expect.poll(held.waiting).toHaveLength(1)
    expect(await readExport(member, _id)).toMatchObject({
      status: 'processing',
      startDate: expect.any(String) as string,
    })
    const asked = performance.now()
    expect((await member.put(`${path}/${_id}`, { cancel: true })).status).toBe(200)
    await running
    expect(performance.now() - asked).toBeLessThan(2000)
    expect(await readExport(member, _id)).toMatchObject({ status: 'rejected', recoveryError: 'cancelled by the user' })
    await expect.poll(held.waiting).toEqual([])
    expect(await storedFiles()).toEqual(before)
  })

  test('returns to the queue when the worker is stopped gracefully', async () => {
    held = await holdContacts()
    const { _id } = await create()
    const stop = new AbortController()
    const running = run(_id, stop.signal)
    await expect.poll(held.waiting).toHaveLength(1)
    stop.abort()
    await expect(running).rejects.toThrow('The worker is stopping')
    expect(await readExport(member, _id)).toMatchObject({ status: 'waiting', recoveryCount: 0, recoveryError: null })
    await held.release()
    await run(_id)
    expect(await readExport(member, _id)).toMatchObject({ status: 'completed', recoveryCount: 0 })
    expect((await downloadExport(portal, member, `${_id}.csv`)).text).toBe(aWholeFile)
  })

  test('recovers when its connection to the database breaks', async () => {
    held = await holdContacts()
    const { _id } = await create()
    const running = run(_id)
    await expect.poll(held.waiting).toHaveLength(1)
    const failure = running.catch((error: unknown) => String(error))
    await portal.parts.database.pool.query('SELECT pg_terminate_backend($1::int)', [(await held.waiting())[0]])
    expect(await failure).toMatch(/terminat/)
    expect(await readExport(member, _id)).toMatchObject({
      status: 'recovery',
      recoveryCount: 0,
      recoveryError: 'The connection to the database was lost.',
    })
    await held.release()
    await run(_id)
    expect(await readExport(member, _id)).toMatchObject({ status: 'completed', recoveryCount: 1, recoveryError: null })
    expect((await downloadExport(portal, member, `${_id}.csv`)).text).toBe(aWholeFile)
  })

  test('yields to another worker that has taken it over', async () => {
    held = await holdContacts()
    const { _id } = await create()
    const first = run(_id)
    await expect.poll(held.waiting).toHaveLength(1)
    const second = run(_id)
    await expect.poll(held.waiting).toHaveLength(2)
    // The first one notices this on its next report, and stops without a record: only the queue may know it.
    await expect(first).rejects.toThrow(AttemptLost)
    await held.release()
    await second
    expect(await readExport(member, _id)).toMatchObject({ status: 'completed', recoveryCount: 1 })
    expect((await downloadExport(portal, member, `${_id}.csv`)).text).toBe(aWholeFile)
  })
})

describe('an export that cannot be finished', () => {
  test('is retried five times when the file cannot be stored, then rejected with the reason', async () => {
    const { _id } = await create()
    const files = join(portal.config.dataDir, 'files')
    await mkdir(files, { recursive: true })
    await rename(files, `${files}-away`)
    await writeFile(files, 'in the way')
    try {
      for (const recoveryCount of [0, 1, 2, 3, 4]) {
        await expect(run(_id)).rejects.toThrow(/./)
        expect(await readExport(member, _id)).toMatchObject({
          status: 'recovery',
          recoveryCount,
          recoveryError: expect.any(String) as string,
        })
      }
      await run(_id)
    } finally {
      await rm(files)
      await rename(`${files}-away`, files)
    }
    expect(await readExport(member, _id)).toMatchObject({
      status: 'rejected',
      recoveryCount: 5,
      recoveryError: expect.stringMatching(/^Failed after 5 retries\. /) as string,
    })
    // Running a finished job again changes nothing.
    await run(_id)
    expect((await readExport(member, _id)).status).toBe('rejected')
  })

  test('is rejected when its workers die repeatedly', async () => {
    const { _id } = await create()
    await portal.parts.database.pool.query(
      `UPDATE account_${account}.exports SET status = 'recovery', recovery_count = 5 WHERE id = $1`,
      [_id],
    )
    await run(_id)
    expect(await readExport(member, _id)).toMatchObject({
      status: 'rejected',
      recoveryError: 'Failed after 5 retries. The worker stopped every time.',
    })
  })

  test('is rejected when the filter no longer fits the fields', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    await addContacts(portal.parts.database, own, { Age: 'number' }, [{ Age: 1 }])
    const { _id } = await createExport(by, exportDraft(['Age'], { aggregateQuery: '[{"$match":{"Age":{"$gt":0}}}]' }))
    await ensureFields(portal.parts.database.db, own, [{ name: 'Age', type: 'string' }])
    await run(_id, undefined, own)
    expect(await readExport(by, _id)).toMatchObject({
      status: 'rejected',
      recoveryError: '"Age" can be compared with text, not with 0.',
    })
  })

  test('of another account is not run', async () => {
    const { _id } = await create()
    await run(_id, undefined, await portal.account())
    expect((await readExport(member, _id)).status).toBe('waiting')
  })
})

describe('a large export', () => {
  const rows = rounds(150_000, 400_000)
  const workers = ownWorkers(() => portal)
  let large: number
  let by: Member

  beforeAll(async () => {
    large = await portal.account()
    by = await portal.member(large)
    await addContacts(portal.parts.database, large, { Number: 'number', Text: 'string', More: 'string' }, [])
    await portal.parts.database.pool.query(
      `INSERT INTO account_${large}.contacts (id, import_id, c1, c2, c3)
       SELECT i, 1, i, repeat(md5(i::text), 15), 'a "quoted"' || chr(10) || 'line' FROM generate_series(1, ${rows}) i`,
    )
  })
  afterAll(workers.killAll)

  const wholeHash = (columns: string[]) => {
    const hash = createHash('sha256').update(`${columns.join()}\n`)
    for (let row = 1; row <= rows; row++) {
      const Text = createHash('md5').update(String(row)).digest('hex').repeat(15)
      const cells: Record<string, string> = { Number: String(row), Text, More: '"a ""quoted""\nline"', count: '1' }
      hash.update(`${columns.map((column) => cells[column]).join()}\n`)
    }
    return hash.digest('hex')
  }

  test('that is cancelled while running stops at once, and its file never appears', async () => {
    const { _id } = await createExport(by, exportDraft(['Number', 'Text', 'More']))
    const running = run(_id, undefined, large)
    await expect
      .poll(async () => (await readExport(by, _id)).processedRecords, { interval: 20, timeout: 20_000 })
      .toBeGreaterThan(0)
    expect(await readExport(by, _id)).toMatchObject({ status: 'processing', totalRecords: rows })
    const asked = performance.now()
    await by.put(`${path}/${_id}`, { cancel: true })
    await running
    expect(performance.now() - asked).toBeLessThan(2000)
    const { status, processedRecords } = await readExport(by, _id)
    expect(status).toBe('rejected')
    expect(processedRecords).toBeLessThan(rows)
    expect(await storedFiles(large)).toEqual([])
    // The connection that was sending is closed too.
    const sending = async () =>
      (
        await portal.parts.database.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%COPY%' AND pid <> pg_backend_pid()`,
        )
      ).rowCount
    await expect.poll(sending).toBe(0)
  })

  const groups = [
    { $group: { _id: { Number: '$Number', Text: '$Text' }, count: { $count: {} } } },
    { $sort: { Number: 1 } },
  ]

  test.each<[string, string[], Partial<NewExport>]>([
    ['of contacts', ['Number', 'Text', 'More'], {}],
    ['of groups', ['count', 'Text', 'Number'], { aggregateQuery: JSON.stringify(groups) }],
  ])(
    '%s is complete even if its worker is killed while running',
    async (_what, columns, more) => {
      const { _id } = await createExport(by, exportDraft(columns, more))
      const first = workers.start()
      await expect
        .poll(async () => (await readExport(by, _id)).processedRecords, { interval: 10, timeout: 60_000 })
        .toBeGreaterThan(0)
      first.kill('SIGKILL')
      const { status, processedRecords } = await readExport(by, _id)
      expect(status).toBe('processing')
      expect(processedRecords).toBeLessThan(rows)
      expect((await by.get(`/contact-service/v1/downloads/${_id}.csv`)).body).toMatchObject({
        error: { code: 'not_ready' },
      })
      workers.start()
      expect(await endedExport(by, _id, 90_000)).toMatchObject({
        status: 'completed',
        recoveryCount: 1,
        processedRecords: rows,
        totalRecords: rows,
      })
      const { text } = await downloadExport(portal, by, `${_id}.csv`)
      expect(createHash('sha256').update(text).digest('hex')).toBe(wholeHash(columns))
      await workers.killAll()
      // A worker starts slowly on a busy machine, and a killed one is detected after ten seconds.
    },
    180_000,
  )
})
