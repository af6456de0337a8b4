import type { AccountId } from '@portico/contract/accounts'
import { type Expression, sql, type Updateable } from 'kysely'
import { type Db, inAccount } from '#platform/database.ts'
import type { DeleteRow, DeleteTable } from './deletes.queries.ts'
import type { RestoreColumns } from './restore-columns.ts'

type Tables = { deletes: DeleteTable }

/** Whether a delete of the account is being undone, or will be. */
export async function isRestoring(db: Db, account: AccountId): Promise<boolean> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('deletes')
    .select('id')
    .where('restore_status', 'in', ['waiting', 'processing'])
    .executeTakeFirst()
  return row !== undefined
}

/** Changes how far a delete is undone, and what is kept of it. Returns it. */
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

/** The number of kept contacts, less those that have returned. */
export const keptLess = (returned: number): Expression<number> => sql<number>`kept_records - ${returned}::integer`

/** Notes that deletes which ended before a moment cannot be undone any more. One that is being undone goes on. */
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

/** Deletes that have rows although they need none any more: their removal has stopped. */
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
