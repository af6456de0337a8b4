import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import type { DeleteTable } from './deletes.queries.ts'

type Tables = { deletes: DeleteTable }

/** Inserts the merge of a contact into another one, as a delete that has ended. Its contact is about to be kept. */
export async function insertMerge(
  db: Db,
  account: AccountId,
  row: { filter: string; into: string; creator: string; bindingImports: readonly number[]; now: Date },
): Promise<string> {
  const { id } = await inAccount<Tables>(db, account)
    .insertInto('deletes')
    .values({
      filter: row.filter,
      deleted_records: 1,
      processed_records: 1,
      creator: row.creator,
      created_at: row.now,
      completed_at: row.now,
      status: 'completed',
      contents: 'kept',
      binding_imports: [...row.bindingImports],
      merged_into: row.into,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Notes whether the contact of a merge is kept: one with rows that are too large is not. */
export async function updateMergeKept(db: Db, account: AccountId, id: string, kept: number): Promise<void> {
  await inAccount<Tables>(db, account).updateTable('deletes').set({ kept_records: kept }).where('id', '=', id).execute()
}

/** The merges into contacts that a delete keeps, whose own contacts are kept too. */
export async function selectMergesInto(db: Db, account: AccountId, deleteId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT m.id::text AS id FROM ${accountTable(account, 'deletes')} AS m
    JOIN ${accountTable(account, 'deleted_rows')} AS d
      ON d.delete_id = ${deleteId}::bigint AND d.source = 'contacts' AND d.contact_id = m.merged_into
    WHERE m.merged_into IS NOT NULL AND m.contents = 'kept'
      AND coalesce(m.restore_status, '') NOT IN ('waiting', 'processing') ORDER BY m.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Gives events back to the contact of a merge: takes those that it had, and that are kept, from another one. */
export async function deleteMergedEvents(db: Db, account: AccountId, deleteId: string, holder: string): Promise<void> {
  await sql`
    DELETE FROM ${accountTable(account, 'events')} AS e USING ${accountTable(account, 'deleted_rows')} AS d
    WHERE e.contact_id = ${holder}::bigint AND d.delete_id = ${deleteId}::bigint AND d.source = 'events'
      AND e.id = (d.data ->> 'id')::uuid`.execute(db)
}

/** The merge itself, and the earlier ones whose keys its contact had. */
export async function selectMergesOf(db: Db, account: AccountId, deleteId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT data ->> 'delete_id' AS id FROM ${accountTable(account, 'deleted_rows')}
    WHERE delete_id = ${deleteId}::bigint AND source = 'merged_keys'`.execute(db)
  return [deleteId, ...rows.map(({ id }) => id)]
}

/**
 * Forgets that these merges gave keys to contacts that are deleted by now: to the one that a merge was into, and to those that this
 * one was merged into in turn. The contact of the merge has the keys again.
 */
export async function deleteKeptMergedKeys(
  db: Db,
  account: AccountId,
  deleteId: string,
  merges: readonly string[],
): Promise<void> {
  const [deletes, kept] = [accountTable(account, 'deletes'), accountTable(account, 'deleted_rows')]
  await sql`
    WITH RECURSIVE later (contact) AS (
      SELECT merged_into FROM ${deletes} WHERE id = ${deleteId}::bigint
      UNION
      SELECT m.merged_into FROM later JOIN ${deletes} AS m ON m.merged_into IS NOT NULL
      JOIN ${kept} AS c ON c.delete_id = m.id AND c.source = 'contacts' AND c.contact_id = later.contact
    )
    DELETE FROM ${kept} AS k USING later, ${deletes} AS d
    WHERE k.delete_id = d.id AND k.source = 'merged_keys' AND k.contact_id = later.contact
      AND (k.data ->> 'delete_id')::bigint = ANY(${sql.val(merges)}::bigint[])`.execute(db)
}
