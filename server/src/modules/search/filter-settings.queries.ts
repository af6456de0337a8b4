import type { FilterSettings, StoredFilterSettings } from '@portico/contract/filter-settings'
import type { AccountId } from '@portico/contract/accounts'
import { type Db, inAccount } from '#platform/database.ts'
import type { VersionColumns, VersionRow } from '#platform/rows/versions.ts'

type SettingsTables = { filter_settings: VersionColumns & { id: number; only_indexed_fields: boolean } }

// The table holds one row.
const only = 1

/** Undefined until an administrator has chosen. */
export async function selectFilterSettings(db: Db, account: AccountId): Promise<StoredFilterSettings | undefined> {
  return inAccount<SettingsTables>(db, account)
    .selectFrom('filter_settings')
    .select(['only_indexed_fields as onlyIndexedFields', 'version'])
    .where('id', '=', only)
    .executeTakeFirst()
}

/** Locks the settings until the end of the transaction; stores `initial` first where there are none. */
export async function lockFilterSettings(
  db: Db,
  account: AccountId,
  { onlyIndexedFields }: FilterSettings,
): Promise<VersionRow> {
  const tables = inAccount<SettingsTables>(db, account)
  await tables
    .insertInto('filter_settings')
    .values({ id: only, only_indexed_fields: onlyIndexedFields })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tables
    .selectFrom('filter_settings')
    .select(['version', 'saves'])
    .where('id', '=', only)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateFilterSettings(
  db: Db,
  account: AccountId,
  { onlyIndexedFields }: FilterSettings,
  next: { version: number; saves: string },
): Promise<void> {
  await inAccount<SettingsTables>(db, account)
    .updateTable('filter_settings')
    .set({ only_indexed_fields: onlyIndexedFields, ...next })
    .where('id', '=', only)
    .execute()
}
