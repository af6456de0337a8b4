import type { AccountId } from '@portico/contract/accounts'
import { undoDays } from '@portico/contract/undo-limits'
import { recordAudit } from '#audit'
import { deleteReviewsBefore } from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { findDelete, lockDelete } from './deletes.queries.ts'
import { deleteNextKeptRows } from './kept-rows.queries.ts'
import { lockMergesInto } from './merges.queries.ts'
import { restoreProblem } from './restore-columns.ts'
import { keptNone, selectWithNeedlessRows, updateExpired, updateRestore } from './restores.queries.ts'

// Rows deleted in one transaction: few enough not to keep other transactions waiting.
const rowsAtOnce = 10_000

/**
 * Erases the kept contacts of a delete for good: it can no longer be undone. Returns once all are erased.
 * @throws not_found, also for ids of other accounts; not_restorable with the reason; count_changed with `{count}`
 */
export async function eraseDelete(
  db: Db,
  account: AccountId,
  by: Actor,
  { id, deletedRecords }: { id: string; deletedRecords: number },
): Promise<{ erasedRecords: number }> {
  if (!(await findDelete(db, account, id))) throw new AppError('not_found')
  await db.transaction().execute(async (tx) => {
    const row = await lockDelete(tx, account, id)
    if (!row) throw new AppError('not_found')
    const problem = restoreProblem(row)
    if (problem !== null) throw new AppError('not_restorable', undefined, problem)
    const count = Number(row.kept_records)
    if (count !== deletedRecords) throw countChanged(count, deletedRecords)
    await markErased(tx, account, [id])
    // Their examples may have values of these contacts.
    await deleteReviewsBefore(tx, account, new Date())
    await recordAudit(tx, {
      account,
      ...by,
      action: 'deleted contacts erased',
      subject: deletedRecords === 1 ? '1 contact' : `${deletedRecords} contacts`,
      details: { delete: id, deletedRecords },
    })
  })
  await removeRows(db, account, id)
  await forgetOldDeletes(db, account)
  return { erasedRecords: deletedRecords }
}

/**
 * Marks deletes as erased, with those of contacts that were merged into theirs: these are about the same people, and so on.
 */
async function markErased(tx: Db, account: AccountId, deletes: readonly string[]): Promise<void> {
  for (const id of deletes) {
    const merged = await lockMergesInto(tx, account, id)
    await updateRestore(tx, account, id, { contents: 'erased', kept_records: keptNone })
    await markErased(tx, account, merged)
  }
}

function countChanged(count: number, confirmed: number): AppError {
  const kept = count === 1 ? '1 contact is kept' : `${count} contacts are kept`
  return new AppError('count_changed', { count }, `${kept} now, not ${confirmed}. Nothing was erased.`)
}

/** Each batch is a transaction, and the work may stop after any: `forgetOldDeletes` continues it. */
async function removeRows(db: Db, account: AccountId, id: string): Promise<void> {
  while (await deleteNextKeptRows(db, account, id, rowsAtOnce));
}

/** Removes kept rows that are no longer needed: of deletes that were undone, erased, or ended more than 30 days ago. */
export async function forgetOldDeletes(db: Db, account: AccountId, now = new Date()): Promise<void> {
  await updateExpired(db, account, new Date(now.getTime() - undoDays * 86_400_000))
  for (const id of await selectWithNeedlessRows(db, account)) await removeRows(db, account, id)
}
