import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reconcileIndex } from '#indexes'
import { addContacts } from '#test/resources/contacts.ts'
import { ended, importFile, submit } from '#test/resources/imports.ts'
import {
  buildIndex,
  createIndex,
  customIndexes,
  indexDefinitions,
  indexesPath,
  indexingMember,
  settledIndex,
} from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Builds of indexes during writes, crashes and deletions.

/** Runs no jobs: the tests start workers of their own, and kill them. */
let portal: TestPortal
let working: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  working = await startPortal()
  await working.startWorker()
})
afterAll(async () => {
  await portal.close()
  await working.close()
})

/** Holds a write on a contact open: every build waits for it. */
async function writing({ parts }: TestPortal, account: number): Promise<() => Promise<void>> {
  const writer = new pg.Client({ connectionString: parts.database.url })
  await writer.connect()
  await writer.query('BEGIN')
  await writer.query(`UPDATE account_${account}.contacts SET updated_at = now()`)
  return () => writer.end()
}

/** Returns the server processes that build an index of the account. */
async function builders({ parts }: TestPortal, account: number): Promise<number[]> {
  const { rows } = await parts.database.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'CREATE%INDEX CONCURRENTLY%account_${account}"%'`,
  )
  return rows.map(({ pid }) => pid)
}

/** Returns when the build lock was requested, as far as seen so far. */
async function lockAsked(asked: Set<string>): Promise<Set<string>> {
  const { rows } = await portal.parts.database.pool.query<{ at: string }>(
    `SELECT query_start::text AS at FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%pg_try_advi' || 'sory_lock%'`,
  )
  for (const { at } of rows) asked.add(at)
  return asked
}

function startWorker(account: number): ChildProcess {
  const file = join(import.meta.dirname, '../../../test/processes/index-process.ts')
  return spawn(process.execPath, [file, String(account), '1'], {
    stdio: 'ignore',
    env: { ...process.env, DATABASE_URL: portal.parts.database.url },
  })
}

async function isValid(account: number): Promise<boolean | undefined> {
  const { rows } = await portal.parts.database.pool.query<{ valid: boolean }>(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('account_${account}.field_index_1')`,
  )
  return rows[0]?.valid
}

/** Requests an index, starts to build it in a separate process, and kills that half-way. */
async function killedWhileBuilding(member: Member): Promise<{ release: () => Promise<void>; orphan: number }> {
  await createIndex(member, [['City', 1]], { name: 'mine' })
  const release = await writing(portal, member.account)
  const worker = startWorker(member.account)
  const exited = once(worker, 'exit')
  await expect.poll(() => isValid(member.account), { timeout: 20_000 }).toBe(false)
  await expect.poll(() => builders(portal, member.account)).toHaveLength(1)
  worker.kill('SIGKILL')
  await exited
  const [orphan = 0] = await builders(portal, member.account)
  return { release, orphan }
}

const ofCity = [
  'CREATE INDEX field_index_1 ON contacts USING btree (c2 COLLATE "en-x-icu")',
  'CREATE INDEX prefix_index_c2 ON contacts USING btree (c2 text_pattern_ops)',
]

test('kill -9 of worker and database process: the half-built index is dropped and built again', async () => {
  const member = await indexingMember(portal)
  const { release, orphan } = await killedWhileBuilding(member)
  await portal.parts.database.pool.query('SELECT pg_terminate_backend($1::int)', [orphan])
  await expect.poll(() => builders(portal, member.account)).toEqual([])
  expect(await isValid(member.account)).toBe(false)
  expect(await customIndexes(member)).toMatchObject([{ name: 'cIndex_mine', state: 'building' }])
  await release()
  await once(startWorker(member.account), 'exit')
  expect(await customIndexes(member)).toMatchObject([{ name: 'cIndex_mine', state: 'ready' }])
  expect([await isValid(member.account), await indexDefinitions(portal, member.account)]).toEqual([true, ofCity])
})

test('kill -9 of the worker only: the next one waits for the build in the database, and keeps it', async () => {
  const member = await indexingMember(portal)
  const { release, orphan } = await killedWhileBuilding(member)
  const next = startWorker(member.account)
  const exited = once(next, 'exit')
  // It requests the lock, does not get it, and tries again.
  const asked = new Set<string>()
  await expect.poll(async () => (await lockAsked(asked)).size, { timeout: 20_000 }).toBeGreaterThan(1)
  expect([next.exitCode, await builders(portal, member.account)]).toEqual([null, [orphan]])
  await release()
  await exited
  expect(await customIndexes(member)).toMatchObject([{ state: 'ready' }])
  expect([await isValid(member.account), await indexDefinitions(portal, member.account)]).toEqual([true, ofCity])
})

test('a stopping worker gives up at once, and the next one builds the index', async () => {
  const member = await indexingMember(portal)
  await createIndex(member, [['City', 1]])
  const release = await writing(portal, member.account)
  const stop = new AbortController()
  const { database, log } = portal.parts
  const run = reconcileIndex({ database, log }, member.account, 1, stop.signal)
  await expect.poll(() => builders(portal, member.account)).toHaveLength(1)
  stop.abort()
  await expect(run).rejects.toThrow('The worker is stopping')
  expect(await customIndexes(member)).toMatchObject([{ state: 'building' }])
  await release()
  await reconcileIndex({ database, log }, member.account, 1, new AbortController().signal)
  // Running it again is harmless.
  await reconcileIndex({ database, log }, member.account, 1, new AbortController().signal)
  expect(await customIndexes(member)).toMatchObject([{ state: 'ready' }])
  expect(await indexDefinitions(portal, member.account)).toEqual(ofCity)
})

test('building fails after five attempts, with the reason', async () => {
  const member = await indexingMember(portal)
  await createIndex(member, [['City', 1]])
  const { database, log } = portal.parts
  await database.pool.query(`UPDATE account_${member.account}.indexes SET attempts = 5`)
  await reconcileIndex({ database, log }, member.account, 1, new AbortController().signal)
  expect(await customIndexes(member)).toMatchObject([
    { state: 'failed', reason: 'Failed after 5 attempts.', progress: null },
  ])
  expect(await indexDefinitions(portal, member.account)).toEqual([])
})

test('deleting an index that is being built stops the build', async () => {
  const member = await indexingMember(working)
  const release = await writing(working, member.account)
  await createIndex(member, [['City', 1]], { name: 'mine' })
  await expect.poll(() => builders(working, member.account)).toHaveLength(1)
  expect(await customIndexes(member)).toMatchObject([{ state: 'building', progress: 0, sizeBytes: 0 }])
  await member.delete(`${indexesPath}/City_1`)
  expect(await customIndexes(member)).toMatchObject([{ state: 'deleting', progress: null }])
  await expect.poll(() => builders(working, member.account), { timeout: 5000 }).toEqual([])
  await release()
  expect(await settledIndex(member, 'cIndex_mine')).toBeUndefined()
  expect(await indexDefinitions(working, member.account)).toEqual([])
})

test('a duplicate written while a unique index is built makes it fail, with the reason', async () => {
  const member = await indexingMember(working)
  const writer = new pg.Client({ connectionString: working.parts.database.url })
  await writer.connect()
  await writer.query('BEGIN')
  await writer.query(`UPDATE account_${member.account}.contacts SET c1 = 'a@x.example' WHERE c1 = 'b@x.example'`)
  await createIndex(member, [['Email', 1]], { unique: true })
  await expect.poll(() => builders(working, member.account)).toHaveLength(1)
  await writer.query('COMMIT')
  await writer.end()
  expect(await settledIndex(member, 'cIndex_Email_1')).toMatchObject({
    state: 'failed',
    reason: '1 value of "Email" occurs more than once, in 2 contacts. For example, "a@x.example" occurs 2 times.',
  })
  expect(await indexDefinitions(working, member.account)).toEqual([])
})

test('imports and searches continue while indexes are built', { timeout: 60_000 }, async () => {
  const account = await working.account()
  const member = await working.member(account)
  let file = 'Email,City\n'
  for (let row = 0; row < 60_000; row++) file += `p${row}@example.com,City ${row % 100}\n`
  await importFile(working, member, file)
  const second = await submit(working, member, file)
  await createIndex(member, [['Email', 1]])
  await createIndex(member, [['City', -1]])
  expect(await member.get('/contact-service/v1/offers?limit=1')).toMatchObject({ status: 200 })
  expect(await ended(member, second._id)).toMatchObject({ status: 'completed', recoveryCount: 0 })
  expect(await settledIndex(member, 'cIndex_Email_1')).toMatchObject({ state: 'ready' })
  expect(await settledIndex(member, 'cIndex_City_-1')).toMatchObject({ state: 'ready' })
  expect((await member.get('/contact-service/v1/offers?count=')).body).toEqual({ count: 120_000 })
})

test('a field that becomes text gets a new index in text order', { timeout: 60_000 }, async () => {
  const account = await working.account()
  await addContacts(working.parts.database, account, { Code: 'number', City: 'string' }, [{ Code: 7 }])
  const member = await working.member(account)
  await buildIndex(member, [['Code', 1]])
  await buildIndex(member, [
    ['City', 1],
    ['Code', -1],
  ])
  const byNumber = 'CREATE INDEX field_index_1 ON contacts USING btree (c1)'
  expect((await indexDefinitions(working, account))[0]).toBe(byNumber)
  await importFile(working, member, 'Code\nA7\n', { typeCasting: true, onMismatch: 'text' })
  const byText = 'CREATE INDEX field_index_1 ON contacts USING btree (c1 COLLATE "en-x-icu")'
  await expect.poll(async () => (await indexDefinitions(working, account))[0], { timeout: 20_000 }).toBe(byText)
  expect(await settledIndex(member, 'cIndex_Code_1')).toMatchObject({ state: 'ready' })
  expect(await settledIndex(member, 'cIndex_City_1_Code_-1')).toMatchObject({ state: 'ready' })
  expect(await indexDefinitions(working, account)).toEqual([
    byText,
    'CREATE INDEX field_index_2 ON contacts USING btree (c2 COLLATE "en-x-icu", c1 COLLATE "en-x-icu" DESC NULLS LAST)',
    'CREATE INDEX prefix_index_c1 ON contacts USING btree (c1 text_pattern_ops)',
    'CREATE INDEX prefix_index_c2 ON contacts USING btree (c2 text_pattern_ops)',
  ])
})

test('a worker killed before it drops the index of the earlier type leaves it to the next one', async () => {
  const account = await portal.account()
  const { database, log } = portal.parts
  await addContacts(database, account, { Code: 'number' }, [{ Code: 7 }])
  const member = await portal.member(account)
  await createIndex(member, [['Code', 1]])
  await reconcileIndex({ database, log }, account, 1, new AbortController().signal)
  // As after an import with texts, whose worker goes on with the index.
  const schema = `account_${account}`
  await database.pool.query(`ALTER TABLE ${schema}.contacts ALTER COLUMN c1 TYPE text`)
  await database.pool.query(`UPDATE ${schema}.fields SET type = 'string'`)
  await database.pool.query(`UPDATE ${schema}.indexes SET state = 'building'`)
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query(`BEGIN; LOCK TABLE ${schema}.contacts IN SHARE UPDATE EXCLUSIVE MODE`)
  const dropping = async () => {
    const { rows } = await database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query ~ '^DROP INDEX CONCURRENTLY.*${schema}"'`,
    )
    return rows.map(({ pid }) => pid)
  }
  const worker = startWorker(account)
  const exited = once(worker, 'exit')
  await expect.poll(dropping, { timeout: 20_000 }).toHaveLength(1)
  worker.kill('SIGKILL')
  await exited
  await database.pool.query('SELECT pg_terminate_backend($1::int)', await dropping())
  await expect.poll(dropping).toEqual([])
  await holder.end()
  await once(startWorker(account), 'exit')
  expect(await customIndexes(member)).toMatchObject([{ state: 'ready' }])
  expect(await indexDefinitions(portal, account)).toEqual([
    'CREATE INDEX field_index_1 ON contacts USING btree (c1 COLLATE "en-x-icu")',
    'CREATE INDEX prefix_index_c1 ON contacts USING btree (c1 text_pattern_ops)',
  ])
})
