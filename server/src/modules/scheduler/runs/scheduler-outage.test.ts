import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createAccount } from '#accounts'
import { createIdentityWithPassword } from '#sign-in'
import { type Database, openDatabase } from '#platform/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'
import {
  addHourlyCrons,
  countRows,
  createStarted,
  pastDue,
  schedulerWorkers,
} from '#test/processes/scheduler-workers.ts'

// A separate database server that crashes and restarts while crons are due.

const log = createLog({ level: 'silent' })
const email = 'owner@example.com'

let dataDir: string
let server: EmbeddedPostgres
let database: Database
let account: number

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-outage-'))
  server = await startEmbeddedPostgres(dataDir, log)
  await migrate(server.url)
  database = openDatabase(server.url, log)
  account = await createAccount(database, { name: 'Outage', parent: null })
  await createIdentityWithPassword(database.db, { email, account, powerUser: true })
  await createStarted(database)
})
afterAll(async () => {
  await workers.killAll()
  await database.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const workers = schedulerWorkers(() => ({ databaseUrl: server.url, dataDir }))
const count = (table: string): Promise<number> => countRows(database, table)

/** Stops the server like `pg_ctl stop -m immediate`, without an orderly shutdown. */
async function crash(): Promise<void> {
  const file = join(dataDir, 'postgres/cluster/postmaster.pid')
  const [pid] = (await readFile(file, 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGQUIT')
  await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'), { timeout: 10_000 })
}

const eachKind = 200
const awayMs = 60_000

test(
  'each due run starts once or is recorded as missed, across a database crash and a minute of downtime',
  { timeout: 240_000 },
  async () => {
    await workers.start()
    await workers.start()
    // Another cron is due every 20 milliseconds: before the crash, while the database is down, and after it.
    const firstDue = `date_trunc('milliseconds', now()) + i * interval '20 ms'`
    await addHourlyCrons(database, { account, email }, { name: 'Soon', count: eachKind, firstDue })
    await expect.poll(() => count('started'), { interval: 20, timeout: 20_000 }).toBeGreaterThan(0)
    // Processed at the moment of the crash, with 48 hours of missed due times.
    await addHourlyCrons(database, { account, email }, { name: 'Late', count: eachKind, firstDue: pastDue(48) })
    const crashed = new Date().toISOString()
    await crash()
    await sleep(awayMs)
    server = await startEmbeddedPostgres(dataDir, log)
    const dueMeanwhile = `due_at BETWEEN '${crashed}' AND '${new Date().toISOString()}'`
    expect(await count(`portico.schedules WHERE ${dueMeanwhile}`)).toBeGreaterThan(0)

    const all = eachKind * 2
    await expect.poll(() => count('started').catch(() => 0), { timeout: 30_000, interval: 50 }).toBe(all)
    expect(await count('(SELECT DISTINCT cron_id FROM started JOIN portico.schedules s ON s.id = run) s')).toBe(all)
    expect(await count(`portico.schedules WHERE status = 'processing'`)).toBe(all)
    const missed = eachKind * 48
    expect(await count(`portico.schedules WHERE omission = 'missed' AND comment <> ''`)).toBe(missed)
    expect(await count(`portico.schedules WHERE status = 'waiting' AND ready_at IS NULL AND due_at > now()`)).toBe(all)
    expect(await count('portico.schedules')).toBe(all * 2 + missed)
    const twice = 'SELECT cron_id FROM portico.schedules GROUP BY cron_id, due_at HAVING count(*) > 1'
    expect(await count(`(${twice}) twice`)).toBe(0)
  },
)
