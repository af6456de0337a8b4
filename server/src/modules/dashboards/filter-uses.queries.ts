import { sql } from 'kysely'
import type { FilterUses } from '#platform/rows/filter-uses.ts'

/** Cells of dashboards show contacts of saved filters. */
export const dashboardFilters: FilterUses = {
  select: (account) => sql`
    SELECT 'dashboard' AS kind, d.id::text AS id, d.name, v.named_filters AS named, NULL::timestamptz AS "usedAt"
    FROM portico.dashboards d JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version = d.version
    WHERE d.account_id = ${account}`,
}
