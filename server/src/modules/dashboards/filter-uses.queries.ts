import { sql } from 'kysely'
import { type FilterUses, type NamingItem, namedIds } from '#platform/rows/filter-uses.ts'

/** Cells of dashboards show contacts of saved filters. */
export const dashboardFilters: FilterUses = {
  async find(db, account) {
    const { rows } = await sql<Omit<NamingItem, 'kind' | 'usedAt'>>`
      SELECT d.id, d.name, ${namedIds(sql`v.definition`)} AS named
      FROM portico.dashboards d JOIN portico.dashboard_versions v ON v.dashboard_id = d.id AND v.version = d.version
      WHERE d.account_id = ${account} ORDER BY d.name, d.id`.execute(db)
    return rows.map((row) => ({ ...row, kind: 'dashboard' as const, usedAt: null }))
  },
}
