import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/portal.ts'

// Workers that are killed, lose the database or have a wrong clock while hundreds of crons are due.

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  await portal.parts.database.pool.query('CREATE TABLE started (job bigint GENERATED ALWAYS AS IDENTITY, run bigint)')
})
afterAll(() => portal.close())

const kills = 30
const cronsAtOnce = 200
const workers: ChildProcess[] = []

async function startWorker(clockErrorMs = 0): Promise<ChildProcess> {
  const file = join(import.meta.dirname, '../../../../test/scheduler-process.ts')
  const { url } = portal.parts.database
  const env = {
    ...process.env,
    DATABASE_URL: url,
    DATA_DIR: portal.config.dataDir,
    CLOCK_ERROR_MS: String(clockErrorMs),
  }
  const worker = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'], env })
  workers.push(worker)
  await once(worker.stdout, 'data')
  return worker
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  const gone = once(worker, 'exit')
  worker.kill('SIGKILL')
  await gone
}

const expression = '0 * * * *'

/** Crons that are due now, the first `lateHours` hours ago, hourly. */
async function addDueCrons(round: number, lateHours: number): Promise<void> {
  await portal.parts.database.pool.query(
    `WITH made AS (
      INSERT INTO portico.crons (id, account_id, consumer, name, emails, expression, zone, starts, instruction, identity_id,
        author, created_at, updated_at, next_due_at)
      SELECT gen_random_uuid(), $1, 'EXPORT', 'Round ' || $2::text || ' cron ' || i, 'ada@example.com', $3, 'UTC',
        '2026-01-01', '{}', (SELECT held.id FROM portico.identities held JOIN portico.persons p ON p.id = held.person_id
          WHERE p.email = $4), $4, now(), now(), date_trunc('hour', now()) - $5::int * interval '1 hour'
      FROM generate_series(1, $6) AS i RETURNING id, next_due_at)
    INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, sequence, status)
    SELECT $1, id, 'EXPORT', next_due_at, 1, 'waiting' FROM made`,
    [owner.account, String(round), expression, owner.email, lateHours, cronsAtOnce],
  )
}

const count = async (query: string): Promise<number> =>
  Number((await portal.parts.database.pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${query}`)).rows[0]?.n)

test('each due run starts once, whatever happens to the workers', { timeout: 240_000 }, async () => {
  // Its clock is an hour wrong: only the database's counts.
  const other = await startWorker(3_600_000)
  for (let round = 1; round <= kills; round++) {
    const worker = await startWorker(round % 2 === 0 ? -3_600_000 : 0)
    await addDueCrons(round, round % 5 === 0 ? 48 : 0)
    await sleep(Math.random() * 400)
    await kill(worker)
    if (round % 6 === 0) {
      await portal.parts.database.pool
        .query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'portico%'`,
        )
        .catch(() => {})
    }
  }
  const crons = kills * cronsAtOnce
  await expect.poll(() => count('started').catch(() => 0), { timeout: 60_000, interval: 200 }).toBe(crons)
  await kill(other)
  expect(await count('(SELECT DISTINCT cron_id FROM started JOIN portico.schedules s ON s.id = run) s')).toBe(crons)
  expect(await count(`portico.schedules WHERE status = 'processing'`)).toBe(crons)
  // 48 hours of downtime in every fifth round: each of these due times is recorded as missed.
  const missed = (kills / 5) * cronsAtOnce * 48
  expect(await count(`portico.schedules WHERE omission = 'missed' AND comment <> ''`)).toBe(missed)
  expect(await count(`portico.schedules WHERE status = 'waiting' AND ready_at IS NULL AND due_at > now()`)).toBe(crons)
  expect(await count('portico.schedules')).toBe(crons * 2 + missed)
  expect(
    await count('(SELECT cron_id FROM portico.schedules GROUP BY cron_id, sequence HAVING count(*) > 1) twice'),
  ).toBe(0)
})

afterAll(async () => {
  for (const worker of workers) await kill(worker)
})
