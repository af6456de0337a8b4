import type { AccountId } from '@portico/contract/accounts'
import { sql, type Updateable } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import type { ImportRow, ImportTable } from '../imports.queries.ts'
import type { UndoColumns } from './undo-columns.ts'

type Tables = { imports: ImportTable }

/** Returns whether the undo of an import is running or queued in the account. */
export async function isTakingBack(db: Db, account: AccountId): Promise<boolean> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('id')
    .where('undo_status', 'in', ['waiting', 'processing'])
    .executeTakeFirst()
  return row !== undefined
}

/** Selects an import and locks it until the transaction ends. */
export async function lockImport(db: Db, account: AccountId, id: number): Promise<ImportRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('imports')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Selects the imports of contacts that were undone and still have records of some of these contacts, last first. */
export async function selectUndoneOf(db: Db, account: AccountId, contacts: readonly string[]): Promise<ImportRow[]> {
  const recorded = sql<number>`(
    SELECT DISTINCT import_id FROM ${accountTable(account, 'import_changes')}
    WHERE contact_id = ANY(${sql.val(contacts)}::bigint[]) AND batch >= 0)`
  return inAccount<Tables>(db, account)
    .selectFrom('imports')
    .selectAll()
    .where('kind', '=', 'contacts')
    .where('undo_status', '=', 'completed')
    .where('id', 'in', recorded)
    .orderBy('id', 'desc')
    .execute()
}

/** Updates the progress of an undo. Returns the import. */
export async function updateUndo(
  db: Db,
  account: AccountId,
  id: number,
  change: Updateable<UndoColumns>,
): Promise<ImportRow> {
  return inAccount<Tables>(db, account)
    .updateTable('imports')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Selects imports that ended before a moment and still have records, and can no longer be undone. */
export async function selectForgotten(db: Db, account: AccountId, before: Date): Promise<number[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('imports')
    .select('id')
    .where('records_changes', '=', true)
    .where('status', 'in', ['completed', 'rejected'])
    .where('last_activity_at', '<', before)
    .where((eb) => eb.or([eb('undo_status', 'is', null), eb('undo_status', 'in', ['completed', 'rejected'])]))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Marks that the changes of these imports are no longer recorded. */
export async function updateForgotten(db: Db, account: AccountId, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await inAccount<Tables>(db, account)
    .updateTable('imports')
    .set({ records_changes: false })
    .where('id', 'in', [...ids])
    .execute()
}
