import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { isOnCitus } from '#platform/citus/citus.ts'
import { accountSchema, accountTable, type Db, inParallel } from '#platform/database.ts'

export async function hasContacts(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${accountTable(account, 'contacts')}) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/**
 * The number of contacts without a dedup key while no contact has one; 0 as soon as one does. Contacts of the given imports do
 * not count.
 */
export async function countWithoutDedupKey(
  db: Db,
  account: AccountId,
  exceptImports: readonly number[],
): Promise<number> {
  const keys = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${accountTable(account, 'contact_keys')} WHERE dedup_hash IS NOT NULL) AS found`.execute(
    db,
  )
  if (keys.rows[0]?.found) return 0
  // Apart, as an import that changes the type of a column locks the contacts, even for a query that would not read them.
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${accountTable(account, 'contacts')}
    WHERE import_id <> ALL (${[...exceptImports]}::integer[])`.execute(db)
  return rows[0]?.count ?? 0
}

/** Of these ids, those of contacts. */
export async function selectKnownContacts(db: Db, account: AccountId, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id::text AS id FROM ${accountTable(account, 'contacts')} WHERE id = ANY (${[...ids]}::bigint[])`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether the account has more contacts than the given number, without counting all of them. */
export async function hasMoreContacts(db: Db, account: AccountId, contacts: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM ${accountTable(account, 'contacts')} OFFSET ${contacts}) AS found`.execute(db)
  return rows[0]?.found ?? false
}

/** The PURL of a contact; null if none has one. */
export async function selectSomePurl(db: Db, account: AccountId): Promise<string | null> {
  // The first holder of a base has it without a number.
  const { rows } = await sql<{ base_purl: string }>`
    SELECT base_purl FROM ${accountTable(account, 'contact_keys')}
    WHERE base_purl IS NOT NULL AND purl_number = 1 ORDER BY id LIMIT 1`.execute(db)
  return rows[0]?.base_purl ?? null
}

// For imports that match contacts by the hash of their dedup columns.
const dedupIndex = 'contact_keys_dedup_hash_key'
// For links of visitors, and for imports that look for the next free number. Base and number are shorter than the
// PURL's text, and give the highest number of a base.
const purlIndex = 'contact_keys_purl_key'
// For filters on the PURL number, which look for contacts that share the base of their PURL with an earlier one. Nearly
// all contacts have the number 1, for which an index would not help.
const purlNumberIndex = 'contact_keys_purl_number_idx'
// For filters by location, which search a box of latitudes and longitudes first.
const locationIndex = 'contact_keys_location_idx'

// For joins of contacts with their keys.
const primaryKey = 'contact_keys_pkey'

/** Builds the portal's indexes of contact keys that are missing. */
export async function buildContactIndexes(db: Db, account: AccountId): Promise<void> {
  const keys = accountTable(account, 'contact_keys')
  const indexes = [
    sql`CREATE UNIQUE INDEX IF NOT EXISTS ${sql.id(dedupIndex)} ON ${keys} (dedup_hash)
      WHERE dedup_hash IS NOT NULL`,
    sql`CREATE UNIQUE INDEX IF NOT EXISTS ${sql.id(purlIndex)} ON ${keys} (base_purl, purl_scope, purl_number)
      WHERE base_purl IS NOT NULL`,
    sql`CREATE INDEX IF NOT EXISTS ${sql.id(purlNumberIndex)} ON ${keys} ((purl_number::double precision))
      WHERE purl_number::double precision > 1`,
    sql`CREATE INDEX IF NOT EXISTS ${sql.id(locationIndex)} ON ${keys} (latitude, longitude)
      WHERE latitude IS NOT NULL`,
  ]
  await inParallel<unknown>(db, [
    () => buildPrimaryKey(db, account),
    ...indexes.map((statement) => () => statement.execute(db)),
  ])
}

async function buildPrimaryKey(db: Db, account: AccountId): Promise<void> {
  const keys = accountTable(account, 'contact_keys')
  const { rows } = await sql<{ exists: boolean }>`
    SELECT EXISTS (
      SELECT FROM pg_constraint
      WHERE conname = ${primaryKey} AND connamespace = ${accountSchema(account)}::regnamespace
    ) AS "exists"`.execute(db)
  if (rows[0]?.exists) return
  // The index first: searches continue while it is built, and turning it into the primary key is instant.
  await sql`CREATE UNIQUE INDEX IF NOT EXISTS ${sql.id(primaryKey)} ON ${keys} (id)`.execute(db)
  await sql`ALTER TABLE ${keys} ADD CONSTRAINT ${sql.id(primaryKey)}
    PRIMARY KEY USING INDEX ${sql.id(primaryKey)}`.execute(db)
}

/** An account without contacts is loaded faster without indexes; `buildContactIndexes` restores them. */
export async function dropContactIndexes(db: Db, account: AccountId): Promise<void> {
  const schema = accountSchema(account)
  const keys = accountTable(account, 'contact_keys')
  // With Citus it stays: an account with a table without a key cannot be moved to another server (ADR 0071).
  if (!(await isOnCitus(db))) {
    await sql`ALTER TABLE ${keys} DROP CONSTRAINT IF EXISTS ${sql.id(primaryKey)}`.execute(db)
    // Left behind if the build was interrupted just before it became the primary key.
    await sql`DROP INDEX IF EXISTS ${sql.id(schema, primaryKey)}`.execute(db)
  }
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, dedupIndex)}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, purlIndex)}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, purlNumberIndex)}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, locationIndex)}`.execute(db)
}

/** Updates the planner's statistics at once; autovacuum would do so about a minute later. */
export async function analyzeContacts(db: Db, account: AccountId): Promise<void> {
  await sql`ANALYZE ${accountTable(account, 'contacts')}`.execute(db)
  await sql`ANALYZE ${accountTable(account, 'contact_keys')}`.execute(db)
}
