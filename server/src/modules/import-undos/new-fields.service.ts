import type { AccountId } from '@portico/contract/accounts'
import { type CatalogueRow, selectCatalogue } from '#contacts'
import { isFieldUsed } from '#fields'
import { selectImportsAt } from '#imports'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'

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

/** Returns the new fields that no stored item names. `exceptImport`: name of an import whose own use does not count. */
export async function unusedNewFields(
  db: Db,
  uses: readonly FieldUses[],
  account: AccountId,
  { importId, exceptImport }: { importId: number; exceptImport: string | null },
): Promise<CatalogueRow[]> {
  const unused: CatalogueRow[] = []
  for (const field of await newFields(db, account, importId)) {
    if (!(await isFieldUsed(db, uses, account, { name: field.name, exceptImport }))) unused.push(field)
  }
  return unused
}
