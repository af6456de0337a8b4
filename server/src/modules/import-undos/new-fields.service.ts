import type { AccountId } from '@portico/contract/accounts'
import { type CatalogueRow, selectCatalogue } from '#contacts'
import { selectImportsAt } from '#imports'
import type { Db } from '#platform/database.ts'

/**
 * Returns the fields that an import created, without deleted ones. Only imports create fields, one import at a time.
 */
export async function newFields(db: Db, account: AccountId, importId: number): Promise<CatalogueRow[]> {
  const fields = await selectCatalogue(db, account)
  const imports = await selectImportsAt(
    db,
    account,
    fields.map(({ created_at: at }) => at),
  )
  return fields.filter((field, at) => field.deleted_at === null && imports.get(at)?.id === String(importId))
}
