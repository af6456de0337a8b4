import type { AccountId } from '@portico/contract/accounts'
import { selectImportRules } from '#imports'
import type { Db } from '#platform/database.ts'

/** Imports with their own scope: their contacts never match those of others. */
export async function importsWithOwnKeys(db: Db, account: AccountId): Promise<number[]> {
  const imports = await selectImportRules(db, account)
  return imports.flatMap(({ id, purl_scope: scope }) => (scope === 'import' ? [id] : []))
}
