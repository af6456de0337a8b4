import type { IndexDetails } from '@portico/contract/indexes'
import { addDays, todayIn } from '@portico/domain/days'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compilePipeline, openContactSource } from '#filters'
import { createSearchNotes, reconcileIndex, tendTrigramIndexes } from '#indexes'
import { addContacts } from '#test/resources/contacts.ts'
import { importFile } from '#test/resources/imports.ts'
import { indexesPath, ownIndexes, settledIndex } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'

const service = '/contact-service/v1'
const today = todayIn('UTC')

let portal: TestPortal
/** Runs no jobs. */
let idle: TestPortal
/** Their account has the index of Note, at the end of each test that uses it but the last. */
let member: Member
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  idle = await startPortal()
  member = await memberOf(portal)
})
afterAll(async () => {
  await portal.close()
  await idle.close()
})

/** A member of an account with this many contacts, with texts in City and Note. */
async function memberOf({ parts, account: create, member: sign }: TestPortal, contacts = 20_001): Promise<Member> {
  const account = await create()
  await addContacts(parts.database, account, { City: 'string', Note: 'string', Age: 'number' }, [])
  await parts.database.pool.query(
    `INSERT INTO account_${account}.contacts (id, import_id, c1, c2)
     SELECT (1::bigint << 33) + i, 1, 'City ' || md5(i::text), CASE i WHEN 7 THEN 'Needle' ELSE 'Hay' END
     FROM generate_series(1, $1::int) AS i`,
    [contacts],
  )
  await parts.database.pool.query(`ANALYZE account_${account}.contacts`)
  return sign(account)
}

const search = (by: Member, find: object) =>
  by.get(`${service}/offers?find=${encodeURIComponent(JSON.stringify([{ $match: find }]))}&limit=5`)
const contains = (by: Member, field: string, text: string) => search(by, { [field]: { $regex: text, $options: 'i' } })
const keptIndexes = async (by: Member) =>
  (await by.get(`${indexesPath}/details`)).json<IndexDetails[]>().filter(({ isKept }) => isKept)
const states = async (by: Member) => (await keptIndexes(by)).map(({ name, state }) => [name, state])
const rowsOf = async ({ parts }: TestPortal, { account }: Member, table: string) =>
  (await parts.database.pool.query<Record<string, unknown>>(`SELECT * FROM account_${account}.${table}`)).rows

async function keptIndex(by: Member, field = 'Note'): Promise<IndexDetails | undefined> {
  expect(await contains(by, field, 'eedl')).toMatchObject({ status: 200 })
  await expect.poll(() => states(by), { timeout: 30_000 }).toEqual([[`contains ${field}`, 'ready']])
  return (await keptIndexes(by))[0]
}

const tend = () => tendTrigramIndexes({ db: portal.parts.database.db, jobs: portal.parts.jobs }, member.account)

/** Whether the database has the index, and whether it is valid. */
async function physical({ parts }: TestPortal, { account }: Member, id = 1): Promise<boolean | null> {
  const { rows } = await parts.database.pool.query<{ valid: boolean }>(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('account_${account}.trigram_index_${id}')`,
  )
  return rows[0]?.valid ?? null
}

test('a search for a part of a text has the index of its field made, and the next one uses it', async () => {
  const first = await contains(member, 'Note', 'EEDL')
  expect(first.body).toMatchObject([{ Note: 'Needle' }])
  expect(await keptIndex(member)).toEqual({
    name: 'contains Note',
    fieldName1: 'Note',
    sortOrder1: 1,
    fieldName2: null,
    sortOrder2: null,
    unique: false,
    isInternal: true,
    isKept: true,
    lastSearchedOn: today,
    state: 'ready',
    reason: null,
    progress: null,
    sizeBytes: expect.any(Number) as number,
    uses: 0,
    createdAt: null,
    creator: null,
  })
  expect((await contains(member, 'Note', 'EEDL')).body).toEqual(first.body)
  const { db } = portal.parts.database
  const { resolve, from } = (await openContactSource(db, member.account, { rows: null })).scope()
  const { where } = compilePipeline([{ $match: { Note: { $regex: 'EEDL', $options: 'i' } } }], resolve)
  const { rows } = await sql`EXPLAIN SELECT count(*) FROM ${from()} WHERE ${where}`.execute(db)
  expect(JSON.stringify(rows)).toContain('trigram_index_1')
})

test('it is none of the indexes that people make: they neither name nor delete it, and may make their own', async () => {
  expect((await member.get(indexesPath)).body).toEqual(ownIndexes)
  expect((await member.get(`${service}/fields`)).body).toMatchObject([{}, { name: 'Note', isIndexed: false }, {}])
  expect((await member.get(`${indexesPath}/field?field=Note`)).body).toEqual({ state: null, isQuick: true })
  for (const name of ['contains Note', 'Contains note']) {
    expect(await member.delete(`${indexesPath}/${encodeURIComponent(name)}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'internal_index' } },
    })
  }
  expect(await states(member)).toEqual([['contains Note', 'ready']])
  const own = await member.post(indexesPath, { key: [['Note', 1]] })
  expect(own).toMatchObject({ status: 202, body: { name: 'cIndex_Note_1' } })
  await member.delete(`${indexesPath}/cIndex_Note_1`)
  expect(await settledIndex(member, 'cIndex_Note_1')).toBeUndefined()
})

test('short, negated and open patterns ask for none, nor do those without the right, and those who see some contacts', async () => {
  const member = await memberOf(idle)
  await contains(member, 'Note', 'ee')
  await search(member, { Note: { $not: { $regex: 'needle' } } })
  await search(member, { $nor: [{ Note: { $regex: 'needle' } }] })
  await search(member, { Note: { $regex: 'n.e.d' } })
  await search(member, { Note: 'Needle' })
  const clerk = await idle.member(member.account, 'contact-service::indexes::get')
  expect(await contains(clerk, 'Note', 'needle')).toMatchObject({ status: 403 })
  const restricted = await restrictedMember(idle, member.account, [{ $match: { Age: null } }])
  expect((await contains(restricted, 'Note', 'needle')).body).toMatchObject([{ Note: 'Needle' }])
  expect([await rowsOf(idle, member, 'field_searches'), await rowsOf(idle, member, 'indexes')]).toEqual([[], []])
  const small = await memberOf(idle, 20_000)
  await contains(small, 'Note', 'needle')
  expect([await rowsOf(idle, small, 'field_searches'), await rowsOf(idle, small, 'indexes')]).toEqual([[], []])
})

test('a search is noted once a day for each field, in its account alone', async () => {
  const [member, stranger] = [await memberOf(idle), await memberOf(idle)]
  for (const text of ['needle', 'hay', 'needle']) await contains(member, 'Note', text)
  expect(await rowsOf(idle, member, 'field_searches')).toEqual([{ field: 2, days: 1, last_day: today }])
  expect(await rowsOf(idle, member, 'indexes')).toMatchObject([{ kind: 'trigram', field_1: 2, state: 'building' }])
  // Another process that notes the same.
  await createSearchNotes(idle.parts)(idle.parts.database.db, member.account, [{ name: 'Note', pattern: 'hay' }])
  expect(await rowsOf(idle, member, 'field_searches')).toMatchObject([{ days: 1 }])
  expect(await rowsOf(idle, stranger, 'field_searches')).toEqual([])
  expect(await keptIndexes(stranger)).toEqual([])
  expect(await states(member)).toEqual([['contains Note', 'building']])
  // One person with searches in many accounts leaves places for indexes that others wait for.
  const { rows } = await idle.parts.database.pool.query(
    "SELECT DISTINCT group_id AS holder FROM jobs.job WHERE name = 'settle-index'",
  )
  expect(rows).toEqual([{ holder: 'portal' }])
})

test('in a large account the third day with a search has it made', async () => {
  const member = await memberOf(idle, 100_001)
  const note = async (day: string) =>
    createSearchNotes(idle.parts, () => day)(idle.parts.database.db, member.account, [
      { name: 'Note', pattern: 'needle' },
    ])
  await contains(member, 'Note', 'needle')
  await note(addDays(today, 1))
  expect(await rowsOf(idle, member, 'field_searches')).toMatchObject([{ days: 2, last_day: addDays(today, 1) }])
  // After 90 days without a search it begins again.
  await note(addDays(today, 92))
  expect(await rowsOf(idle, member, 'field_searches')).toMatchObject([{ days: 1 }])
  await note(addDays(today, 93))
  expect(await rowsOf(idle, member, 'indexes')).toEqual([])
  await note(addDays(today, 94))
  expect(await rowsOf(idle, member, 'indexes')).toMatchObject([{ kind: 'trigram', field_1: 2 }])
})

test('it is dropped after 90 days without a search, and made again by the next one', async () => {
  const age = (days: number) =>
    portal.parts.database.pool.query(
      `UPDATE account_${member.account}.field_searches SET last_day = $1::date - $2::int`,
      [today, days],
    )
  await age(90)
  await tend()
  expect(await states(member)).toEqual([['contains Note', 'ready']])
  await age(91)
  await tend()
  await expect.poll(() => states(member), { timeout: 20_000 }).toEqual([])
  expect(await physical(portal, member)).toBeNull()
  await createSearchNotes(portal.parts)(portal.parts.database.db, member.account, [{ name: 'Note', pattern: 'hay' }])
  await expect.poll(() => states(member), { timeout: 20_000 }).toEqual([['contains Note', 'ready']])
})

const fieldPath = async (by: Member, name: string) => {
  const fields = (await by.get(`${service}/fields/details`)).json<{ _id: string; name: string; version: string }[]>()
  return `${service}/fields/${fields.find((field) => field.name === name)?._id}`
}

test('it follows a new name of its field, and goes with the field', async () => {
  expect(await member.put(await fieldPath(member, 'Note'), { name: 'Remark' })).toMatchObject({ status: 200 })
  expect(await states(member)).toEqual([['contains Remark', 'ready']])
  expect((await contains(member, 'Remark', 'EEDL')).body).toMatchObject([{ Remark: 'Needle' }])
  expect(await member.delete(await fieldPath(member, 'Remark'))).toMatchObject({ status: 200 })
  expect(await states(member)).toEqual([])
  await tend()
  await expect.poll(() => physical(portal, member), { timeout: 20_000 }).toBeNull()
  await expect.poll(() => rowsOf(portal, member, 'indexes'), { timeout: 20_000 }).toEqual([])
})

test('it goes when its field is no text any more', async () => {
  const member = await memberOf(portal)
  await portal.parts.database.pool.query(`UPDATE account_${member.account}.contacts SET c2 = '12'`)
  await contains(member, 'Note', '123')
  await expect.poll(() => states(member), { timeout: 30_000 }).toEqual([['contains Note', 'ready']])
  const reading = { reading: { type: 'number' }, broken: 0 }
  expect(await member.put(`${await fieldPath(member, 'Note')}/type`, reading)).toMatchObject({ status: 200 })
  await expect.poll(() => rowsOf(portal, member, 'indexes'), { timeout: 60_000 }).toEqual([])
  expect(await physical(portal, member)).toBeNull()
  expect((await search(member, { Note: 12 })).json<object[]>()).toHaveLength(5)
})

test('an account that was emptied loads its next file without it, and has it again afterwards', async () => {
  const member = await memberOf(portal)
  await keptIndex(member)
  const schema = `account_${member.account}`
  const number = async () =>
    (await portal.parts.database.pool.query(`SELECT '${schema}.trigram_index_1'::regclass::oid AS oid`)).rows
  const before = await number()
  await portal.parts.database.pool.query(`DELETE FROM ${schema}.contacts`)
  await importFile(portal, member, 'City,Note\nOslo,Needle\n', { generatePURL: false })
  await expect.poll(() => states(member), { timeout: 20_000 }).toEqual([['contains Note', 'ready']])
  expect(await number()).not.toEqual(before)
  expect((await contains(member, 'Note', 'EEDL')).body).toMatchObject([{ City: 'Oslo' }])
})

test('an interrupted build leaves searches as they were, and starts again', async () => {
  const mine = await memberOf(idle)
  const { database, log } = idle.parts
  await contains(mine, 'Note', 'needle')
  const build = () => reconcileIndex({ database, log }, mine.account, 1, new AbortController().signal)
  // The build waits for an open write.
  const writer = new pg.Client({ connectionString: database.url })
  await writer.connect()
  await writer.query(`BEGIN; UPDATE account_${mine.account}.contacts SET updated_at = now() WHERE c2 = 'Needle'`)
  const broken = build().then(
    () => null,
    (error: Error) => error.message,
  )
  await expect.poll(() => physical(idle, mine), { timeout: 20_000 }).toBe(false)
  await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND query LIKE 'CREATE%INDEX CONCURRENTLY%'`,
  )
  expect(await broken).toContain('terminat')
  await writer.end()
  expect((await contains(mine, 'Note', 'EEDL')).body).toMatchObject([{ Note: 'Needle' }])
  expect([await physical(idle, mine), await states(mine)]).toEqual([false, [['contains Note', 'building']]])
  await build()
  expect([await physical(idle, mine), await states(mine)]).toEqual([true, [['contains Note', 'ready']]])
})

test('without the right to create the extension, searches read all contacts, and no index is asked for', async () => {
  const bare = await startPortal()
  try {
    const [member, late] = [await memberOf(bare), await memberOf(bare)]
    const { database, log } = bare.parts
    await contains(late, 'Note', 'needle')
    await database.pool.query(
      `DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM PUBLIC, %I', current_database(), current_user); END $$`,
    )
    expect((await contains(member, 'Note', 'EEDL')).body).toMatchObject([{ Note: 'Needle' }])
    // The portal remembers for an hour that it may; the job finds out.
    await reconcileIndex({ database, log }, late.account, 1, new AbortController().signal)
    expect([await rowsOf(bare, late, 'indexes'), await keptIndexes(late)]).toEqual([[], []])
    await createSearchNotes(bare.parts)(database.db, member.account, [{ name: 'City', pattern: 'city' }])
    expect(await rowsOf(bare, member, 'field_searches')).not.toContainEqual(expect.objectContaining({ field: 1 }))
    const { rows } = await database.pool.query(`SELECT extname FROM pg_extension WHERE extname = 'pg_trgm'`)
    expect(rows).toEqual([])
  } finally {
    await bare.close()
  }
})
