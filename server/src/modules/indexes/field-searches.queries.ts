import type { AccountId } from '@portico/contract/accounts'
import type { Day } from '@portico/domain/days'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

/** Days without a search after which a field counts as not searched. */
const keptDays = 90

/**
 * Notes that a field was searched on a day. Returns on how many days it has been by now; null if the day was noted before.
 */
export async function upsertSearch(db: Db, account: AccountId, field: number, day: Day): Promise<number | null> {
  const { rows } = await sql<{ days: number }>`
    INSERT INTO ${accountTable(account, 'field_searches')} AS s (field, days, last_day) VALUES (${field}, 1, ${day}::date)
    ON CONFLICT (field) DO UPDATE
      SET days = CASE WHEN s.last_day < excluded.last_day - ${sql.lit(keptDays)} THEN 1 ELSE s.days + 1 END,
        last_day = excluded.last_day
      WHERE s.last_day < excluded.last_day
    RETURNING days`.execute(db)
  return rows[0]?.days ?? null
}

/** The last day on which each field was searched, by the number of the field. */
export async function selectLastSearches(db: Db, account: AccountId): Promise<Map<number, Day>> {
  const { rows } = await sql<{ field: number; last_day: Day }>`
    SELECT field, last_day FROM ${accountTable(account, 'field_searches')}`.execute(db)
  return new Map(rows.map(({ field, last_day: day }) => [field, day]))
}

/** Forgets the fields that were not searched for 90 days. */
export async function deleteOldSearches(db: Db, account: AccountId, today: Day): Promise<void> {
  await sql`
    DELETE FROM ${accountTable(account, 'field_searches')}
    WHERE last_day < ${today}::date - ${sql.lit(keptDays)}`.execute(db)
}
