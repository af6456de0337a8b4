import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import { median, timed } from './timing.ts'

const cronCount = 10_000
const workerCount = 2
const rounds = 20
const idleMs = 20_000
/** The bench fails if not all runs have started by then. */
const mostMs = 300_000

/**
 * Measures the scheduler with 10,000 crons: due in the same minute, for runs that do nothing; idle; and months of the
 * calendar with 10,000 runs, ended and upcoming. The portal itself must not run a worker.
 */
export async function benchSchedule(portal: Portal): Promise<Measurement[]> {
  const client = new pg.Client({ connectionString: portal.databaseUrl })
  await client.connect()
  try {
    await client.query('CREATE TABLE started (job bigint GENERATED ALWAYS AS IDENTITY, run bigint)')
    await addCrons(client, portal.account)
    const workers = await Promise.all(Array.from({ length: workerCount }, () => startWorker(portal.databaseUrl)))
    try {
      return [
        await allDue(client),
        await idle(workers, client),
        await endedMonth(portal, client),
        await upcomingMonth(portal),
      ]
    } finally {
      for (const worker of workers) worker.kill('SIGKILL')
    }
  } finally {
    await client.end()
  }
}

/** Adds crons to the account, once a month from the next one on. */
async function addCrons(client: pg.Client, account: number): Promise<void> {
  await client.query(
    `WITH author AS (
      SELECT i.id, i.person_id, p.email FROM portico.identities i JOIN portico.persons p ON p.id = i.person_id LIMIT 1
    ), made AS (
      INSERT INTO portico.crons (id, account_id, consumer, name, emails, expression, zone, starts, instruction,
        holder, author, created_at, updated_at, next_due_at)
      SELECT gen_random_uuid(), $1, 'EXPORT', 'Cron ' || i, 'ada@example.com', '0 3 1 * *', 'UTC', '2026-01-01', '{}',
        'identity ' || author.id || ' ' || author.person_id, author.email, now(), now(), date_trunc('month', now()) + interval '1 month 3 hours'
      FROM generate_series(1, $2::int) AS i, author RETURNING id, next_due_at)
    INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, sequence, status)
    SELECT $1, id, 'EXPORT', next_due_at, 1, 'waiting' FROM made`,
    [account, cronCount],
  )
  await client.query('ANALYZE portico.crons, portico.schedules')
}

async function startWorker(databaseUrl: string): Promise<ChildProcess> {
  const file = join(import.meta.dirname, '../../server/test/processes/scheduler-process.ts')
  const env = { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: mkdtempSync(join(tmpdir(), 'portico-bench-')) }
  const worker = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'], env })
  await once(worker.stdout, 'data')
  return worker
}

/** Makes all crons due, and waits until each has started. The time is the 99th percentile. */
async function allDue(client: pg.Client): Promise<Measurement> {
  const { rows } = await client.query<{ due: Date }>(`SELECT date_trunc('minute', now()) AS due`)
  const due = rows[0]?.due
  await client.query(`UPDATE portico.schedules SET due_at = $1`, [due])
  const start = performance.now()
  await client.query(`UPDATE portico.crons SET next_due_at = $1`, [due])
  let most = 0
  for (;;) {
    if (performance.now() - start > mostMs) throw new Error(`Not all runs have started after ${mostMs / 1000} s.`)
    const count = await countOf(client, 'started')
    if (most === 0 && count >= cronCount * 0.99) most = performance.now() - start
    if (count >= cronCount) break
    await sleep(100)
  }
  const twice = await countOf(client, '(SELECT run FROM started GROUP BY run HAVING count(*) > 1) twice')
  if (twice > 0 || (await countOf(client, 'started')) !== cronCount) throw new Error('A run was started twice.')
  return {
    work: '99 of 100 of 10,000 runs due at once have started',
    milliseconds: most,
    reference: { name: 'wanted', milliseconds: 60_000 },
    target: { ratio: 1 },
  }
}

const countOf = async (client: pg.Client, table: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n)

/** Measures the processor time of one idle worker in a second. */
async function idle([worker]: ChildProcess[], client: pg.Client): Promise<Measurement> {
  await client.query(`UPDATE portico.schedules SET status = 'completed', ended_at = now() WHERE status = 'processing'`)
  await sleep(15_000)
  const before = processorMs(worker)
  await sleep(idleMs)
  const used = processorMs(worker) - before
  return {
    work: 'an idle scheduler with 10,000 crons, processor time in a second',
    milliseconds: (used / idleMs) * 1000,
    reference: { name: 'a core', milliseconds: 1000 },
    target: { ratio: 0.01 },
  }
}

/** Returns the processor time of a process so far, in milliseconds. */
function processorMs(worker: ChildProcess | undefined): number {
  const fields = readFileSync(`/proc/${worker?.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ticks = Number(fields[11]) + Number(fields[12])
  return ticks * 10
}

/** Measures a month of the calendar with 10,000 runs that have ended, spread over its days. */
async function endedMonth(portal: Portal, client: pg.Client): Promise<Measurement> {
  await client.query(`UPDATE portico.schedules SET due_at = date_trunc('month', now()) + (id % 27) * interval '1 day'
    + (id % 1400) * interval '1 minute' WHERE status = 'completed'`)
  await client.query('ANALYZE portico.schedules')
  return measureMonth(portal, 'a month of 10,000 runs that have ended', 0)
}

/** Measures a future month, in which each of the 10,000 crons has a computed run. */
const upcomingMonth = (portal: Portal): Promise<Measurement> =>
  measureMonth(portal, 'a month with an upcoming run of each of 10,000 crons', 2)

/** Maximum milliseconds for a month of the calendar. */
const monthMs = 150

async function measureMonth(portal: Portal, work: string, monthsAhead: number): Promise<Measurement> {
  const day = (date: Date): string => date.toISOString().slice(0, 10)
  const now = new Date()
  const first = (months: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
  const to = day(new Date(first(monthsAhead + 1).getTime() - 86_400_000))
  const from = day(first(monthsAhead))
  const path = `/scheduler/v1/calendar?consumerCode=EXPORT&zone=Europe/Zurich&from=${from}&to=${to}`
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await timed(() => portal.get(path)))
  return {
    work,
    milliseconds: median(times),
    reference: { name: 'wanted', milliseconds: monthMs },
    target: { ratio: 1 },
  }
}
