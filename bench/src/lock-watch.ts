import pg from 'pg'

/** The longest times in milliseconds, as far as polling every few milliseconds can find. */
export type LockTimes = {
  /** Longest wait for a lock. */
  waitedMs: number
  /**
   * Longest time that a transaction held a lock of an account's table that blocks writes, or edits of single contacts.
   */
  heldMs: number
  /** The lock that was held longest. */
  held: string
}

const lookEveryMs = 10
/** Key of `accountLock('fieldColumns')`: exclusive for a change of a type, shared for edits. */
const fieldColumnsKey = 7_215_108
/** Table locks that block writing rows. */
const strong = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock']

type Held = { key: string; what: string }

/** Watches the locks of an account until `stop`. */
export async function watchLocks(databaseUrl: string, account: number): Promise<{ stop: () => Promise<LockTimes> }> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const since = new Map<string, number>()
  const longest: LockTimes = { waitedMs: 0, heldMs: 0, held: '' }
  let isOver = false
  const look = async (): Promise<void> => {
    const now = performance.now()
    const { rows: waits } = await client.query<{ ms: number }>(
      `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart)), 0)::float8 * 1000 AS ms
       FROM pg_locks WHERE NOT granted`,
    )
    longest.waitedMs = Math.max(longest.waitedMs, waits[0]?.ms ?? 0)
    const { rows: locks } = await client.query<Held>(
      `SELECT l.virtualtransaction || ' ' || l.mode || ' ' || coalesce(c.relname, 'columns of fields') AS key,
         l.mode || ' on ' || coalesce(c.relname, 'columns of fields') AS what
       FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation AND c.relnamespace = $1::regnamespace AND c.relkind = 'r'
       WHERE l.granted AND l.mode = ANY ($2)
         AND (c.oid IS NOT NULL OR (l.locktype = 'advisory' AND l.classid::bigint = $3 AND l.objid::bigint = $4))`,
      [`account_${account}`, strong, fieldColumnsKey, account],
    )
    const keys = new Set(locks.map(({ key }) => key))
    for (const key of since.keys()) if (!keys.has(key)) since.delete(key)
    for (const { key, what } of locks) {
      const heldMs = now - (since.get(key) ?? now)
      if (!since.has(key)) since.set(key, now)
      if (heldMs > longest.heldMs) Object.assign(longest, { heldMs, held: what })
    }
  }
  const watching = (async () => {
    while (!isOver) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      await client.end()
      return longest
    },
  }
}
