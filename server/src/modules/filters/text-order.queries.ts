import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database.ts'

let known: Promise<RawBuilder<unknown>> | undefined

/**
 * The collation for texts as a COLLATE clause; letter case and accents only break ties. Empty if PostgreSQL was built
 * without ICU. Looked up once, since a process has one database server.
 */
export function selectTextOrder(db: Db): Promise<RawBuilder<unknown>> {
  known ??= lookUp(db).catch((error: unknown) => {
    known = undefined
    throw error
  })
  return known
}

async function lookUp(db: Db): Promise<RawBuilder<unknown>> {
  const { rows } = await sql`
    SELECT 1 FROM pg_collation
    WHERE collname = 'en-x-icu' AND collnamespace = 'pg_catalog'::regnamespace
      AND collencoding IN (-1, pg_char_to_encoding('UTF8'))`.execute(db)
  return rows.length > 0 ? sql`COLLATE "en-x-icu"` : sql``
}
