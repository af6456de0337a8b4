import type { AccountId } from '@portico/contract/identity'
import { sql } from 'kysely'
import { accountSchema, accountTable, type Db } from '#platform/database.ts'

export async function hasContacts(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${accountTable(account, 'contacts')}) AS found`.execute(db)
  return rows[0]?.found ?? false
}

// A contact is found by the hash of its dedup columns when an import brings it again.
const dedupIndex = 'contact_keys_dedup_hash_key'
// A PURL is found by a visitor's link and by the import that looks for the next free number. Base and number, not the
// PURL's text: it is shorter, and tells the highest number of a base.
const purlIndex = 'contact_keys_purl_key'

/** Builds the portal's own indexes of contact keys where they are missing; the answer comes when both stand. */
export async function buildContactIndexes(db: Db, account: AccountId): Promise<void> {
  const keys = accountTable(account, 'contact_keys')
  // Each in a statement of its own, and at the same time when `db` is not one transaction.
  await Promise.all([
    sql`CREATE UNIQUE INDEX IF NOT EXISTS ${sql.id(dedupIndex)} ON ${keys} (dedup_hash)
      WHERE dedup_hash IS NOT NULL`.execute(db),
    sql`CREATE UNIQUE INDEX IF NOT EXISTS ${sql.id(purlIndex)} ON ${keys} (base_purl, purl_scope, purl_number)
      WHERE base_purl IS NOT NULL`.execute(db),
  ])
}

/** An account without contacts is loaded faster without indexes; `buildContactIndexes` brings them back. */
export async function dropContactIndexes(db: Db, account: AccountId): Promise<void> {
  const schema = accountSchema(account)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, dedupIndex)}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, purlIndex)}`.execute(db)
}

/** Whether any contact of the account has keys already. */
export async function hasContactKeys(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${accountTable(account, 'contact_keys')}) AS found`.execute(db)
  return rows[0]?.found ?? false
}
