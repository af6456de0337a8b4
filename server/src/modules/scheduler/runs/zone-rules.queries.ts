import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import type { CronRow } from '../tables.ts'

export type OutdatedCron = Pick<
  CronRow,
  'id' | 'account_id' | 'expression' | 'zone' | 'starts' | 'ends' | 'repeats' | 'next_sequence' | 'next_clock_time'
> &
  Pick<CronRow, 'last_due_at'> & { next_due_at: Date; previous_due_at: Date | null }

/**
 * Locks active crons whose due times were computed with earlier time zone data, the next due first; skips those of other
 * workers, and the crons of `except`.
 */
export async function lockOutdatedCrons(
  db: Db,
  rules: string,
  limit: number,
  except: readonly string[],
): Promise<OutdatedCron[]> {
  const { rows } = await sql<OutdatedCron>`
    SELECT id, account_id, expression, zone, starts, ends, repeats, next_sequence, next_clock_time, next_due_at,
      last_due_at, (
        SELECT max(due_at) FROM portico.schedules s
        WHERE s.cron_id = c.id AND NOT s.is_run_now AND s.due_at < c.next_due_at
      ) AS previous_due_at
    FROM portico.crons c
    WHERE terminated_at IS NULL AND next_due_at IS NOT NULL AND (zone_rules IS NULL OR zone_rules < ${rules})
      AND id <> ALL (${[...except]}::uuid[])
    ORDER BY next_due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(db)
  return rows
}

/** Selects the runs of a cron from a position on that have not begun: the next one and skipped ones. */
export async function selectRunsAhead(
  db: Db,
  account: AccountId,
  cronId: string,
  sequence: number,
): Promise<{ id: string; sequence: number }[]> {
  const { rows } = await sql<{ id: string; sequence: number }>`
    SELECT id, sequence FROM portico.schedules
    WHERE account_id = ${account} AND cron_id = ${cronId} AND NOT is_run_now AND sequence >= ${sequence}`.execute(db)
  return rows
}

/** Moves runs of a cron to other due times. */
export async function updateDueTimes(
  db: Db,
  account: AccountId,
  runs: readonly { id: string; due_at: Date }[],
): Promise<void> {
  const ids = runs.map(({ id }) => id)
  // Moved far away first: a run may move to the present time of another.
  await sql`UPDATE portico.schedules SET due_at = due_at + interval '1000 years'
    WHERE account_id = ${account} AND id = ANY (${ids}::bigint[])`.execute(db)
  await sql`
    UPDATE portico.schedules s SET due_at = r.due_at
    FROM jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) AS r(id bigint, due_at timestamptz)
    WHERE s.account_id = ${account} AND s.id = r.id`.execute(db)
}
