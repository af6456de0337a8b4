import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Import, NewEventImport } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openClient } from '#platform/database.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'
import { anImport, upload } from '#test/resources/imports.ts'
import { type Member, openPortal, type TestPortal } from '#test/kit/portal.ts'
import { loadEvents, matchStagedEvents, prepareEvents, stageEvents } from '../events/event-import.service.ts'
import type { ImportRun } from '../import-context.ts'
import { prepareImport } from '../import-prepare.service.ts'
import { runImport } from '../import-run.service.ts'
import { selectImport, updateImport } from '../imports.queries.ts'
import { loadFromStage } from './import-load.service.ts'
import { matchStage, stageFile } from './import-stage.service.ts'
import { WorkingTablesLost } from './working-tables.queries.ts'

// PostgreSQL crashes while an import has no open transaction: no error reports it, but the working tables are empty.

const log = createLog({ level: 'silent' })
let dataDir: string
let postgres: EmbeddedPostgres
let portal: TestPortal

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-working-tables-'))
  // Otherwise a crash may undo its last commits, including the working tables themselves.
  postgres = await startEmbeddedPostgres(dataDir, log)
  await migrate(postgres.url)
  portal = await openPortal(dataDir, postgres.url)
})
afterAll(async () => {
  await portal.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/**
 * Kills a process of the server, which then ends all others and recovers; resolves when it accepts connections again.
 */
async function crash(): Promise<void> {
  const victim = openClient(postgres.url, 'test')
  await victim.connect()
  const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  process.kill(rows[0]!.pid, 'SIGKILL')
  // Until the pool has noticed that its connections ended.
  await vi.waitUntil(() => portal.parts.database.pool.totalCount === 0, { timeout: 30_000, interval: 10 })
  await vi.waitFor(() => portal.parts.database.pool.query('SELECT 1'), { timeout: 60_000, interval: 100 })
}

// Two batches of contacts, and four of events.
const rowCount = 30_000
const eventCount = 80_000
const people = (from: number): string =>
  `Email,Name\n${Array.from({ length: rowCount }, (_, at) => `p${from + at}@x.org,Ada ${from + at}\n`).join('')}`
const byEmail = { dedupColumns: ['Email'] }

/** An account with contacts and a waiting import. */
async function waiting(draft: object, file: string): Promise<{ member: Member; id: number }> {
  const member = await portal.member(await portal.account())
  await finish(member, await submitted(member, anImport(byEmail), people(0)))
  return { member, id: await submitted(member, draft, file) }
}

async function submitted(member: Member, draft: object, file: string): Promise<number> {
  await upload(portal, member, 'contacts.csv', file)
  const answer = await member.post('/contact-service/v1/imports', draft)
  expect(answer).toMatchObject({ status: 201 })
  return Number(answer.json<Import>()._id)
}

const deps = () => ({ ...portal.parts, onCompleted: async () => {}, onRejected: async () => {} })

/** Runs attempts until the import has ended. */
async function finish(member: Member, id: number): Promise<Import> {
  const current = async () => (await member.get(`/contact-service/v1/imports/${id}`)).json<Import>()
  for (let attempt = 0; attempt < 3 && !['completed', 'rejected'].includes((await current()).status); attempt++) {
    await runImport(deps(), member.account, id, new AbortController().signal)
  }
  return current()
}

async function runOf(member: Member, id: number, checkpoint: () => Promise<void>): Promise<ImportRun> {
  const { db } = portal.parts.database
  const row = await selectImport(db, member.account, id)
  if (!row) throw new Error('the import is gone')
  const record: ImportRun['record'] = (changes) => updateImport(db, member.account, id, changes)
  return {
    ...deps(),
    account: member.account,
    row,
    record,
    checkpoint,
    signal: new AbortController().signal,
    isClusterWhole: true,
  }
}

/** A checkpoint that crashes the server when both lanes of a load wait at their second batch. */
function crashingLater(isLoading: () => boolean): () => Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let calls = 0
  return async () => {
    if (!isLoading() || ++calls <= 2) return
    if (calls === 4) crash().then(resolve, reject)
    await promise
  }
}

const count = async (member: Member, table: string): Promise<number> => {
  const { rows } = await portal.parts.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM account_${member.account}.${table}`,
  )
  return rows[0]?.count ?? 0
}

test('a crash between staging and matching loses no row', async () => {
  const { member, id } = await waiting(anImport(byEmail), people(10_000))
  const run = await runOf(member, id, async () => {})
  const plan = await prepareImport(run)
  await stageFile(run, plan)
  await crash()
  await expect(matchStage(run, plan)).rejects.toThrow(WorkingTablesLost)
  expect(await finish(member, id)).toMatchObject({
    status: 'completed',
    createdRecords: 10_000,
    unchangedRecords: 20_000,
  })
  expect(await count(member, 'contacts')).toBe(40_000)
})

test('a crash between two batches of a load loses no row', async () => {
  const { member, id } = await waiting(anImport(byEmail), people(10_000))
  let isLoading = false
  const run = await runOf(
    member,
    id,
    crashingLater(() => isLoading),
  )
  const plan = await prepareImport(run)
  await stageFile(run, plan)
  await matchStage(run, plan)
  isLoading = true
  await expect(loadFromStage(run, plan)).rejects.toThrow(WorkingTablesLost)
  expect(await finish(member, id)).toMatchObject({
    status: 'completed',
    createdRecords: 10_000,
    unchangedRecords: 20_000,
  })
  expect(await count(member, 'contacts')).toBe(40_000)
})

test('a crash between two batches of events loses no event', async () => {
  const draft: NewEventImport = {
    kind: 'events',
    name: 'Views',
    filePath: 'contacts.csv',
    fileDelimiter: 'comma',
    processBatchSize: 25,
    keyColumn: 'Email',
    keyField: 'Email',
  }
  const rows = Array.from({ length: eventCount }, (_, at) => `p${at % rowCount}@x.org,view,2026-01-01T00:00:00Z\n`)
  const { member, id } = await waiting(draft, `Email,event_code,event_date\n${rows.join('')}`)
  let isLoading = false
  const run = await runOf(
    member,
    id,
    crashingLater(() => isLoading),
  )
  const plan = await prepareEvents(run)
  await stageEvents(run, plan)
  await matchStagedEvents(run, plan)
  isLoading = true
  await expect(loadEvents(run, plan)).rejects.toThrow(WorkingTablesLost)
  expect(await finish(member, id)).toMatchObject({ status: 'completed', createdRecords: eventCount })
  expect(await count(member, 'events')).toBe(eventCount)
})
