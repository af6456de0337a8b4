import type { AccountId } from '@portico/contract/accounts'
import { type CatalogueRow, fieldsReadOfAll, readableFields, selectCatalogue } from '#contacts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'

/**
 * `ofAll`: for work that shows values of all contacts.
 * @throws not_found, also for a field that the caller may not read, and for a deleted one unless that is asked for
 */
export async function requireField(
  db: Db,
  account: AccountId,
  caller: Pick<Caller, 'can' | 'rows'>,
  id: string,
  { isDeleted = false, ofAll = false } = {},
): Promise<CatalogueRow> {
  const found = (await selectCatalogue(db, account)).find((row) => String(row.id) === id)
  const [field] = found ? await (ofAll ? fieldsReadOfAll : readableFields)(caller, [found]) : []
  if (!field || (field.deleted_at !== null) !== isDeleted) throw new AppError('not_found')
  return field
}
