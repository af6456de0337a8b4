import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { Sql } from '#filters'
import type { Db } from '#platform/database.ts'

/** Numbers of contacts in both of two searches, and in one of them only. */
export type Overlap = { both: number; onlyOne: number; onlyOther: number }

/** Counts in one statement, so the three agree. A condition may be NULL, which is no match; null matches all. */
export async function countOverlap(
  db: Db,
  account: AccountId,
  { from, one, other }: { from: Sql; one: Sql | null; other: Sql | null },
): Promise<Overlap> {
  const { rows } = await sql<Overlap>`
    SELECT count(*) FILTER (WHERE in_one AND in_other)::float8 AS both,
      count(*) FILTER (WHERE in_one AND NOT in_other)::float8 AS "onlyOne",
      count(*) FILTER (WHERE in_other AND NOT in_one)::float8 AS "onlyOther"
    FROM (
      SELECT (${one ?? sql`TRUE`}) IS TRUE AS in_one, (${other ?? sql`TRUE`}) IS TRUE AS in_other FROM ${from}
    ) compared`.execute(db)
  return rows[0] ?? { both: 0, onlyOne: 0, onlyOther: 0 }
}
