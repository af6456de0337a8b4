import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

// Former keys by which a contact is found since another one was merged into it. A contact's own keys come before these.

const mergedKeys = (account: AccountId) => accountTable(account, 'merged_keys')

/** A merge, as listed among the deletes, with the contact that stays and the other one. */
type Merge = { deleteId: string; kept: string; other: string }

/** Gives a contact the keys of one that is about to be deleted, with those that it had from others, and notes its own. */
export async function insertMergedKeys(db: Db, account: AccountId, { deleteId, kept, other }: Merge): Promise<void> {
  const keys = accountTable(account, 'contact_keys')
  await sql`
    UPDATE ${mergedKeys(account)} SET contact_id = ${kept}::bigint WHERE contact_id = ${other}::bigint`.execute(db)
  // Also for a contact without keys: the row tells where it is now.
  await sql`
    INSERT INTO ${mergedKeys(account)}
      (delete_id, place, contact_id, dedup_hash, purl_scope, base_purl, purl_number)
    SELECT ${deleteId}::bigint, 1, ${kept}::bigint, k.dedup_hash, k.purl_scope, k.base_purl, k.purl_number
    FROM (SELECT ${other}::bigint AS id) AS other LEFT JOIN ${keys} AS k ON k.id = other.id`.execute(db)
  await sql`
    INSERT INTO ${mergedKeys(account)} (delete_id, place, contact_id, dedup_hash)
    SELECT ${deleteId}::bigint, 2, k.id, k.dedup_hash FROM ${keys} AS k
    WHERE k.id = ${kept}::bigint AND k.dedup_hash IS NOT NULL`.execute(db)
}

/** The contact that has the keys of a merge by now; undefined after its undo, or once the contact is deleted. */
export async function selectMergeHolder(db: Db, account: AccountId, deleteId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT contact_id::text AS id FROM ${mergedKeys(account)}
    WHERE delete_id = ${deleteId}::bigint AND place = 1`.execute(db)
  return rows[0]?.id
}

/** The dedup hashes of two contacts before their merge; null for one without a key. */
export type MergedHashes = { kept: string | null; other: string | null }

export async function selectMergedHashes(db: Db, account: AccountId, deleteId: string): Promise<MergedHashes> {
  const { rows } = await sql<{ place: number; hash: string | null }>`
    SELECT place, dedup_hash::text AS hash FROM ${mergedKeys(account)}
    WHERE delete_id = ${deleteId}::bigint`.execute(db)
  const hashAt = (wanted: number) => rows.find(({ place }) => place === wanted)?.hash ?? null
  return { other: hashAt(1), kept: hashAt(2) }
}

/** Takes the keys of these merges from the contact that has them. */
export async function deleteMergedKeys(db: Db, account: AccountId, merges: readonly string[]): Promise<void> {
  await sql`DELETE FROM ${mergedKeys(account)} WHERE delete_id = ANY(${sql.val(merges)}::bigint[])`.execute(db)
}

/**
 * In a table with the dedup keys of rows (`hash`), replaces former keys of contacts by their present ones. Where no
 * contact was merged, as in nearly all accounts, the table is not read.
 */
export async function followMergedKeys(db: Db, account: AccountId, rows: RawBuilder<unknown>): Promise<void> {
  const former = mergedKeys(account)
  const { rows: found } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${former} WHERE dedup_hash IS NOT NULL) AS found`.execute(db)
  if (!found[0]?.found) return
  const keys = accountTable(account, 'contact_keys')
  await sql`
    UPDATE ${rows} AS r SET hash = k.dedup_hash
    FROM ${former} AS m JOIN ${keys} AS k ON k.id = m.contact_id
    WHERE m.dedup_hash = r.hash AND k.dedup_hash IS NOT NULL
      AND NOT EXISTS (SELECT FROM ${keys} AS own WHERE own.dedup_hash = m.dedup_hash)`.execute(db)
}

/** SQL for a table of PURLs with the ids of their contacts (`id`), present and former ones. */
export const purlHolders = (account: AccountId): RawBuilder<unknown> => sql`(
  SELECT id, base_purl, purl_number FROM ${accountTable(account, 'contact_keys')}
  UNION ALL SELECT contact_id, base_purl, purl_number FROM ${mergedKeys(account)} WHERE base_purl IS NOT NULL)`
