import type { AccountId } from '@portico/contract/accounts'
import { undoDays } from '@portico/contract/undo-limits'
import type { Db } from '#platform/database.ts'
import { deleteOldRecords } from './returned-values.queries.ts'
import { selectForgotten, updateForgotten } from './undo-rows.queries.ts'

// Whose records are deleted in one transaction, so that no one waits for it.
const contactsAtOnce = 10_000

/**
 * Deletes the records of imports that ended more than 30 days ago. Each batch is a transaction, so the work may stop anywhere and
 * go on later.
 */
export async function forgetOldImports(db: Db, account: AccountId, now = new Date()): Promise<void> {
  const ids = await selectForgotten(db, account, new Date(now.getTime() - undoDays * 86_400_000))
  if (ids.length === 0) return
  let position: string | null = '0'
  while (position !== null) {
    position = await deleteOldRecords(db, account, ids, { position, limit: contactsAtOnce })
  }
  await updateForgotten(db, account, ids)
}
