import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import { type EventIds, eventIdsOf } from '../events/event-ids.ts'
import type { ImportTable } from '../imports.queries.ts'

// Events of an import are known by their ids, whichever contact has them by now.

/** Counts the events that an import recorded and that still exist. */
export async function countImportedEvents(db: Db, account: AccountId, importId: number): Promise<number> {
  const { first, last } = eventIdsOf(importId)
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM ${accountTable(account, 'events')}
    WHERE id BETWEEN ${first}::uuid AND ${last}::uuid`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Deletes the next events after `position` that an import recorded, in the order of their ids. Null position: from the first
 * one. Returns their number, their contacts and the last id; null if none was left.
 */
export async function deleteImportedEvents(
  db: Db,
  account: AccountId,
  importId: number,
  { position, limit }: { position: string | null; limit: number },
): Promise<{ count: number; contacts: string[]; last: string } | null> {
  const events = accountTable(account, 'events')
  const range = eventIdsOf(importId)
  const after = position === null ? sql`` : sql`AND id > ${position}::uuid`
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ${events} WHERE id BETWEEN ${range.first}::uuid AND ${range.last}::uuid ${after}
    ORDER BY id LIMIT ${limit}`.execute(db)
  const last = rows.at(-1)?.id
  if (last === undefined) return null
  const ids = rows.map(({ id }) => id)
  const deleted = await sql<{ contact: string }>`
    DELETE FROM ${events} WHERE id = ANY(${sql.val(ids)}::uuid[]) RETURNING contact_id::text AS contact`.execute(db)
  const contacts = new Set(deleted.rows.map(({ contact }) => contact))
  return { count: deleted.rows.length, contacts: [...contacts], last }
}

/**
 * Selects the ids of events that were deleted as their imports were taken back, also in part: they do not return with contacts
 * that were deleted before.
 */
export async function selectTakenBackEvents(db: Db, account: AccountId): Promise<EventIds[]> {
  const rows = await inAccount<{ imports: ImportTable }>(db, account)
    .selectFrom('imports')
    .select(['id', 'undo_status', 'undo'])
    .where('kind', '=', 'events')
    .where('undo_status', 'is not', null)
    .execute()
  return rows.flatMap(({ id, undo_status: status, undo }) => {
    const { first, last } = eventIdsOf(id)
    if (status === 'completed') return [{ first, last }]
    const upTo = undo?.eventsUpTo ?? null
    return upTo === null ? [] : [{ first, last: upTo }]
  })
}
