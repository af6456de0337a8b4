import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contactFile, earlier, rowCount, settings } from '#test/processes/disturbed-imports.ts'
import { importWorkers } from '#test/processes/import-workers.ts'
import { submit } from '#test/resources/imports.ts'
import { isLong } from '#test/processes/rounds.ts'
import { sheetRows, workbookOf } from '#test/resources/workbooks.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Imports whose worker is killed halfway.

let portal: TestPortal

beforeAll(async () => {
  // No worker in this process: the tests start their own and kill it.
  portal = await startPortal()
})
afterAll(() => portal.close())

const file = contactFile(rowCount)
const workbookRows = rowCount / 2

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

/** Moments at which an import is killed, in this order; the regular suite uses half of them. */
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
    'at many moments: every row is loaded once, PURLs are unique, counts are correct',
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

  test(
    'during the first import of an account, which loads straight into the contacts',
    { timeout: 120_000 },
    async () => {
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
    },
  )

  test('during a workbook import: its contacts equal those of the same text', { timeout: 120_000 }, async () => {
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
