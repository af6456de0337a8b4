import { sql } from 'kysely'
import { accountTable } from '#platform/database.ts'
import { type FilterUses, type NamingItem, namedIds } from '#platform/rows/filter-uses.ts'

/** Earlier exports are not read, nor larger filters, in bytes as stored: those consist of long lists of values. */
const [latestExports, largestFilter] = [1000, 100_000]

/** Exports of the contacts of saved filters, newest first. */
export const exportFilters: FilterUses = {
  async find(db, account) {
    const { rows } = await sql<Omit<NamingItem, 'kind'>>`
      SELECT id::text AS id, name, created_at AS "usedAt", ${namedIds(sql.ref('filter'))} AS named
      FROM (
        SELECT id, name, created_at, filter FROM ${accountTable(account, 'exports')}
        ORDER BY id DESC LIMIT ${sql.lit(latestExports)}
      ) latest WHERE pg_column_size(filter) <= ${sql.lit(largestFilter)} ORDER BY latest.id DESC`.execute(db)
    return rows.map((row) => ({ ...row, kind: 'export' as const }))
  },
}
