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

/** The merges into contacts that a delete keeps, whose own contacts are kept too and are not returning. Locks them. */
export async function lockMergesInto(db: Db, account: AccountId, deleteId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT m.id::text AS id FROM ${accountTable(account, 'deletes')} AS m
    JOIN ${accountTable(account, 'deleted_rows')} AS d
      ON d.delete_id = ${deleteId}::bigint AND d.source = 'contacts' AND d.contact_id = m.merged_into
    WHERE m.merged_into IS NOT NULL AND m.contents = 'kept'
      AND coalesce(m.restore_status, '') NOT IN ('waiting', 'processing') ORDER BY m.id FOR UPDATE OF m`.execute(db)
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
 * Takes what a merge gave from the kept rows of contacts that are deleted by now, of which an undo would return it to them: its
 * events, and the keys of these merges (`selectMergesOf`). The contact of the merge has both again.
 */
export async function deleteKeptOfMerge(
  db: Db,
  account: AccountId,
  deleteId: string,
  merges: readonly string[],
): Promise<void> {
  const [deletes, kept] = [accountTable(account, 'deletes'), accountTable(account, 'deleted_rows')]
  // The contact into which the merge was, and those into which that one was merged in turn, had the row of its keys too.
  const holders = sql`holders AS MATERIALIZED (
    SELECT DISTINCT k.delete_id, k.contact_id FROM ${deletes} AS d
    JOIN ${kept} AS k ON k.delete_id = d.id AND k.source = 'merged_keys'
    WHERE (k.data ->> 'delete_id')::bigint = ${deleteId}::bigint)`
  const ofHolder = (source: string) =>
    sql`k.delete_id = h.delete_id AND k.contact_id = h.contact_id AND k.source = ${source}`
  await sql`
    WITH ${holders}
    DELETE FROM ${kept} AS k USING holders AS h, ${kept} AS own
    WHERE ${ofHolder('events')} AND own.delete_id = ${deleteId}::bigint AND own.source = 'events'
      AND k.data ->> 'id' = own.data ->> 'id'`.execute(db)
  await sql`
    WITH ${holders}
    DELETE FROM ${kept} AS k USING holders AS h
    WHERE ${ofHolder('merged_keys')}
      AND (k.data ->> 'delete_id')::bigint = ANY(${sql.val(merges)}::bigint[])`.execute(db)
}
