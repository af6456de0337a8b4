import type { AccountId } from '@portico/contract/accounts'
import { listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import { insertEntriesUnlessLocked, selectFullTextState, updateWordsMissed } from './full-text-index.queries.ts'

/**
 * Writes the words of a contact that has changed into the full-text index, in the transaction of the change. A build that is
 * running locks the table, or writes what it has read before: then the index counts as outdated after it, and the next search
 * has the contact added.
 */
export async function keepWordsOfContact(tx: Db, account: AccountId, id: string, now: Date): Promise<void> {
  await updateWordsMissed(tx, account, now, { ifBuilding: true })
  const { built_at: builtAt } = await selectFullTextState(tx, account)
  if (builtAt === null) return
  const fields = (await listContactFields(tx, account)).filter(({ type }) => type === 'string')
  const isWritten = await insertEntriesUnlessLocked(tx, account, fields, { after: String(BigInt(id) - 1n), upTo: id })
  if (!isWritten) await updateWordsMissed(tx, account, now, { ifBuilding: false })
}
