import { sql } from 'kysely'
import { type FilterUses, type NamingItem, namedIds } from '#platform/rows/filter-uses.ts'
import type { CronRow } from '../tables.ts'

/** Schedules of exports and reports that narrow what they send by saved filters. */
export const cronFilters: FilterUses = {
  async find(db, account) {
    const { rows } = await sql<Omit<NamingItem, 'kind'> & Pick<CronRow, 'consumer'>>`
      SELECT c.id, c.name, c.consumer, ${namedIds(sql`c.instruction::text`)} AS named,
        (SELECT max(s.ended_at) FROM portico.schedules s WHERE s.cron_id = c.id AND s.status = 'completed') AS "usedAt"
      FROM portico.crons c WHERE c.account_id = ${account} AND c.terminated_at IS NULL
      ORDER BY c.name_key, c.id`.execute(db)
    return rows.map(({ consumer, ...row }) => ({
      ...row,
      kind: consumer === 'EXPORT' ? ('export schedule' as const) : ('report schedule' as const),
    }))
  },
}
