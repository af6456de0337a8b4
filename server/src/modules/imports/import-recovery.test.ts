import type { Import, NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runImport } from '#imports'
import { importWorkers } from '#test/import-workers.ts'
import { ended, importFile, submit } from '#test/imports.ts'
import { isLong, rounds } from '#test/rounds.ts'
import { sheetRows, workbookOf } from '#test/workbooks.ts'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'

// Imports interrupted half-way by failures of every kind.

let portal: TestPortal

beforeAll(async () => {
  // No worker in this process: the tests start their own, and kill it.
  portal = await startPortal()
})
afterAll(() => portal.close())

const patiently = { timeout: 50_000, interval: 20 }
const rowCount = rounds(60_000, 120_000)
const settings: Partial<NewImport> = {
  generatePURL: true,
  dedupHashMatching: true,
  typeCasting: true,
  purlColumns: ['First', 'Last'],
  dedupColumns: ['Email'],
}

/** Rows of which every tenth repeats an earlier contact, and many share their names. Every thousandth has an odd score. */
function contactFile(rows: number): string {
  let text = 'First,Last,Email,Score,Note\n'
  for (let row = 0; row < rows; row++) {
    const who = row % 10 === 9 ? row - 9 : row
    text += `Ann${'abcdefgh'[who % 8]},Lee${'äbçd'[who % 4]},p${who}@example.com,${row % 1000 === 3 ? 'n/a' : who % 100},${row % 3 ? `note ${row}` : ''}\n`
  }
  return text
}

const file = contactFile(rowCount)
const workbookRows = rowCount / 2
const fullDisk = 'The disk is full. Retrying until there is space.'
const earlier = 'First,Last,Email,Score,Note\nOld,One,p5@example.com,1,was here\nAnna,Leea,other@example.com,2,\n'

type State = { status: string; phase: string | null; batches: number; slices: number }

async function stateOf(member: Member, importId: string): Promise<State> {
  const schema = `account_${member.account}`
  const { pool } = portal.parts.database
  const { rows: found } = await pool.query<{ staged: boolean }>(
    `SELECT to_regclass('${schema}.stage_${importId}_slices') IS NOT NULL AS staged`,
  )
  // The table is dropped at the end of the import, perhaps between these two statements.
  const slices = found[0]?.staged
    ? await pool
        .query<{ count: number }>(`SELECT count(*)::int AS count FROM ${schema}.stage_${importId}_slices`)
        .then(({ rows }) => rows[0]?.count ?? 0)
        .catch(() => 0)
    : 0
  const { rows } = await pool.query<State>(
    `SELECT status, phase, (SELECT count(*)::int FROM ${schema}.import_batches WHERE import_id = i.id) AS batches
     FROM ${schema}.imports AS i WHERE id = $1`,
    [importId],
  )
  if (!rows[0]) throw new Error('the import is gone')
  return { ...rows[0], slices }
}

const { killWhen, finish } = importWorkers(() => portal, stateOf)

/** All contacts of the account except the numbers of imports, in the order of their ids. */
async function contactsOf(member: Member): Promise<unknown[]> {
  const schema = `account_${member.account}`
  const { rows } = await portal.parts.database.pool.query(
    `SELECT c.id, c1, c2, c3, c4, c5, dedup_hash, base_purl, purl_number
     FROM ${schema}.contacts AS c JOIN ${schema}.contact_keys AS k ON k.id = c.id ORDER BY c.id`,
  )
  return rows
}

async function expectWhole(member: Member, expected: unknown[]): Promise<void> {
  const schema = `account_${member.account}`
  const { rows } = await portal.parts.database.pool.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM ${schema}.contacts) AS contacts, count(*)::int AS keys,
       count(DISTINCT (base_purl, purl_number))::int AS purls, count(DISTINCT dedup_hash)::int AS hashes
     FROM ${schema}.contact_keys`,
  )
  const count = expected.length
  expect(rows[0]).toEqual({ contacts: count, keys: count, purls: count, hashes: count })
  expect(await contactsOf(member)).toEqual(expected)
  const { rows: left } = await portal.parts.database.pool.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename LIKE 'stage%'`,
    [schema],
  )
  expect(left).toEqual([])
}

/** When an import is killed, in this order; the suite takes half of them. */
const moments: { name: string; inSuite: boolean; isTime: (state: State) => boolean }[] = [
  { name: 'just started', inSuite: false, isTime: ({ status }) => status !== 'waiting' },
  { name: 'examining', inSuite: true, isTime: ({ phase }) => phase === 'examining' },
  { name: 'staging', inSuite: false, isTime: ({ phase }) => phase === 'staging' },
  { name: 'a slice staged', inSuite: true, isTime: ({ slices }) => slices >= 1 },
  { name: 'two slices staged', inSuite: false, isTime: ({ slices }) => slices >= 2 },
  { name: 'matching', inSuite: true, isTime: ({ phase }) => phase === 'matching' },
  { name: 'loading', inSuite: false, isTime: ({ phase }) => phase === 'loading' },
  { name: 'two batches loaded', inSuite: true, isTime: ({ batches }) => batches >= 2 },
  { name: 'five batches loaded', inSuite: true, isTime: ({ batches }) => batches >= 5 },
  { name: 'eight batches loaded', inSuite: false, isTime: ({ batches }) => batches >= 8 },
]

describe('kill -9 of the worker', () => {
  test(
    'at many moments: every row is there once, PURLs are unique, counts are right',
    { timeout: 240_000 },
    async () => {
      const calm = await portal.member(await portal.account())
      const shaken = await portal.member(await portal.account())
      const killed: string[] = []
      for (const member of [calm, shaken]) {
        const before = await submit(portal, member, earlier, { ...settings, name: 'Earlier contacts' })
        await finish(member, before._id)
      }
      const undisturbed = await submit(portal, calm, file, { ...settings, name: 'Undisturbed' })
      const calmEnd = await finish(calm, undisturbed._id)
      const disturbed = await submit(portal, shaken, file, { ...settings, name: 'Disturbed' })
      const chosen = moments.filter(({ inSuite }) => isLong || inSuite)
      for (const { name, isTime } of chosen) if (await killWhen(shaken, disturbed._id, isTime)) killed.push(name)
      expect(killed).toEqual(chosen.map(({ name }) => name))
      const end = await finish(shaken, disturbed._id)
      expect(end.recoveryCount).toBeGreaterThanOrEqual(chosen.length - 1)
      expect(end).toMatchObject({
        status: 'completed',
        recoveryError: null,
        processedRecords: rowCount,
        createdRecords: calmEnd.createdRecords,
        updatedRecords: calmEnd.updatedRecords,
        unchangedRecords: calmEnd.unchangedRecords,
        setAsideCells: rowCount / 1000,
      })
      await expectWhole(shaken, await contactsOf(calm))
    },
  )

  test('of the first import of an account, which goes straight to the contacts', { timeout: 120_000 }, async () => {
    const calm = await portal.member(await portal.account())
    const shaken = await portal.member(await portal.account())
    const undisturbed = await submit(portal, calm, file, settings)
    await finish(calm, undisturbed._id)
    const disturbed = await submit(portal, shaken, file, settings)
    for (const isTime of [
      ({ batches }: State) => batches >= 1,
      ({ batches }: State) => batches >= 3,
      ({ phase }: State) => phase === 'matching',
      ({ phase }: State) => phase === 'indexing',
    ]) {
      await killWhen(shaken, disturbed._id, isTime)
    }
    expect(await finish(shaken, disturbed._id)).toMatchObject({ status: 'completed', processedRecords: rowCount })
    await expectWhole(shaken, await contactsOf(calm))
  })

  test('of a workbook: its contacts are those of the same text', { timeout: 120_000 }, async () => {
    const calm = await portal.member(await portal.account())
    const shaken = await portal.member(await portal.account())
    await finish(calm, (await submit(portal, calm, earlier, settings))._id)
    await finish(shaken, (await submit(portal, shaken, earlier, settings))._id)
    const text = contactFile(workbookRows)
    await finish(calm, (await submit(portal, calm, text, settings))._id)
    const rows = text
      .split('\n')
      .map((line) => line.split(',').map((cell) => (/^\d+$/.test(cell) ? Number(cell) : cell)))
    const workbook = await workbookOf({ sheets: { Leads: sheetRows(rows) } })
    const disturbed = await submit(portal, shaken, workbook, { ...settings, filePath: 'contacts.xlsx' })
    const killed: boolean[] = []
    for (const isTime of [
      ({ phase }: State) => phase === 'examining',
      ({ slices }: State) => slices >= 1,
      ({ batches }: State) => batches >= 1,
    ]) {
      killed.push(await killWhen(shaken, disturbed._id, isTime))
    }
    expect(killed).toEqual([true, true, true])
    expect(await finish(shaken, disturbed._id)).toMatchObject({ status: 'completed', processedRecords: workbookRows })
    await expectWhole(shaken, await contactsOf(calm))
  })
})

describe('with a worker', () => {
  let busy: TestPortal
  let member: Member

  beforeAll(async () => {
    busy = await startPortal()
    await busy.startWorker()
    member = await busy.member(await busy.account())
  })
  afterAll(() => busy.close())

  test('an import goes on after the database dropped all connections', { timeout: 120_000 }, async () => {
    const { _id } = await submit(busy, member, file, settings)
    await vi.waitUntil(async () => {
      const current = (await member.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
      return current.processedRecords > 0
    }, patiently)
    await busy.parts.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%COPY%'`,
    )
    expect(await ended(member, _id)).toMatchObject({
      status: 'completed',
      processedRecords: rowCount,
      createdRecords: rowCount * 0.9,
    })
  })

  test('a full disk is told, and the import goes on when there is room again', { timeout: 120_000 }, async () => {
    const account = await busy.account()
    const owner = await busy.member(account)
    await fillDisk(busy, account)
    const { _id } = await submit(busy, owner, earlier, settings)
    const next = await submit(busy, owner, earlier, settings)
    await vi.waitUntil(async () => {
      const current = (await owner.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
      return current.status === 'recovery' && current.recoveryError === fullDisk
    }, patiently)
    await freeDisk(busy, account)
    const end = await ended(owner, _id)
    expect(end).toMatchObject({ status: 'completed', processedRecords: 2, recoveryError: null })
    // The account's next import waited for it, and so knows its contacts.
    const nextEnd = await ended(owner, next._id)
    expect(nextEnd).toMatchObject({ status: 'completed', createdRecords: 0, unchangedRecords: 2 })
    expect(Date.parse(nextEnd.startDate ?? '')).toBeGreaterThanOrEqual(Date.parse(end.lastActivityDate ?? ''))
  })

  test('new fields wait for whoever reads the contacts for long, and searches go on meanwhile', async () => {
    const owner = await busy.member(await busy.account())
    await importFile(busy, owner, earlier, settings)
    const reader = await busy.parts.database.pool.connect()
    await reader.query(`BEGIN; LOCK TABLE account_${owner.account}.contacts IN ACCESS SHARE MODE`)
    const { _id } = await submit(busy, owner, 'First,Last,Email,Score,Note,New\nA,B,c@x,1,n,new\n', settings)
    await vi.waitUntil(async () => {
      const { rows } = await busy.parts.database.pool.query(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = 'account_${owner.account}.contacts'::regclass`,
      )
      return rows.length > 0
    }, patiently)
    expect((await owner.get('/contact-service/v1/offers?limit=5')).status).toBe(200)
    await reader.query('COMMIT')
    reader.release()
    expect(await ended(owner, _id)).toMatchObject({ status: 'completed', createdRecords: 1, recoveryCount: 0 })
  })

  test('cancelling ends it; what was committed stays and is whole', { timeout: 120_000 }, async () => {
    const owner = await busy.member(await busy.account())
    await importFile(busy, owner, earlier, settings)
    const { _id } = await submit(busy, owner, file, settings)
    await vi.waitUntil(async () => {
      const current = (await owner.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
      return current.phase === 'loading' && current.processedRecords > 0
    }, patiently)
    expect((await owner.put(`/contact-service/v1/imports/${_id}`, { cancel: true })).status).toBe(200)
    const end = await ended(owner, _id)
    expect(end).toMatchObject({ status: 'rejected', recoveryError: 'cancelled by the user', purlStatus: 'rejected' })
    const { rows } = await busy.parts.database.pool.query<{ contacts: number; purls: number }>(
      `SELECT (SELECT count(*)::int FROM account_${owner.account}.contacts) AS contacts,
         (SELECT count(DISTINCT (base_purl, purl_number))::int FROM account_${owner.account}.contact_keys) AS purls`,
    )
    expect(rows[0]).toEqual({ contacts: 2 + end.createdRecords, purls: 2 + end.createdRecords })
    expect((await owner.put(`/contact-service/v1/imports/${_id}`, { cancel: true })).status).toBe(409)
  })

  test(
    'cancelling counts also when all rows are loaded, and their contacts are whole',
    { timeout: 120_000 },
    async () => {
      const owner = await busy.member(await busy.account())
      const { _id } = await submit(busy, owner, file, { ...settings, exportOnImportCompletion: true })
      await vi.waitUntil(async () => {
        const current = (await owner.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
        return current.phase === 'matching'
      }, patiently)
      expect((await owner.put(`/contact-service/v1/imports/${_id}`, { cancel: true })).status).toBe(200)
      const end = await ended(owner, _id)
      expect(end).toMatchObject({
        status: 'rejected',
        recoveryError: 'cancelled by the user',
        processedRecords: rowCount,
      })
      const { rows } = await busy.parts.database.pool.query<{ keys: number }>(
        `SELECT count(*)::int AS keys FROM account_${owner.account}.contact_keys`,
      )
      expect(rows[0]).toEqual({ keys: end.createdRecords })
      expect((await owner.get('/contact-service/v1/exports?count=')).body).toEqual({ count: 0 })
    },
  )
})

test('a disk that stays full keeps an import waiting with its reason, however often it is tried', async () => {
  const member = await portal.member(await portal.account())
  const { database, storage, log } = portal.parts
  await fillDisk(portal, member.account)
  const { _id } = await submit(portal, member, earlier, settings)
  const deps = { database, storage, log, onCompleted: async () => {}, onRejected: async () => {} }
  const run = () => runImport(deps, member.account, Number(_id), new AbortController().signal)
  const current = async () => (await member.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
  for (let attempt = 1; attempt <= 8; attempt++) {
    await expect(run()).rejects.toThrow('No space left on device')
    expect(await current()).toMatchObject({ status: 'recovery', recoveryCount: 0, recoveryError: fullDisk })
  }
  await freeDisk(portal, member.account)
  await run()
  expect(await current()).toMatchObject({ status: 'completed', processedRecords: 2, recoveryError: null })
})

/** Lets the database refuse new contacts of an account, as when its disk is full. */
async function fillDisk({ parts }: TestPortal, account: number): Promise<void> {
  const { pool } = parts.database
  await pool.query(`CREATE FUNCTION account_${account}.no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
  await withTriggers(
    parts,
    `CREATE TRIGGER no_room BEFORE INSERT ON account_${account}.contacts
     FOR EACH ROW EXECUTE FUNCTION account_${account}.no_room()`,
  )
}

async function freeDisk({ parts }: TestPortal, account: number): Promise<void> {
  await withTriggers(parts, `DROP TRIGGER no_room ON account_${account}.contacts`)
}

/** Citus allows triggers on request only; without Citus the setting means nothing. */
async function withTriggers({ database }: TestPortal['parts'], statement: string): Promise<void> {
  const client = await database.pool.connect()
  await client.query('SET citus.enable_unsafe_triggers = on')
  await client.query(statement)
  client.release(true)
}
