import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import type { CronRow, ScheduleRow } from '../tables.ts'

// A worker looks at all accounts at once: due crons, runs ready to start, and ended runs. Rows chosen by turn are
// locked by a list of their ids: a join could read all of them for each one.

export type DueCron = Pick<
  CronRow,
  'id' | 'account_id' | 'consumer' | 'expression' | 'zone' | 'starts' | 'ends' | 'repeats' | 'next_sequence'
> &
  Pick<CronRow, 'last_due_at' | 'paused_at' | 'pause_reason'> & {
    next_due_at: Date
    /** The time of the database when it was found due. */
    now: Date
    /** A run of it is already due and waits for the previous one. */
    is_waiting: boolean
  }

/**
 * Locks crons that are due until the end of the transaction: the one of each account that is due for the longest, then the second
 * of each, and so on. Skips those of other workers, and the crons of `except`.
 */
export async function lockDueCrons(db: Db, limit: number, except: readonly string[]): Promise<DueCron[]> {
  const { rows } = await sql<DueCron>`
    SELECT id, account_id, consumer, expression, zone, starts, ends, repeats, next_due_at, next_sequence, last_due_at,
      paused_at, pause_reason, now() AS now,
      EXISTS (
        SELECT FROM portico.schedules s
        WHERE s.cron_id = c.id AND s.status = 'waiting' AND s.ready_at IS NOT NULL AND NOT s.is_backfill
      ) AS is_waiting
    FROM portico.crons c
    WHERE terminated_at IS NULL AND next_due_at <= now() AND id = ANY (ARRAY(
      SELECT id FROM portico.crons
      WHERE terminated_at IS NULL AND next_due_at <= now() AND id <> ALL (${[...except]}::uuid[])
      ORDER BY row_number() OVER (PARTITION BY account_id ORDER BY next_due_at), next_due_at LIMIT ${limit}))
    FOR UPDATE SKIP LOCKED`.execute(db)
  return rows
}

/** Sets the next due times of crons: null if none is left. */
export async function updateNextDue(
  db: Db,
  crons: readonly Pick<CronRow, 'id' | 'next_due_at' | 'next_sequence' | 'next_clock_time' | 'zone_rules'>[],
): Promise<void> {
  await sql`
    UPDATE portico.crons c SET next_due_at = r.next_due_at, next_sequence = r.next_sequence,
      next_clock_time = r.next_clock_time, zone_rules = r.zone_rules
    FROM jsonb_to_recordset(${JSON.stringify(crons)}::jsonb) AS r(id uuid, next_due_at timestamptz,
      next_sequence integer, next_clock_time timestamptz, zone_rules text)
    WHERE c.id = r.id`.execute(db)
}

/** A run that is ready to start, with its cron. */
export type ReadyRun = ScheduleRow &
  Pick<CronRow, 'name' | 'emails' | 'zone' | 'instruction' | 'transfer' | 'sealed_secrets' | 'holder' | 'author'> &
  Pick<CronRow, 'expression' | 'starts' | 'ends' | 'repeats' | 'terminated_at' | 'created_at' | 'updated_at'> & {
    /** The time of the database. */
    now: Date
  }

/**
 * Locks the run that has been ready longest, in the first account after `after` that has one, with its cron, until the
 * end of the transaction. Skips those locked by other workers, and those whose previous run has not ended. Backfill
 * runs come last in an account, and delay no due time while they wait themselves.
 */
export async function lockReadyRun(db: Db, after: AccountId): Promise<ReadyRun | undefined> {
  const { rows } = await sql<ReadyRun>`
    SELECT s.*, c.name, c.emails, c.zone, c.instruction, c.transfer, c.sealed_secrets, c.holder, c.author,
      c.expression, c.starts, c.ends, c.repeats, c.terminated_at, c.created_at, c.updated_at, now() AS now
    FROM portico.schedules s JOIN portico.crons c ON c.id = s.cron_id
    WHERE s.account_id > ${after} AND s.status IN ('waiting', 'recovery') AND s.ready_at <= now() AND NOT EXISTS (
      SELECT FROM portico.schedules before
      WHERE before.cron_id = s.cron_id AND before.id <> s.id AND before.status IN ('processing', 'recovery')
        AND NOT (before.status = 'recovery' AND before.is_backfill AND NOT s.is_backfill))
    ORDER BY s.account_id, s.is_backfill, s.ready_at, s.id LIMIT 1 FOR UPDATE OF s, c SKIP LOCKED`.execute(db)
  return rows[0]
}

/** Marks a locked run as processing, with the job it has started. */
export async function updateRunStarted(
  db: Db,
  account: AccountId,
  id: string,
  { jobId, comment }: { jobId: string; comment: string | null },
): Promise<void> {
  await sql`
    UPDATE portico.schedules SET status = 'processing', started_at = coalesce(started_at, now()), ready_at = NULL,
      job_id = ${jobId}::bigint, comment = ${comment}, attempts = attempts || jsonb_build_array(jsonb_build_object(
        'startedAt', to_jsonb(now()), 'endedAt', NULL, 'status', 'processing', 'processedRecords', NULL, 'error', NULL))
    WHERE account_id = ${account} AND id = ${id}`.execute(db)
}

/** Records a failed attempt to start a run: the run is tried again after a pause, or ended. */
export async function updateRunFailed(
  db: Db,
  account: AccountId,
  run: Pick<ScheduleRow, 'id' | 'status' | 'recovery_count'>,
  failure: { reason: string; pauseMs: number | null },
): Promise<boolean> {
  const { reason, pauseMs } = failure
  const status = pauseMs === null ? 'terminated' : 'recovery'
  const { rows } = await sql`
    UPDATE portico.schedules SET status = ${status}, comment = ${reason}, started_at = coalesce(started_at, now()),
      ended_at = CASE WHEN ${pauseMs}::float8 IS NULL THEN now() END,
      ready_at = now() + ${pauseMs}::float8 * interval '1 ms',
      recovery_count = recovery_count + CASE WHEN ${pauseMs}::float8 IS NULL THEN 0 ELSE 1 END,
      is_email_due = ${pauseMs === null},
      attempts = attempts || jsonb_build_array(jsonb_build_object(
        'startedAt', to_jsonb(now()), 'endedAt', to_jsonb(now()), 'status', ${status}::text, 'processedRecords', NULL,
        'error', ${reason}::text))
    WHERE account_id = ${account} AND id = ${run.id} AND status = ${run.status} AND recovery_count = ${run.recovery_count} RETURNING id`.execute(
    db,
  )
  return rows.length > 0
}

/** Postpones a run whose account cannot be reached: this counts neither as an attempt nor as a recovery. */
export async function updateRunPostponed(
  db: Db,
  account: AccountId,
  id: string,
  { reason, pauseMs }: { reason: string; pauseMs: number },
): Promise<void> {
  await sql`
    UPDATE portico.schedules SET comment = ${reason}, ready_at = now() + ${pauseMs}::float8 * interval '1 ms'
    WHERE account_id = ${account} AND id = ${id} AND status IN ('waiting', 'recovery')`.execute(db)
}

/** Pauses the cron of a run that can have no further runs for now. */
export async function updatePausedByRun(db: Db, account: AccountId, cronId: string, reason: string): Promise<void> {
  await sql`
    UPDATE portico.crons SET paused_at = now(), paused_by = 'portico', pause_reason = ${reason}
    WHERE account_id = ${account} AND id = ${cronId} AND paused_at IS NULL`.execute(db)
}

type UnsettledRun = Pick<ScheduleRow, 'id' | 'account_id' | 'consumer' | 'job_id' | 'status'>

/**
 * Selects runs whose job or deliveries may have ended unnoticed: one of each account, then another of each, and so on,
 * in random order within an account, to reach every run even if there are more than the limit. Locks them until the end
 * of the transaction.
 */
export async function lockUnsettledRuns(
  db: Db,
  olderThanMs: number,
  limit: number,
  except: readonly AccountId[],
): Promise<UnsettledRun[]> {
  const { rows } = await sql<UnsettledRun>`
    SELECT id, account_id, consumer, job_id, status FROM portico.schedules
    WHERE (status = 'processing' OR is_delivering) AND id = ANY (ARRAY(
      SELECT id FROM portico.schedules
      WHERE ((status = 'processing' AND started_at < now() - ${olderThanMs}::float8 * interval '1 ms') OR is_delivering)
        AND account_id <> ALL (${[...except]}::integer[])
      ORDER BY row_number() OVER (PARTITION BY account_id ORDER BY random()), random() LIMIT ${limit}))
    ORDER BY id FOR UPDATE SKIP LOCKED`.execute(db)
  return rows
}

/** Ends the deliveries of a run; with a reason if one has failed. */
export async function updateDelivered(db: Db, account: AccountId, id: string, reason: string | null): Promise<void> {
  await sql`
    UPDATE portico.schedules SET is_delivering = false, is_undelivered = ${reason}::text IS NOT NULL,
      comment = CASE WHEN ${reason}::text IS NULL AND is_undelivered THEN NULL ELSE coalesce(${reason}::text, comment) END,
      is_email_due = ${reason}::text IS NOT NULL
    WHERE account_id = ${account} AND id = ${id}`.execute(db)
}

/** Deletes up to `limit` runs that were due more than a number of days ago; returns the number deleted. */
export async function deleteOldRuns(db: Db, days: number, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM portico.schedules WHERE id IN (
      SELECT id FROM portico.schedules WHERE due_at < now() - ${days} * interval '1 day' ORDER BY due_at LIMIT ${limit})
    RETURNING id`.execute(db)
  return rows.length
}
