import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

// Accounts have fewer (`accountLimits`), except those that got more in an earlier release without the limit.
const mostListed = 10_000

/** The names of the details that applications have recorded with events, sorted. */
export async function selectEventFields(db: Db, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${accountTable(account, 'event_fields')} ORDER BY lower(name), name LIMIT ${mostListed}`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

/** The number of names, which may exceed the limit in accounts of earlier releases. */
export async function countEventFields(db: Db, account: AccountId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM ${accountTable(account, 'event_fields')}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Inserts names of details, except known ones. The caller must have checked that there is room (`addEventFields`). */
export async function insertEventFields(db: Db, account: AccountId, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  // In the same order everywhere, which avoids deadlocks.
  await sql`
    INSERT INTO ${accountTable(account, 'event_fields')} (name)
    SELECT name FROM unnest(${sql.val(names)}::text[]) AS named (name) ORDER BY name
    ON CONFLICT (name) DO NOTHING`.execute(db)
}

/** Returns those of the names that the account has. */
export async function selectKnownEventFields(db: Db, account: AccountId, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${accountTable(account, 'event_fields')} WHERE name = ANY(${sql.val([...names])}::text[])`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

/** Returns those of the names that the account has, and keeps them from being removed until the transaction ends. */
export async function lockEventFields(db: Db, account: AccountId, names: readonly string[]): Promise<string[]> {
  // In the same order everywhere, which avoids deadlocks.
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${accountTable(account, 'event_fields')} WHERE name = ANY(${sql.val([...names])}::text[])
    ORDER BY name FOR KEY SHARE`.execute(db)
  return rows.map(({ name }) => name)
}

/** Waits for transactions that record events with a field, and lets no more begin. Returns whether the account has it. */
export async function lockRemovedEventField(db: Db, account: AccountId, name: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM ${accountTable(account, 'event_fields')} WHERE name = ${name} FOR UPDATE`.execute(db)
  return rows.length > 0
}

export type OfferedEventField = { name: string; first_seen_at: Date; last_seen_at: Date }

/** The names that pages have sent and the account does not have, latest first. */
export async function selectOfferedEventFields(db: Db, account: AccountId): Promise<OfferedEventField[]> {
  const { rows } = await sql<OfferedEventField>`
    SELECT offered.name, offered.first_seen_at, offered.last_seen_at
    FROM ${accountTable(account, 'offered_event_fields')} AS offered
    LEFT JOIN ${accountTable(account, 'event_fields')} AS known ON known.name = offered.name
    WHERE known.name IS NULL ORDER BY offered.last_seen_at DESC, offered.name`.execute(db)
  return rows
}

/**
 * Records that pages have sent these names. Only the latest `most` are kept, so invented names push out one another.
 */
export async function upsertOfferedEventFields(
  db: Db,
  account: AccountId,
  names: readonly string[],
  { at, most }: { at: Date; most: number },
): Promise<void> {
  const table = accountTable(account, 'offered_event_fields')
  await sql`
    INSERT INTO ${table} AS offered (name, first_seen_at, last_seen_at)
    SELECT name, ${at}::timestamptz, ${at}::timestamptz FROM unnest(${sql.val([...names])}::text[]) AS sent (name) ORDER BY name
    ON CONFLICT (name) DO UPDATE SET last_seen_at = greatest(offered.last_seen_at, excluded.last_seen_at)`.execute(db)
  await sql`
    DELETE FROM ${table} WHERE name IN (
      SELECT name FROM ${table} ORDER BY last_seen_at DESC, first_seen_at, name OFFSET ${most}::int)`.execute(db)
}

/** Removes an offered name. Returns whether there was one. */
export async function deleteOfferedEventField(db: Db, account: AccountId, name: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${accountTable(account, 'offered_event_fields')} WHERE name = ${name}`.execute(db)
  return numAffectedRows > 0n
}

/** Removes a name of the account. Returns whether there was one. */
export async function deleteEventField(db: Db, account: AccountId, name: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${accountTable(account, 'event_fields')} WHERE name = ${name}`.execute(db)
  return numAffectedRows > 0n
}

/** Whether any event has a value under this name. Reads events until it finds the first. */
export async function isEventFieldUsed(db: Db, account: AccountId, name: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM ${accountTable(account, 'events')} WHERE jsonb_exists(details, ${name}) LIMIT 1`.execute(db)
  return rows.length > 0
}
