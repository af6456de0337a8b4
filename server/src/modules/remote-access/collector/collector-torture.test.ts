import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createAccount } from '#accounts'
import { startJobs } from '#platform/jobs/jobs.ts'
import { createLog } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'
import { type Database, openDatabase } from '#platform/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { createRemoteAccess } from '#remote-access'
import { reconcileIndexJob } from '#indexes'
import { insertEventFields } from '#contacts'
import { addContacts } from '#test/resources/contacts.ts'
import { freePort, killProcess, spawnPortal } from '#test/processes/main-process.ts'

// Events of visitors, while the server and its database are killed: every event acknowledged with 202 is stored exactly
// once.

const log = createLog({ level: 'silent' })
const rounds = 6
const senders = 4
const eventsAtOnce = 20

let dataDir: string
let postgres: EmbeddedPostgres
let database: Database
let account: number
let port: number
let server: ChildProcess | undefined

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-collector-'))
  postgres = await startEmbeddedPostgres(dataDir, log)
  await migrate(postgres.url)
  database = openDatabase(postgres.url, log)
  account = await createAccount(database, { name: 'Collector', parent: null })
  await addContacts(database, account, { City: 'string' }, [{ City: 'London' }], () => ({
    purl: { base: 'ada', number: 1 },
  }))
  await insertEventFields(database.db, account, ['number'])
  const jobs = await startJobs(postgres.url, [reconcileIndexJob], log)
  await createRemoteAccess(
    { database, jobs },
    account,
    { actor: 'owner@example.com', address: '127.0.0.1', via: { kind: 'session' } },
    {
      type: 'ip',
      domainOrIp: '127.0.0.1',
      includeSubDomains: false,
      filter: '{"purl":"{{purl}}"}',
      publicColumns: 'City',
    },
    null,
  )
  await jobs.stop()
  port = await freePort()
}, 60_000)
afterAll(async () => {
  // Also ends a test that has timed out, which would otherwise start the server again.
  isOver = true
  await killServer()
  await database.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

function startServer(): void {
  server = spawnPortal(
    {
      PORTICO_ROLE: 'api',
      PORTICO_ADMIN_PASSWORD: 'correct horse battery staple',
      PORT: String(port),
      DATABASE_URL: postgres.url,
      DATA_DIR: join(dataDir, 'server'),
      REMOTE_ACCESS_CALLS_PER_ADDRESS: '1000000',
      REMOTE_ACCESS_CALLS: '1000000',
      REMOTE_ACCESS_EVENTS: '1000000000',
    },
    ['ignore', 'ignore', 'inherit'],
  )
}

async function killServer(): Promise<void> {
  const running = server
  server = undefined
  if (running) await killProcess(running)
}

/** Kills the database server without warning, and starts it again. */
async function crashDatabase(): Promise<void> {
  const [pid] = (await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
  await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'), { timeout: 10_000 })
  postgres = await startEmbeddedPostgres(dataDir, log)
}

const answered = new Set<string>()
const refusals = new Set<number>()
let isOver = false

/** Sends batches as the page script does: the same one again until there is a response. */
async function sendUntilOver(sender: number): Promise<void> {
  for (let batch = 0; !isOver; batch++) {
    const ids = Array.from({ length: eventsAtOnce }, (_each, at) => `${sender}-${batch}-${at}`)
    const events = ids.map((id) => ({ id, event_code: 'click', number: id }))
    for (;;) {
      const status = await post(events)
      if (status === 202) break
      if (status !== null) refusals.add(status)
      await sleep(50)
    }
    for (const id of ids) answered.add(id)
  }
}

/** The status of the response; null if there is none. */
async function post(events: unknown[]): Promise<number | null> {
  try {
    const url = `http://127.0.0.1:${port}/api/contact-service/v1/public/${account}/events?purl=ada`
    const body = JSON.stringify({ events })
    const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(5000) })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return null
  }
}

test(
  'every acknowledged event is recorded exactly once, across kills of the server and the database',
  { timeout: 120_000 },
  async () => {
    startServer()
    const sending = Array.from({ length: senders }, (_each, sender) => sendUntilOver(sender))
    for (let round = 0; round < rounds && !isOver; round++) {
      const before = answered.size
      await expect.poll(() => answered.size, { timeout: 30_000, interval: 10 }).toBeGreaterThan(before + 200)
      // While events are being written.
      if (round % 3 === 0) await killServer()
      else if (round % 3 === 1) await crashDatabase()
      else await Promise.all([killServer(), crashDatabase()])
      if (!server && !isOver) startServer()
    }
    const before = answered.size
    await expect.poll(() => answered.size, { timeout: 30_000, interval: 10 }).toBeGreaterThan(before + 200)
    isOver = true
    await Promise.all(sending)
    const { rows } = await database.pool.query<{ number: string }>(
      `SELECT details->>'number' AS number FROM account_${account}.events`,
    )
    const recorded = rows.map(({ number }) => number)
    expect(new Set(recorded).size).toBe(recorded.length)
    const missing = new Set(answered)
    for (const id of recorded) missing.delete(id)
    expect([...missing]).toEqual([])
    expect(answered.size).toBeGreaterThan(rounds * 200)
    // While the database is away, responses say "not available", never "went wrong".
    expect([...refusals].filter((status) => status !== 503)).toEqual([])
  },
)
