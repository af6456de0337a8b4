import { sql } from 'kysely'
import type { Db } from './database.ts'

/** The areas of `work_mem` that one statement may fill: such as a sort, a group of rows, and the table of its groups. */
const fullAreas = 4

/** The least that PostgreSQL takes. */
const leastKb = 64

/**
 * Gives each sort and table of the next statements a smaller `work_mem`, where they hold more than four of them at once: as
 * many together as four have (ADR 0166). Returns whether it has.
 * @param areas the number of sorts that a statement holds at once; a hash table takes twice as much
 * @param isLocal until the end of the transaction; otherwise until `RESET work_mem`
 */
export async function shareWorkMemory(db: Db, areas: number, isLocal: boolean): Promise<boolean> {
  if (areas <= fullAreas) return false
  const share = sql`greatest(${leastKb}::bigint, reset_val::bigint * ${fullAreas}::int / ${areas}::int)`
  await sql`
    SELECT set_config('work_mem', ${share} || 'kB', ${isLocal}) FROM pg_settings WHERE name = 'work_mem'`.execute(db)
  return true
}
