import type { AccountId } from '@portico/contract/accounts'
import { foldName } from '@portico/domain/names'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import type { ScheduleStatus } from '@portico/contract/scheduler/schedules'
import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import { nameColumns } from '#platform/name-columns.ts'
import { namedFilters } from '#platform/rows/filter-uses.ts'
import type { CronRow, Tables } from '../tables.ts'

/** A cron with figures of its runs. */
export type ListedCron = CronRow & {
  last_id: string | null
  last_status: ScheduleStatus | null
  last_is_undelivered: boolean | null
  last_ended_at: Date | null
  /** The stored run that waits for its due time. */
  next_id: string | null
}

/** The column of each sort order of the list; all are followed by the name. */
const orders = {
  name: sql`c.name_key`,
  cronStart: sql`c.starts`,
  cronEnd: sql`c.ends`,
  cronRepeat: sql`c.repeats`,
  createdAt: sql`c.created_at`,
  nextRunAt: sql`CASE WHEN c.paused_at IS NULL AND c.terminated_at IS NULL THEN c.next_due_at END`,
} as const satisfies Record<string, RawBuilder<unknown>>

export type CronFilter = {
  consumer: ConsumerCode
  /** Null for both. */
  isTerminated: boolean | null
  /** Part of the name or of an email; empty for all. */
  search: string
}

type CronPage = CronFilter & { sort: keyof typeof orders; isDescending: boolean; limit: number; skip: number }

const withRuns = sql`
  LEFT JOIN LATERAL (
    SELECT id, status, is_undelivered, ended_at FROM portico.schedules
    WHERE cron_id = c.id AND ended_at IS NOT NULL AND omission IS DISTINCT FROM 'skipped'
    ORDER BY ended_at DESC LIMIT 1
  ) last ON true
  LEFT JOIN LATERAL (
    SELECT id FROM portico.schedules WHERE cron_id = c.id AND status = 'waiting' AND NOT is_backfill ORDER BY due_at LIMIT 1
  ) next ON true`

const runColumns = sql`
  last.id AS last_id, last.status AS last_status, last.is_undelivered AS last_is_undelivered,
  last.ended_at AS last_ended_at, next.id AS next_id`

function matches(account: AccountId, { consumer, isTerminated, search }: CronFilter): RawBuilder<boolean> {
  return sql<boolean>`c.account_id = ${account} AND c.consumer = ${consumer}
    AND (${isTerminated}::boolean IS NULL OR (c.terminated_at IS NOT NULL) = ${isTerminated}::boolean)
    AND (position(${foldName(search)} IN c.name_key) > 0 OR position(lower(${search}) IN lower(c.emails)) > 0)`
}

export async function selectCrons(db: Db, account: AccountId, page: CronPage): Promise<ListedCron[]> {
  const direction = page.isDescending ? sql`DESC NULLS LAST` : sql`ASC NULLS LAST`
  const { rows } = await sql<ListedCron>`
    SELECT c.*, ${runColumns} FROM portico.crons c ${withRuns} WHERE ${matches(account, page)}
    ORDER BY ${orders[page.sort]} ${direction}, c.name_key, c.id LIMIT ${page.limit} OFFSET ${page.skip}`.execute(db)
  return rows
}

export async function selectCronCount(db: Db, account: AccountId, filter: CronFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM portico.crons c WHERE ${matches(account, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function selectCron(db: Db, account: AccountId, id: string): Promise<ListedCron | undefined> {
  const { rows } = await sql<ListedCron>`
    SELECT c.*, ${runColumns} FROM portico.crons c ${withRuns} WHERE c.account_id = ${account} AND c.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Counts the crons of an account, of all consumers. */
export async function countCronsOf(db: Db, account: AccountId): Promise<number> {
  const { count } = await control<Tables>(db)
    .selectFrom('crons')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
  return count
}

/** The same, without terminated crons. */
export async function countActiveCrons(db: Db, account: AccountId): Promise<number> {
  const { count } = await control<Tables>(db)
    .selectFrom('crons')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('account_id', '=', account)
    .where('terminated_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Locks a cron until the end of the transaction: neither a worker nor another request changes it in the meantime. */
export async function lockCron(db: Db, account: AccountId, id: string): Promise<CronRow | undefined> {
  return control<Tables>(db)
    .selectFrom('crons')
    .selectAll()
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Selects names of the active crons of a consumer, except for one. */
export async function selectCronNames(
  db: Db,
  account: AccountId,
  consumer: ConsumerCode,
  exceptId: string | null,
): Promise<string[]> {
  const rows = await control<Tables>(db)
    .selectFrom('crons')
    .select(['id', 'name'])
    .where('account_id', '=', account)
    .where('consumer', '=', consumer)
    .where('terminated_at', 'is', null)
    .execute()
  return rows.filter(({ id }) => id !== exceptId).map(({ name }) => name)
}

export async function insertCron(
  db: Db,
  account: AccountId,
  row: Omit<Insertable<Tables['crons']>, 'account_id' | 'name_key' | 'named_filters'>,
): Promise<void> {
  await control<Tables>(db)
    .insertInto('crons')
    .values({
      ...row,
      ...nameColumns(row.name),
      account_id: account,
      named_filters: namedFilters(row.instruction),
    })
    .execute()
}

export async function updateCronRow(
  db: Db,
  account: AccountId,
  id: string,
  change: Omit<Updateable<Tables['crons']>, 'named_filters'>,
): Promise<void> {
  await control<Tables>(db)
    .updateTable('crons')
    .set({ ...change, ...(change.instruction !== undefined && { named_filters: namedFilters(change.instruction) }) })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}

/**
 * Returns the time of the database, whose clock counts for any number of servers. Within a transaction: of its start.
 */
export async function selectNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`SELECT now() AS now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The database gave no time.')
  return row.now
}
