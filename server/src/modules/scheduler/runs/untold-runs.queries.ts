import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import type { CronRow, ScheduleRow } from '../tables.ts'

// Runs that the recipients of their crons must be notified about. Each statement reads only the rows that it needs, however many
// there are.

export type UntoldCron = Pick<CronRow, 'id' | 'account_id' | 'consumer' | 'name' | 'emails' | 'zone'>

/**
 * The next cron with such runs: of the next account after `after` that has any and is not in `except`. An account waits while missed
 * due times of it are being taken up, batch by batch: one email tells of them.
 */
export async function selectUntoldCron(
  db: Db,
  { after, except }: { after: AccountId; except: readonly AccountId[] },
): Promise<UntoldCron | undefined> {
  // A step in the index for each account that is passed over.
  const next = (account: ReturnType<typeof sql>) => sql`
    SELECT account_id, cron_id FROM portico.schedules
    WHERE is_email_due AND account_id > ${account} ORDER BY account_id, cron_id LIMIT 1`
  const { rows } = await sql<UntoldCron>`
    WITH RECURSIVE busy AS MATERIALIZED (
      SELECT unnest(${[...except]}::integer[]) AS account_id
      UNION SELECT c.account_id FROM portico.crons c
      WHERE c.terminated_at IS NULL AND c.next_due_at <= now() - interval '1 minute' AND EXISTS (
        SELECT FROM portico.schedules s WHERE s.cron_id = c.id AND s.ended_at > now() - interval '1 minute')
    ), found AS (
      (${next(sql`${after}::integer`)})
      UNION ALL
      SELECT n.account_id, n.cron_id FROM found f CROSS JOIN LATERAL (${next(sql`f.account_id`)}) n
      WHERE f.account_id IN (SELECT account_id FROM busy)
    )
    SELECT c.id, c.account_id, c.consumer, c.name, c.emails, c.zone
    FROM found f JOIN portico.crons c ON c.id = f.cron_id
    WHERE f.account_id NOT IN (SELECT account_id FROM busy)`.execute(db)
  return rows[0]
}

export type ToldRun = Pick<ScheduleRow, 'id' | 'due_at' | 'status' | 'is_undelivered' | 'comment'>

/** Runs of a cron marked as told: how many, and the due time of the first. `latest`: the latest of them first. */
export type ToldRuns = { count: number; first: Date; latest: ToldRun[] }

/**
 * Marks the latest runs of a cron as told, at most `limit`: those due at `upTo` or before; null for all. Skips those that
 * another transaction has locked. Null where there are none. `listed`: how many of them are returned.
 */
export async function updateTold(
  db: Db,
  account: AccountId,
  cronId: string,
  { upTo, limit, listed }: { upTo: Date | null; limit: number; listed: number },
): Promise<ToldRuns | null> {
  const end = upTo === null ? sql`` : sql`AND due_at <= ${upTo.toISOString()}::timestamptz`
  const { rows } = await sql<ToldRun & { count: number; first: Date }>`
    WITH told AS (
      UPDATE portico.schedules SET is_email_due = false
      WHERE account_id = ${account} AND id = ANY (ARRAY(
        SELECT id FROM portico.schedules
        WHERE account_id = ${account} AND cron_id = ${cronId} AND is_email_due ${end}
        ORDER BY due_at DESC LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      RETURNING id, due_at, status, is_undelivered, comment
    )
    SELECT *, count(*) OVER ()::integer AS count, min(due_at) OVER () AS first
    FROM told ORDER BY due_at DESC, id DESC LIMIT ${listed}`.execute(db)
  const [row] = rows
  return row ? { count: row.count, first: row.first, latest: rows } : null
}
