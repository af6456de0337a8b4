import type { AccountId } from '@portico/contract/accounts'
import { countWithoutDedupKey } from '#contacts'
import type { Db } from '#platform/database.ts'
import { type ImportRow, selectImportsThatMakeKeys } from './imports.queries.ts'

/**
 * Returns why an import cannot be the first with dedup columns: contacts imported earlier without them have no key, and
 * would be added a second time. Null if it can. With its own scope, an import never matches contacts of others.
 * Contacts of running imports get their keys before the next import of the account starts.
 */
export async function lateDedupProblem(
  db: Db,
  account: AccountId,
  { dedup_columns: columns, purl_scope: scope }: Pick<ImportRow, 'dedup_columns' | 'purl_scope'>,
): Promise<string | null> {
  if (columns.length === 0 || scope === 'import') return null
  const count = await countWithoutDedupKey(db, account, await selectImportsThatMakeKeys(db, account))
  if (count === 0) return null
  const have = count === 1 ? '1 contact has' : `${count.toLocaleString('en-US')} contacts have`
  const fix = 'Delete them and import them again with these columns, or leave the dedup columns out'
  return `${have} no dedup key, since no import before had dedup columns, and would be added a second time. ${fix}.`
}
