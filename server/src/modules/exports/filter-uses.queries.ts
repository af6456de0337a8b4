import { sql } from 'kysely'
import { accountTable } from '#platform/database.ts'
import { type FilterUses, namedInText } from '#platform/rows/filter-uses.ts'

/** Earlier exports are not read, nor more of a filter: after its names, it has long lists of values. */
const [latestExports, readCharacters] = [1000, 10_000]

/** Exports of the contacts of saved filters. */
export const exportFilters: FilterUses = {
  select: (account) => sql`
    SELECT 'export' AS kind, id::text AS id, name, ${namedInText(sql.ref('beginning'))} AS named, created_at AS "usedAt"
    FROM (
      SELECT id, name, created_at, left(filter, ${sql.lit(readCharacters)}) AS beginning
      FROM ${accountTable(account, 'exports')} ORDER BY id DESC LIMIT ${sql.lit(latestExports)}
    ) latest WHERE beginning LIKE '%predefined%'`,
}
