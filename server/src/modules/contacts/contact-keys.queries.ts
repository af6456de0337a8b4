import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import { firstImportedId } from './contact-row.queries.ts'
import { retiredNumbers, retirePurls } from './retired-purls.queries.ts'

/** Keys that an import computes from a contact's values: dedup hash and coordinates. */
type ComputedKeys = { hash: string | null; latitude: number | null; longitude: number | null }

/** The other contact that has this dedup hash. `isFormer`: by a contact that was merged into it. */
export async function selectKeyHolder(
  db: Db,
  account: AccountId,
  { hash, except }: { hash: string; except: string },
): Promise<{ id: string; isFormer: boolean } | undefined> {
  const { rows } = await sql<{ id: string; isFormer: boolean }>`
    SELECT id::text AS id, false AS "isFormer" FROM ${accountTable(account, 'contact_keys')}
    WHERE dedup_hash = ${hash}::uuid AND id <> ${except}::bigint
    UNION ALL SELECT contact_id::text, true FROM ${accountTable(account, 'merged_keys')}
    WHERE dedup_hash = ${hash}::uuid AND contact_id <> ${except}::bigint
    ORDER BY 2 LIMIT 1`.execute(db)
  return rows[0]
}

/** Whether any contact entered in a form has keys or a PURL, made by the rules of imports. */
export async function hasEnteredKeys(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (
      SELECT FROM ${accountTable(account, 'contact_keys')}
      WHERE id < ${firstImportedId}::bigint AND (dedup_hash IS NOT NULL OR base_purl IS NOT NULL)
    ) OR EXISTS (
      SELECT FROM ${accountTable(account, 'merged_keys')}
      WHERE contact_id < ${firstImportedId}::bigint AND dedup_hash IS NOT NULL
    ) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/** Writes the keys of a contact; its PURL stays unchanged. */
export async function upsertKeys(db: Db, account: AccountId, id: string, keys: ComputedKeys): Promise<void> {
  await sql`
    INSERT INTO ${accountTable(account, 'contact_keys')} (id, dedup_hash, latitude, longitude)
    VALUES (${id}::bigint, ${keys.hash}::uuid, ${keys.latitude}::float8, ${keys.longitude}::float8)
    ON CONFLICT (id) DO UPDATE SET dedup_hash = excluded.dedup_hash, latitude = excluded.latitude,
      longitude = excluded.longitude`.execute(db)
}

/**
 * Gives a contact that has keys the next PURL of a base, one that no contact has ever had. The caller must hold the
 * account's lock of imports.
 */
export async function updatePurl(
  db: Db,
  account: AccountId,
  id: string,
  { base, scope }: { base: string; scope: number },
): Promise<void> {
  const keys = accountTable(account, 'contact_keys')
  await retirePurls(db, account, sql`t.id = ${id}::bigint`)
  const retired = await retiredNumbers(db, account, scope, sql`${base}`)
  const { rows } = await sql<{ next: number }>`
    SELECT greatest(taken.last_number, ${retired.last}) + 1 AS next FROM (
      SELECT max(purl_number) AS last_number FROM ${keys} WHERE base_purl = ${base} AND purl_scope = ${scope}::int
    ) AS taken ${retired.join}`.execute(db)
  await sql`
    UPDATE ${keys} SET base_purl = ${base}, purl_scope = ${scope}::int, purl_number = ${rows[0]?.next ?? 1}::int
    WHERE id = ${id}::bigint`.execute(db)
}
