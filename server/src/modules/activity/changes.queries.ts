import type { ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database.ts'

/**
 * Change marks by list, from the scalar subqueries of its sources. One round trip that reads about a hundred short
 * rows.
 */
export async function selectChangeMarks(
  db: Db,
  account: AccountId,
  marksByList: ReadonlyMap<string, readonly RawBuilder<unknown>[]>,
): Promise<ChangeMarks & { access?: string }> {
  const columns = [...marksByList].map(([list, marks]) => sql`concat(${sql.join([...marks])}) AS ${sql.ref(list)}`)
  const { rows } = await sql<ChangeMarks>`SELECT ${sql.join(columns)}`.execute(db)
  // Without a FROM there is one row.
  return rows[0]!
}
