import { sql } from 'kysely'
import type { FilterUses } from '#platform/rows/filter-uses.ts'

/** Saved filters may be part of others. */
export const savedFilterUses: FilterUses = {
  select: (account) => sql`
    SELECT 'segment' AS kind, id::text AS id, name, named_filters AS named, NULL::timestamptz AS "usedAt"
    FROM portico.saved_filters WHERE account_id = ${account}`,
}
