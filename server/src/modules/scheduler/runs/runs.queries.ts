import type { AccountId } from '@portico/contract/accounts'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { Omission, ScheduleRow, Tables } from '../tables.ts'

/** A run for a due time. `made`: for an upcoming time; `ready`: to start now; others never start. */
export type NewRun = {
  cronId: string
  consumer: ConsumerCode
  /** In ms. */
  dueAt: number
  sequence: number
} & ({ state: 'made' | 'ready' } | { state: Omission; comment: string })

/**
 * Creates runs for due times. An existing run stays the only one: it is updated if it still waits for its time, and
 * otherwise left unchanged.
 */
export async function insertRuns(db: Db, account: AccountId, runs: readonly NewRun[]): Promise<void> {
  if (runs.length === 0) return
  // One array per column: far less work for the server than to read JSON.
  const column = (valueOf: (run: NewRun) => unknown) => sql.val(runs.map(valueOf))
  await sql`
    INSERT INTO portico.schedules
      (account_id, cron_id, consumer, due_at, sequence, status, ready_at, ended_at, comment, omission, is_email_due)
    SELECT ${account}::integer, r.cron_id, r.consumer, r.due_at, r.sequence,
      CASE WHEN r.state IN ('made', 'ready') THEN 'waiting' ELSE 'terminated' END,
      CASE WHEN r.state = 'ready' THEN now() END,
      CASE WHEN r.state NOT IN ('made', 'ready') THEN now() END,
      r.comment,
      CASE WHEN r.state NOT IN ('made', 'ready') THEN r.state END,
      r.state IN ('missed', 'overlapping')
    FROM unnest(
      ${column(({ cronId }) => cronId)}::uuid[], ${column(({ consumer }) => consumer)}::text[],
      ${column(({ dueAt }) => new Date(dueAt).toISOString())}::timestamptz[],
      ${column(({ sequence }) => sequence)}::integer[], ${column(({ state }) => state)}::text[],
      ${column((run) => ('comment' in run ? run.comment : null))}::text[]
    ) AS r (cron_id, consumer, due_at, sequence, state, comment)
    ON CONFLICT (cron_id, due_at) WHERE NOT is_run_now DO UPDATE SET
      status = excluded.status, ready_at = excluded.ready_at, ended_at = excluded.ended_at, comment = excluded.comment,
      omission = excluded.omission, is_email_due = excluded.is_email_due
    WHERE schedules.status = 'waiting' AND schedules.ready_at IS NULL`.execute(db)
}

/** Creates a run in addition to the due times, to start immediately. */
export async function insertRunNow(
  db: Db,
  account: AccountId,
  cron: { id: string; consumer: ConsumerCode },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, is_run_now, status, ready_at)
    VALUES (${account}::integer, ${cron.id}, ${cron.consumer}, date_trunc('second', now()), true, 'waiting', now())
    RETURNING id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A run was not stored.')
  return row.id
}

/** Returns whether a run of the cron is due and has not begun. */
export async function isRunWaiting(db: Db, account: AccountId, cronId: string): Promise<boolean> {
  const row = await control<Tables>(db)
    .selectFrom('schedules')
    .select('id')
    .where('account_id', '=', account)
    .where('cron_id', '=', cronId)
    .where('status', '=', 'waiting')
    .where('ready_at', 'is not', null)
    .where('is_backfill', '=', false)
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the runs of a cron that have not begun. */
export async function updateRunsTerminated(db: Db, account: AccountId, cronId: string, comment: string): Promise<void> {
  await sql`
    UPDATE portico.schedules SET status = 'terminated', ended_at = now(), ready_at = NULL, comment = ${comment},
      omission = coalesce(omission, 'skipped')
    WHERE account_id = ${account} AND cron_id = ${cronId} AND status IN ('waiting', 'recovery')`.execute(db)
}

/** Returns the run of a due time, if there is one. */
export async function selectRunAt(
  db: Db,
  account: AccountId,
  cronId: string,
  dueAt: Date,
): Promise<ScheduleRow | undefined> {
  return control<Tables>(db)
    .selectFrom('schedules')
    .selectAll()
    .where('account_id', '=', account)
    .where('cron_id', '=', cronId)
    .where('due_at', '=', dueAt)
    .where('is_run_now', '=', false)
    .executeTakeFirst()
}

/** A run that a cron has for a due time, including backfill runs. */
export type DueRun = Pick<ScheduleRow, 'due_at' | 'status' | 'is_undelivered' | 'is_backfill'>

/** Selects the runs of due times in a range (`to` included). */
export async function selectDueRuns(
  db: Db,
  account: AccountId,
  cronId: string,
  { from, to }: { from: Date; to: Date },
): Promise<DueRun[]> {
  return control<Tables>(db)
    .selectFrom('schedules')
    .select(['due_at', 'status', 'is_undelivered', 'is_backfill'])
    .where('account_id', '=', account)
    .where('cron_id', '=', cronId)
    .where('due_at', '>=', from)
    .where('due_at', '<=', to)
    .where((where) => where.or([where('is_run_now', '=', false), where('is_backfill', '=', true)]))
    .execute()
}

/** Counts past due times of a cron that wait to be run again. */
export async function countBackfills(db: Db, account: AccountId, cronId: string): Promise<number> {
  const { count } = await control<Tables>(db)
    .selectFrom('schedules')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('account_id', '=', account)
    .where('cron_id', '=', cronId)
    .where('is_backfill', '=', true)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Creates runs for past due times, to start one at a time. A due time with a waiting or running backfill gets no second
 * one.
 */
export async function insertBackfills(
  db: Db,
  account: AccountId,
  cron: { id: string; consumer: ConsumerCode },
  dueTimes: readonly Date[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, is_run_now, is_backfill, status, ready_at)
    SELECT ${account}::integer, ${cron.id}, ${cron.consumer}, due_at, true, true, 'waiting', now()
    FROM unnest(${[...dueTimes]}::timestamptz[]) AS t(due_at) ORDER BY due_at
    ON CONFLICT (cron_id, due_at) WHERE is_backfill AND status IN ('waiting', 'processing', 'recovery') DO NOTHING
    RETURNING id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Marks the completed run of a job as delivering again: the end of the delivery is then noticed. */
export async function updateRunDelivering(
  db: Db,
  account: AccountId,
  consumer: ConsumerCode,
  jobId: string,
): Promise<void> {
  await sql`
    UPDATE portico.schedules SET is_delivering = true
    WHERE account_id = ${account} AND consumer = ${consumer} AND job_id = ${jobId}::bigint AND status = 'completed'`.execute(
    db,
  )
}

/** The outcome of a run's job. */
export type RunEnd = {
  jobId: string
  isOk: boolean
  records: number
  /** In words for users; null when it succeeded. */
  reason: string | null
  /** In words for users: something was left out although the job succeeded. */
  note?: string | null
  /** Recipients are notified: the job failed, and was not cancelled. */
  isNotified: boolean
  /** The job has deliveries, which begin now. */
  delivers: boolean
}

/** Ends the processing run of a job. Returns whether there was one. */
export async function updateRunEnded(
  db: Db,
  account: AccountId,
  consumer: ConsumerCode,
  end: RunEnd,
): Promise<boolean> {
  const status = end.isOk ? 'completed' : 'terminated'
  const note = end.note ?? null
  const { rows } = await sql`
    UPDATE portico.schedules SET status = ${status}, ended_at = now(), processed_records = ${end.records}::bigint,
      comment = coalesce(${end.reason}::text, nullif(concat_ws('; ', comment, ${note}::text), '')),
      is_email_due = ${end.isNotified}, is_delivering = ${end.delivers},
      attempts = jsonb_set(attempts, '{-1}', (attempts -> -1) || jsonb_build_object(
        'endedAt', to_jsonb(now()), 'status', ${status}::text, 'processedRecords', ${end.records}::bigint,
        'error', ${end.reason ?? note}::text))
    WHERE account_id = ${account} AND consumer = ${consumer} AND job_id = ${end.jobId}::bigint AND status = 'processing'
    RETURNING id`.execute(db)
  return rows.length > 0
}
