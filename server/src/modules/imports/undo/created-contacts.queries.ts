import type { AccountId } from '@portico/contract/accounts'
import type { KeptReason } from '@portico/contract/import-undo'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import { eventIdsOf } from '../events/event-ids.ts'
import { firstContactId } from '../loading/match.queries.ts'

type Sql = RawBuilder<unknown>

/** SQL that tells whether a contact was edited, by the SQL of its id. */
export type IsEdited = (account: AccountId, contact: Sql) => Sql

/** A contact created by an import that is kept. */
export type KeptContact = { contact: string; reason: Extract<KeptReason, 'edited' | 'events' | 'imported'> }

const created = (importId: number): Sql =>
  sql`c.id >= ${firstContactId(importId)}::bigint AND c.id < ${firstContactId(importId + 1)}::bigint`

/**
 * SQL for the reason to keep a contact of an import; null if nothing has happened to it since, except by the import `undone`,
 * the same or a later one.
 */
const reasonToKeep = (account: AccountId, importId: Sql, undone: number, isEdited: IsEdited): Sql => {
  const { first, last } = eventIdsOf(undone)
  return sql`
  CASE WHEN ${isEdited(account, sql`c.id`)} THEN 'edited'
    WHEN EXISTS (SELECT FROM ${accountTable(account, 'events')} AS e
      WHERE e.contact_id = c.id AND e.id NOT BETWEEN ${first}::uuid AND ${last}::uuid) THEN 'events'
    WHEN EXISTS (SELECT FROM ${accountTable(account, 'import_changes')} AS r
      WHERE r.contact_id = c.id AND r.import_id > ${importId} AND r.import_id <> ${undone}::integer) THEN 'imported' END`
}

const ofImport = (account: AccountId, importId: number, isEdited: IsEdited): Sql =>
  reasonToKeep(account, sql`${importId}::integer`, importId, isEdited)

/** Selects the next contacts after `position` that an import created, in the order of their ids. */
export async function selectCreatedContacts(
  db: Db,
  account: AccountId,
  importId: number,
  { position, limit }: { position: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT c.id::text AS id FROM ${accountTable(account, 'contacts')} AS c
    WHERE ${created(importId)} AND c.id > ${position}::bigint ORDER BY c.id LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Selects those of these contacts that are kept. They must be locked against further changes. */
export async function selectKeptContacts(
  db: Db,
  account: AccountId,
  importId: number,
  { ids, isEdited }: { ids: readonly string[]; isEdited: IsEdited },
): Promise<KeptContact[]> {
  const { rows } = await sql<KeptContact>`
    SELECT id::text AS contact, reason FROM (
      SELECT c.id, ${ofImport(account, importId, isEdited)} AS reason
      FROM ${accountTable(account, 'contacts')} AS c WHERE c.id = ANY(${sql.val(ids)}::bigint[])
    ) AS judged WHERE reason IS NOT NULL ORDER BY id`.execute(db)
  return rows
}

/** Counts the contacts of an import that would be deleted and kept, and returns the first that would be kept. */
export async function countCreated(
  db: Db,
  account: AccountId,
  importId: number,
  { limit, isEdited }: { limit: number; isEdited: IsEdited },
): Promise<{ removed: number; kept: number; first: KeptContact[] }> {
  const judged = sql`
    SELECT c.id, ${ofImport(account, importId, isEdited)} AS reason
    FROM ${accountTable(account, 'contacts')} AS c WHERE ${created(importId)}`
  const counted = await sql<{ removed: number; kept: number }>`
    SELECT (count(*) FILTER (WHERE reason IS NULL))::integer AS removed, count(reason)::integer AS kept
    FROM (${judged}) AS judged`.execute(db)
  const { removed, kept } = counted.rows[0] ?? { removed: 0, kept: 0 }
  if (kept === 0) return { removed, kept, first: [] }
  const { rows } = await sql<KeptContact>`
    SELECT id::text AS contact, reason FROM (${judged}) AS judged
    WHERE reason IS NOT NULL ORDER BY id LIMIT ${limit}`.execute(db)
  return { removed, kept, first: rows }
}

/** The batch of the record which tells that the contact's own import was taken back, and the contact kept. */
const keptBatch = -1

/** Records that contacts are kept although the import that created them is taken back. */
export async function recordKept(
  db: Db,
  account: AccountId,
  importId: number,
  contacts: readonly string[],
): Promise<void> {
  await sql`
    INSERT INTO ${accountTable(account, 'import_changes')} (contact_id, import_id, batch, before, after)
    SELECT id, ${importId}::integer, ${keptBatch}::integer, '{}', '{}' FROM unnest(${sql.val(contacts)}::bigint[]) AS kept (id)
    ON CONFLICT DO NOTHING`.execute(db)
}

/** SQL for contacts, `id`, that were kept because of an import that is now undone, and for nothing else. */
const nowUnused = (account: AccountId, undone: number, isEdited: IsEdited): Sql => sql`
  SELECT c.id FROM ${accountTable(account, 'contacts')} AS c
  JOIN ${accountTable(account, 'import_changes')} AS k ON k.contact_id = c.id AND k.batch = ${sql.lit(keptBatch)}
  WHERE k.import_id < ${undone}::integer
    AND (${reasonToKeep(account, sql`k.import_id`, undone, isEdited)}) IS NULL`

/**
 * Selects those of these contacts that imports created which have been taken back, and that were kept only because of the
 * import that is undone. They must be locked against further changes.
 */
export async function selectUnused(
  db: Db,
  account: AccountId,
  undone: number,
  { ids, isEdited }: { ids: readonly string[]; isEdited: IsEdited },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id::text AS id FROM (${nowUnused(account, undone, isEdited)}) AS unused
    WHERE id = ANY(${sql.val(ids)}::bigint[]) ORDER BY id`.execute(db)
  return rows.map(({ id }) => id)
}

/** SQL for all contacts, `id`, that `selectUnused` would select when the import is undone. */
export const unusedOnceUndone = (account: AccountId, undone: number, isEdited: IsEdited): Sql => {
  const { first, last } = eventIdsOf(undone)
  return sql`
    SELECT unused.id FROM (${nowUnused(account, undone, isEdited)}) AS unused
    WHERE EXISTS (SELECT FROM ${accountTable(account, 'import_changes')} AS r
        WHERE r.contact_id = unused.id AND r.import_id = ${undone}::integer)
      OR EXISTS (SELECT FROM ${accountTable(account, 'events')} AS e
        WHERE e.contact_id = unused.id AND e.id BETWEEN ${first}::uuid AND ${last}::uuid)`
}

/** Counts the contacts that `selectUnused` would select when the import is undone. */
export async function countUnused(
  db: Db,
  account: AccountId,
  undone: number,
  { isEdited }: { isEdited: IsEdited },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM (${unusedOnceUndone(account, undone, isEdited)}) AS unused`.execute(db)
  return rows[0]?.count ?? 0
}

/** Imports of contacts that were taken back, and of whose contacts none is left, bind no later one. */
export async function releaseEmptied(db: Db, account: AccountId): Promise<void> {
  await sql`
    UPDATE ${accountTable(account, 'imports')} AS i SET binds = FALSE
    WHERE i.binds AND i.kind = 'contacts' AND i.undo_status = 'completed'
      AND NOT EXISTS (SELECT FROM ${accountTable(account, 'contacts')} AS c
        WHERE c.id >= i.id::bigint << 33 AND c.id < (i.id::bigint + 1) << 33)`.execute(db)
}
