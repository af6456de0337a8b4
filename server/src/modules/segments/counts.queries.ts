import type { AccountId } from '@portico/contract/accounts'
import type { SegmentNight } from '@portico/contract/segments'
import type { Day } from '@portico/domain/days'
import { type ColumnType, sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'

type CountTable = {
  filter_id: string
  night: Day
  contacts: ColumnType<string | null, number | null, never>
  reason: string | null
  counted_at: Date
}
type Tables = { segment_counts: CountTable }

/** The count of a segment in one night; `contacts` is null if it failed, for `reason`. */
export type NightlyCount = SegmentNight & { filterId: string }

/** Adds counts of one or more nights. A count that is there already stays. */
export async function insertCounts(
  db: Db,
  account: AccountId,
  counts: readonly NightlyCount[],
  now: Date,
): Promise<void> {
  if (counts.length === 0) return
  await inAccount<Tables>(db, account)
    .insertInto('segment_counts')
    .values(counts.map(({ filterId, ...count }) => ({ filter_id: filterId, ...count, counted_at: now })))
    .onConflict((on) => on.columns(['filter_id', 'night']).doNothing())
    .execute()
}

/** The segments that have been counted in a night. */
export async function selectCounted(db: Db, account: AccountId, night: Day): Promise<Set<string>> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('segment_counts')
    .select('filter_id')
    .where('night', '=', night)
    .execute()
  return new Set(rows.map(({ filter_id: id }) => id))
}

/**
 * The last count of each segment in the nights from `since` to the one before `night`, without those that ended for the
 * reason `except`.
 */
export async function selectLastCounts(
  db: Db,
  account: AccountId,
  { since, night, except }: { since: Day; night: Day; except: string },
): Promise<NightlyCount[]> {
  const { rows } = await sql<NightlyCount>`
    SELECT DISTINCT ON (filter_id) filter_id AS "filterId", night::text AS night, contacts::float8 AS contacts, reason
    FROM ${accountTable(account, 'segment_counts')}
    WHERE night >= ${since}::date AND night < ${night}::date AND reason IS DISTINCT FROM ${except}
    ORDER BY filter_id, night DESC`.execute(db)
  return rows
}

/** Counts since a day, of all segments or of one, oldest first. */
export async function selectCounts(
  db: Db,
  account: AccountId,
  { since, id }: { since: Day; id?: string },
): Promise<NightlyCount[]> {
  const { rows } = await sql<NightlyCount>`
    SELECT filter_id AS "filterId", night::text AS night, contacts::float8 AS contacts, reason
    FROM ${accountTable(account, 'segment_counts')}
    WHERE night >= ${since}::date AND (${id ?? null}::uuid IS NULL OR filter_id = ${id ?? null}::uuid)
    ORDER BY filter_id, night`.execute(db)
  return rows
}

/** Removes counts before a day, and those of segments that the account no longer sees. */
export async function deleteOldCounts(
  db: Db,
  account: AccountId,
  { before, seen }: { before: Day; seen: readonly string[] },
): Promise<void> {
  await sql`
    DELETE FROM ${accountTable(account, 'segment_counts')}
    WHERE night < ${before}::date OR filter_id <> ALL(${sql.val([...seen])}::uuid[])`.execute(db)
}
