import type { AccountId } from '@portico/contract/accounts'
import { selectPartTables } from '#contacts'
import type { Db } from '#platform/database.ts'
import { deleteOfContacts } from './deletes.queries.ts'

/** When fewer contacts were deleted or restored, the planner's statistics are still good enough. */
export const worthAnalyzing = 10_000

type BesideContacts = { table: string; column: 'id' | 'contact_id' }

/** Returns the tables with rows of contacts, except `contacts` itself. */
export async function tablesBesideContacts(db: Db, account: AccountId): Promise<BesideContacts[]> {
  const parts = (await selectPartTables(db, account)).filter((table) => table !== 'contacts')
  const ofContacts = ['contact_keys', 'contact_words', ...parts].map((table) => ({ table, column: 'id' as const }))
  return [
    { table: 'events', column: 'contact_id' },
    { table: 'contact_changes', column: 'contact_id' },
    { table: 'import_changes', column: 'contact_id' },
    { table: 'written_texts', column: 'contact_id' },
    { table: 'merged_keys', column: 'contact_id' },
    ...ofContacts,
  ]
}

/** Deletes contacts with all their data. They must be locked (`lockContacts`). */
export async function removeContacts(tx: Db, account: AccountId, ids: readonly string[]): Promise<void> {
  for (const { table, column } of await tablesBesideContacts(tx, account)) {
    await deleteOfContacts(tx, account, table, column, ids)
  }
  await deleteOfContacts(tx, account, 'contacts', 'id', ids)
}
