import type { AccountId } from '@portico/contract/accounts'
import { type Expression, sql, type Updateable } from 'kysely'
import { type Db, inAccount } from '#platform/database.ts'
import type { DeleteRow, DeleteTable } from './deletes.queries.ts'
import type { RestoreColumns } from './restore-columns.ts'

type Tables = { deletes: DeleteTable }

/** Returns whether the undo of a delete is running or queued in the account. */
export async function isRestoring(db: Db, account: AccountId): Promise<boolean> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('deletes')
    .select('id')
    .where('restore_status', 'in', ['waiting', 'processing'])
    .executeTakeFirst()
  return row !== undefined
}

/** Updates the progress of an undo and the state of the kept rows. Returns the delete. */
export async function updateRestore(
  db: Db,
  account: AccountId,
  id: string,
  change: Updateable<Omit<RestoreColumns, 'kept_records'>> & { kept_records?: Expression<number> },
): Promise<DeleteRow> {
  return inAccount<Tables>(db, account)
    .updateTable('deletes')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The number of kept contacts minus those restored. */
export const keptLess = (returned: number): Expression<number> => sql<number>`kept_records - ${returned}::integer`

/** No kept contacts any more. */
export const keptNone: Expression<number> = sql<number>`0`

/** Records that deletes which ended before a moment can no longer be undone, except those being undone. */
export async function updateExpired(db: Db, account: AccountId, before: Date): Promise<void> {
  await inAccount<Tables>(db, account)
    .updateTable('deletes')
    .set({ contents: 'expired', kept_records: 0 })
    .where('contents', '=', 'kept')
    .where('status', '<>', 'processing')
    .where('completed_at', '<', before)
    .where((eb) => eb.or([eb('restore_status', 'is', null), eb('restore_status', 'in', ['completed', 'rejected'])]))
    .execute()
}

/** Selects deletes whose rows are no longer needed but still stored, since their removal stopped. */
export async function selectWithNeedlessRows(db: Db, account: AccountId): Promise<string[]> {
  const rows = await inAccount<Tables & { deleted_rows: { delete_id: string } }>(db, account)
    .selectFrom('deletes')
    .select('id')
    .where('contents', '<>', 'kept')
    .where((eb) =>
      eb.exists(
        eb.selectFrom('deleted_rows').select('delete_id').whereRef('deleted_rows.delete_id', '=', 'deletes.id'),
      ),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
