import { sql } from 'kysely'
import { control } from '#platform/database.ts'
import { type FilterUses, namedIds } from '#platform/rows/filter-uses.ts'
import type { Tables } from './saved-filters.queries.ts'

/** Saved filters may be part of others. */
export const savedFilterUses: FilterUses = {
  async find(db, account) {
    const rows = await control<Tables>(db)
      .selectFrom('saved_filters')
      .select(['id', 'name', namedIds(sql.ref('aggregate_query')).as('named')])
      .where('account_id', '=', account)
      .orderBy('name_key')
      .execute()
    return rows.map((row) => ({ ...row, kind: 'segment' as const, usedAt: null }))
  },
}
