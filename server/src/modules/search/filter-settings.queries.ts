import type { FilterSettings } from '@portico/contract/filter-settings'
import type { AccountId } from '@portico/contract/accounts'
import { type Db, inAccount } from '#platform/database.ts'

type SettingsTables = { filter_settings: { id: number; only_indexed_fields: boolean } }

// The table holds one row.
const only = 1

/** Undefined until an administrator has chosen. */
export async function selectFilterSettings(db: Db, account: AccountId): Promise<FilterSettings | undefined> {
  return inAccount<SettingsTables>(db, account)
    .selectFrom('filter_settings')
    .select('only_indexed_fields as onlyIndexedFields')
    .where('id', '=', only)
    .executeTakeFirst()
}

export async function insertFilterSettings(
  db: Db,
  account: AccountId,
  { onlyIndexedFields }: FilterSettings,
): Promise<void> {
  const row = { only_indexed_fields: onlyIndexedFields }
  await inAccount<SettingsTables>(db, account)
    .insertInto('filter_settings')
    .values({ id: only, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}
