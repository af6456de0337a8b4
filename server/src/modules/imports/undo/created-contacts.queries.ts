import type { AccountId } from '@portico/contract/accounts'
import type { KeptReason } from '@portico/contract/import-undo'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import { firstContactId } from '../loading/match.queries.ts'

type Sql = RawBuilder<unknown>

/** SQL that tells whether a contact was edited, by the SQL of its id. */
export type IsEdited = (account: AccountId, contact: Sql) => Sql

/** A contact created by an import that is kept. */
export type KeptContact = { contact: string; reason: Extract<KeptReason, 'edited' | 'events' | 'imported'> }

const created = (importId: number): Sql =>
  sql`c.id >= ${firstContactId(importId)}::bigint AND c.id < ${firstContactId(importId + 1)}::bigint`

/** SQL for the reason to keep a contact; null if nothing has happened to it since. */
const reasonToKeep = (account: AccountId, importId: number, isEdited: IsEdited): Sql => sql`
  CASE WHEN ${isEdited(account, sql`c.id`)} THEN 'edited'
    WHEN EXISTS (SELECT FROM ${accountTable(account, 'events')} AS e WHERE e.contact_id = c.id) THEN 'events'
    WHEN EXISTS (SELECT FROM ${accountTable(account, 'import_changes')} AS r
      WHERE r.contact_id = c.id AND r.import_id > ${importId}::integer) THEN 'imported' END`

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
      SELECT c.id, ${reasonToKeep(account, importId, isEdited)} AS reason
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
    SELECT c.id, ${reasonToKeep(account, importId, isEdited)} AS reason
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
