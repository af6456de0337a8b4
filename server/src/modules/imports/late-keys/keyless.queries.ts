import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { type ContactField, isFreeKey, keylessRows } from '#contacts'
import type { Db } from '#platform/database.ts'
import { dedupHash } from '../loading/keys.queries.ts'

/** Contacts without a dedup key, by the values that would give them one. */
type Keyless = { fields: readonly ContactField[]; exceptImports: readonly number[]; timeZone: string }

const hashes = (account: AccountId, { fields, exceptImports, timeZone }: Keyless): RawBuilder<unknown> => {
  const rows = keylessRows(account, fields, exceptImports)
  const source = { from: rows, rowNumber: sql`c.id`, value: ({ field }: Column) => sql.id('c', field.column) }
  const columns = fields.map((field) => ({ position: -1, field }))
  const hash = dedupHash(source, columns, { hashScope: '', timeZone })
  return sql`(SELECT c.id, ${hash} AS hash FROM ${rows}) AS keyless`
}

type Column = { field: ContactField }

/** Whether a contact without a key has a value in one of the fields. */
export async function hasKeylessValues(db: Db, account: AccountId, keyless: Keyless): Promise<boolean> {
  if (keyless.fields.length === 0) return false
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${hashes(account, keyless)} WHERE keyless.hash IS NOT NULL) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/** Selects the first contact of each key that `countUnrecognized` counts, at most `limit`. */
export async function selectUnrecognized(
  db: Db,
  account: AccountId,
  keyless: Keyless,
  limit: number,
): Promise<string[]> {
  if (keyless.fields.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    SELECT min(id)::text AS id FROM ${hashes(account, keyless)} WHERE keyless.hash IS NOT NULL
      AND ${isFreeKey(account, { id: sql`keyless.id`, hash: sql`keyless.hash` })}
    GROUP BY hash LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Counts the contacts without a key that have values in the fields, and whose key no other contact has, also by a contact
 * merged into it: those to which `insertDedupKeys` gives one, and their duplicates. Stops at `limit`.
 */
export async function countUnrecognized(
  db: Db,
  account: AccountId,
  keyless: Keyless,
  limit: number | null = null,
): Promise<number> {
  if (keyless.fields.length === 0) return 0
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM (
      SELECT FROM ${hashes(account, keyless)} WHERE keyless.hash IS NOT NULL
        AND ${isFreeKey(account, { id: sql`keyless.id`, hash: sql`keyless.hash` })}
      LIMIT ${limit}::bigint
    ) AS unrecognized`.execute(db)
  return rows[0]?.count ?? 0
}
