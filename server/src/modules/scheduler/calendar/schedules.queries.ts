import type { AccountId } from '@portico/contract/accounts'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { type RunState, runsPerDay, type ScheduleStatus } from '@portico/contract/scheduler/schedules'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database.ts'
import { stateInSql } from '../run-state.ts'
import type { CronRow, ScheduleRow } from '../tables.ts'

/** A run with the properties of its cron that lists show. */
export type ListedRun = ScheduleRow & Pick<CronRow, 'name' | 'expression' | 'zone' | 'starts' | 'ends' | 'repeats'>

export type RunFilter = {
  consumer: ConsumerCode | null
  cronId: string | null
  from: Date | null
  /** Excluded. */
  to: Date | null
  status: ScheduleStatus | null
  state: RunState | null
}

const cronColumns = sql`c.name, c.expression, c.zone, c.starts, c.ends, c.repeats`

const matches = (account: AccountId, { consumer, cronId, from, to, status, state }: RunFilter): RawBuilder<boolean> =>
  sql<boolean>`s.account_id = ${account} AND (${consumer}::text IS NULL OR s.consumer = ${consumer})
    AND (${cronId}::uuid IS NULL OR s.cron_id = ${cronId}::uuid)
    AND (${from}::timestamptz IS NULL OR s.due_at >= ${from}) AND (${to}::timestamptz IS NULL OR s.due_at < ${to})
    AND (${status}::text IS NULL OR s.status = ${status}) AND (${state}::text IS NULL OR ${stateInSql} = ${state})`

/** Selects stored runs, latest due time first. */
export async function selectRuns(
  db: Db,
  account: AccountId,
  filter: RunFilter,
  { limit, skip }: { limit: number; skip: number },
): Promise<ListedRun[]> {
  const { rows } = await sql<ListedRun>`
    SELECT s.*, ${cronColumns} FROM portico.schedules s JOIN portico.crons c ON c.id = s.cron_id
    WHERE ${matches(account, filter)} ORDER BY s.due_at DESC, s.id DESC LIMIT ${limit} OFFSET ${skip}`.execute(db)
  return rows
}

export async function selectRunsById(db: Db, account: AccountId, ids: readonly string[]): Promise<ListedRun[]> {
  const { rows } = await sql<ListedRun>`
    SELECT s.*, ${cronColumns} FROM portico.schedules s JOIN portico.crons c ON c.id = s.cron_id
    WHERE s.account_id = ${account} AND s.id = ANY (${[...ids]}::bigint[]) ORDER BY s.due_at, s.id`.execute(db)
  return rows
}

export async function selectRun(db: Db, account: AccountId, id: string): Promise<ListedRun | undefined> {
  const { rows } = await sql<ListedRun>`
    SELECT s.*, ${cronColumns} FROM portico.schedules s JOIN portico.crons c ON c.id = s.cron_id
    WHERE s.account_id = ${account} AND s.id = ${id}::bigint`.execute(db)
  return rows[0]
}

/** Days of a calendar in a time zone; weekdays are 1 (Monday) to 7, hours count from 0. */
export type CalendarRange = {
  consumer: ConsumerCode
  from: Date
  /** Excluded. */
  to: Date
  zone: string
  status: ScheduleStatus | null
  state: RunState | null
  weekdays: readonly number[]
  firstHour: number
  /** Excluded. */
  endHour: number
}

/** Runs of the range, each with its day, as `made`. */
const made = (account: AccountId, range: CalendarRange): RawBuilder<unknown> => sql`
  SELECT s.id, s.cron_id, s.due_at, ${stateInSql} AS state, to_char(s.due_at AT TIME ZONE ${range.zone}, 'YYYY-MM-DD') AS day
  FROM portico.schedules s
  WHERE s.account_id = ${account} AND s.consumer = ${range.consumer} AND s.due_at >= ${range.from} AND s.due_at < ${range.to}
    AND (${range.status}::text IS NULL OR s.status = ${range.status})
    AND (${range.state}::text IS NULL OR ${stateInSql} = ${range.state})
    AND extract(isodow FROM s.due_at AT TIME ZONE ${range.zone}) = ANY (${[...range.weekdays]}::integer[])
    AND extract(hour FROM s.due_at AT TIME ZONE ${range.zone}) >= ${range.firstHour}
    AND extract(hour FROM s.due_at AT TIME ZONE ${range.zone}) < ${range.endHour}`

/** Counts runs by day and state. */
export async function selectDayCounts(
  db: Db,
  account: AccountId,
  range: CalendarRange,
): Promise<{ day: string; state: RunState; count: number }[]> {
  const { rows } = await sql<{ day: string; state: RunState; count: number }>`
    SELECT day, state, count(*)::integer AS count FROM (${made(account, range)}) made GROUP BY day, state`.execute(db)
  return rows
}

/** Selects the first runs of each day, by due time. */
export async function selectFirstRuns(
  db: Db,
  account: AccountId,
  range: CalendarRange,
): Promise<(ListedRun & { day: string })[]> {
  const { rows } = await sql<ListedRun & { day: string }>`
    SELECT s.*, ${cronColumns}, first.day FROM (
      SELECT made.id, made.day, row_number() OVER (PARTITION BY made.day ORDER BY made.due_at, made.id) AS place
      FROM (${made(account, range)}) made
    ) first
    JOIN portico.schedules s ON s.id = first.id JOIN portico.crons c ON c.id = s.cron_id
    WHERE first.place <= ${runsPerDay} ORDER BY s.due_at, s.id`.execute(db)
  return rows
}

/** A cron that has upcoming runs. */
export type UpcomingCron = Pick<
  CronRow,
  'id' | 'name' | 'consumer' | 'expression' | 'zone' | 'starts' | 'ends' | 'repeats' | 'last_due_at'
> & { next_due_at: Date }

/** Selects crons with a run due before a moment, of one consumer or by id. */
export async function selectUpcomingCrons(
  db: Db,
  account: AccountId,
  { consumer, cronId, to }: Pick<RunFilter, 'consumer' | 'cronId'> & { to: Date },
): Promise<UpcomingCron[]> {
  const { rows } = await sql<UpcomingCron>`
    SELECT id, name, consumer, expression, zone, starts, ends, repeats, next_due_at, last_due_at FROM portico.crons
    WHERE account_id = ${account} AND terminated_at IS NULL AND paused_at IS NULL AND next_due_at < ${to}
      AND (${consumer}::text IS NULL OR consumer = ${consumer}) AND (${cronId}::uuid IS NULL OR id = ${cronId}::uuid)
    ORDER BY name_key, id`.execute(db)
  return rows
}

/** Selects upcoming due times that already have a run: the stored next one, or skipped ones. */
export async function selectMadeAhead(
  db: Db,
  account: AccountId,
  { consumer, cronId, to }: Pick<RunFilter, 'consumer' | 'cronId'> & { to: Date },
): Promise<{ cron_id: string; due_at: Date }[]> {
  const { rows } = await sql<{ cron_id: string; due_at: Date }>`
    SELECT cron_id, due_at FROM portico.schedules s
    WHERE s.account_id = ${account} AND (${consumer}::text IS NULL OR s.consumer = ${consumer})
      AND (${cronId}::uuid IS NULL OR s.cron_id = ${cronId}::uuid) AND s.due_at >= now() AND s.due_at < ${to}
      AND NOT s.is_run_now`.execute(db)
  return rows
}
