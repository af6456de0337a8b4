import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { AccountId } from '@portico/contract/accounts'
import type { Database } from '#platform/database.ts'

type Env = { databaseUrl: string; dataDir: string }

/** Starts schedulers in separate processes, which a test can kill. */
export function schedulerWorkers(env: () => Env) {
  const workers: ChildProcess[] = []

  async function start(clockErrorMs = 0): Promise<ChildProcess> {
    const { databaseUrl, dataDir } = env()
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'scheduler-process.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, CLOCK_ERROR_MS: String(clockErrorMs) },
    })
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

  const killAll = async (): Promise<void> => {
    for (const worker of workers) await kill(worker)
  }

  return { start, kill, killAll }
}

/** Creates the table in which `scheduler-process.ts` counts the runs that it starts. */
export async function createStarted({ pool }: Database): Promise<void> {
  await pool.query('CREATE TABLE started (job bigint GENERATED ALWAYS AS IDENTITY, run bigint)')
}

// Half an hour from now: only due times set by the test pass while it runs.
const minute = (new Date().getUTCMinutes() + 30) % 60

/** Returns the latest past due time of hourly crons, this many hours earlier, in SQL. */
export const pastDue = (hoursEarlier: number): string =>
  `date_trunc('hour', now() - interval '${minute} minutes') + interval '${minute} minutes' - interval '${hoursEarlier} hours'`

/** Adds hourly crons. `firstDue`: the first due time of the cron with the number `i`, in SQL. */
export async function addHourlyCrons(
  { pool }: Database,
  owner: { account: AccountId; email: string },
  { name, count, firstDue }: { name: string; count: number; firstDue: string },
): Promise<void> {
  await pool.query(
    `WITH made AS (
      INSERT INTO portico.crons (id, account_id, consumer, name, emails, expression, zone, starts, instruction, holder,
        author, created_at, updated_at, next_due_at)
      SELECT gen_random_uuid(), $1, 'EXPORT', $2::text || ' cron ' || i, 'ada@example.com', $5, 'UTC',
        '2026-01-01', '{}', (SELECT 'identity ' || held.id || ' ' || held.person_id FROM portico.identities held JOIN portico.persons p ON p.id = held.person_id
          WHERE p.email = $3), $3, now(), now(), ${firstDue}
      FROM generate_series(1, $4) AS i RETURNING id, next_due_at)
    INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, sequence, status)
    SELECT $1, id, 'EXPORT', next_due_at, 1, 'waiting' FROM made`,
    [owner.account, name, owner.email, count, `${minute} * * * *`],
  )
}

/** Counts the rows of a table, or of a query in its place. */
export const countRows = async ({ pool }: Database, table: string): Promise<number> =>
  Number((await pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n)
