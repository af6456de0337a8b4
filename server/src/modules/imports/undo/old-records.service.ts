import type { AccountId } from '@portico/contract/accounts'
import { undoDays } from '@portico/contract/undo-limits'
import type { Db } from '#platform/database.ts'
import { deleteOldRecords } from './returned-values.queries.ts'
import { selectForgotten, updateForgotten } from './undo-rows.queries.ts'

// Contacts whose records are deleted in one transaction: few enough not to keep others waiting.
const contactsAtOnce = 10_000

/**
 * Deletes the records of imports that ended more than 30 days ago. Each batch is a transaction: the work may stop after
 * any and continue later.
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
