import { sql } from 'kysely'
import type { FilterUses } from '#platform/rows/filter-uses.ts'

/** Schedules of exports and reports that narrow what they send by saved filters. */
export const cronFilters: FilterUses = {
  select: (account) => sql`
    SELECT CASE c.consumer WHEN 'EXPORT' THEN 'export schedule' ELSE 'report schedule' END AS kind, c.id::text AS id,
      c.name, c.named_filters AS named,
      (SELECT max(s.ended_at) FROM portico.schedules s WHERE s.cron_id = c.id AND s.status = 'completed') AS "usedAt"
    FROM portico.crons c
    WHERE c.account_id = ${account} AND c.terminated_at IS NULL AND c.named_filters <> '{}'`,
}
