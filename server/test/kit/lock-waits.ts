import type pg from 'pg'

/**
 * Returns the statements of the database that wait for a lock. With Citus, includes those that wait on another server,
 * which the coordinator does not show as waiting.
 */
export async function lockWaits(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  const { rowCount: hasCitus } = await pool.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  if (!hasCitus) return rows.map(({ query }) => query)
  const { rows: others } = await pool.query<{ query: string }>(
    'SELECT blocked_statement AS query FROM citus_lock_waits',
  )
  return [...rows, ...others].map(({ query }) => query)
}
