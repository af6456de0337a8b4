import { control, type Database, type Db } from '#platform/database.ts'
import { portalLock } from '#platform/waits/lock-keys.ts'

type DemoTables = {
  demo: { id: number; state: DemoRow['state']; started_at: Date; ended_at: Date | null }
}

export type DemoRow = { state: 'loading' | 'loaded' | 'declined'; startedAt: Date }

// The table holds one row.
const only = 1

export async function selectDemo(db: Db): Promise<DemoRow | null> {
  const row = await control<DemoTables>(db)
    .selectFrom('demo')
    .select(['state', 'started_at as startedAt'])
    .where('id', '=', only)
    .executeTakeFirst()
  return row ?? null
}

export async function insertDemo(db: Db, { state, startedAt }: DemoRow): Promise<void> {
  await control<DemoTables>(db).insertInto('demo').values({ id: only, state, started_at: startedAt }).execute()
}

export async function updateDemoLoaded(db: Db, now: Date): Promise<void> {
  await control<DemoTables>(db)
    .updateTable('demo')
    .set({ state: 'loaded', ended_at: now })
    .where('id', '=', only)
    .execute()
}

/**
 * Runs `work`, or returns null at once if another process is running it. The lock belongs to its connection, so a
 * process that dies releases it.
 */
export async function withDemoLock<T>({ pool }: Database, work: () => Promise<T>): Promise<T | null> {
  const client = await pool.connect()
  // If the connection breaks, another process may start too; every step can be repeated.
  const onError = () => {}
  client.on('error', onError)
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      portalLock('demo'),
    ])
    if (!rows[0]?.locked) return null
    try {
      return await work()
    } finally {
      // A broken connection has already released it.
      await client.query('SELECT pg_advisory_unlock($1)', [portalLock('demo')]).catch(() => {})
    }
  } finally {
    client.release(true)
  }
}
