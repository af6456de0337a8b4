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
 * The number of contacts while none has a dedup key; 0 as soon as one does. Contacts of the given imports are not
 * counted.
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
  // A separate query: an import that changes a column's type locks the contacts even for a query that would not read
  // them.
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${accountTable(account, 'contacts')}
    WHERE import_id <> ALL (${[...exceptImports]}::integer[])`.execute(db)
  return rows[0]?.count ?? 0
}

/** The number of contacts after `position`, up to another one, by their ids. */
export async function countContactsAfter(
  db: Db,
  account: AccountId,
  { position, upTo }: { position: string; upTo: string },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${accountTable(account, 'contacts')}
    WHERE id > ${position}::bigint AND id <= ${upTo}::bigint`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns those of the ids that belong to contacts. */
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

/** The PURL of some contact; null if no contact has one. */
export async function selectSomePurl(db: Db, account: AccountId): Promise<string | null> {
  // The first contact of a base has a PURL without a number.
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
// For filters on the PURL number, which look for contacts that share the base of their PURL with an earlier one.
// Contacts with number 1 are left out: nearly all have it, so an index would not help.
const purlNumberIndex = 'contact_keys_purl_number_idx'
// For filters by location, which search a box of latitudes and longitudes first.
const locationIndex = 'contact_keys_location_idx'

// For joins of contacts with their keys.
const primaryKey = 'contact_keys_pkey'

/** Builds the missing indexes of contact keys. */
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
  // The index is built first: searches continue meanwhile, and turning it into the primary key is instant.
  await sql`CREATE UNIQUE INDEX IF NOT EXISTS ${sql.id(primaryKey)} ON ${keys} (id)`.execute(db)
  await sql`ALTER TABLE ${keys} ADD CONSTRAINT ${sql.id(primaryKey)}
    PRIMARY KEY USING INDEX ${sql.id(primaryKey)}`.execute(db)
}

/**
 * Drops the indexes of an account without contacts, which loads faster without them; `buildContactIndexes` rebuilds
 * them.
 */
export async function dropContactIndexes(db: Db, account: AccountId): Promise<void> {
  const schema = accountSchema(account)
  const keys = accountTable(account, 'contact_keys')
  // On Citus the primary key stays: an account with a table without one cannot be moved to another server (ADR 0071).
  if (!(await isOnCitus(db))) {
    await sql`ALTER TABLE ${keys} DROP CONSTRAINT IF EXISTS ${sql.id(primaryKey)}`.execute(db)
    // Left over if the build was interrupted just before it became the primary key.
    await sql`DROP INDEX IF EXISTS ${sql.id(schema, primaryKey)}`.execute(db)
  }
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, dedupIndex)}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, purlIndex)}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, purlNumberIndex)}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${sql.id(schema, locationIndex)}`.execute(db)
}

/** Updates the planner's statistics now; autovacuum would do so about a minute later. */
export async function analyzeContacts(db: Db, account: AccountId): Promise<void> {
  await sql`ANALYZE ${accountTable(account, 'contacts')}`.execute(db)
  await sql`ANALYZE ${accountTable(account, 'contact_keys')}`.execute(db)
}
