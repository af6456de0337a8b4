import type { StoredExportSettings } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/accounts'
import { type Db, inAccount } from '#platform/database.ts'
import type { VersionColumns, VersionRow } from '#platform/rows/versions.ts'

type SettingsTables = { export_settings: VersionColumns & { id: number; guard_formulas: boolean } }

// The table holds one row.
const only = 1

/** Undefined until an administrator has chosen settings. */
export async function selectExportSettings(db: Db, account: AccountId): Promise<StoredExportSettings | undefined> {
  return inAccount<SettingsTables>(db, account)
    .selectFrom('export_settings')
    .select(['guard_formulas as guardFormulas', 'version'])
    .where('id', '=', only)
    .executeTakeFirst()
}

/** Locks the settings until the end of the transaction; stores `initial` first if there are none. */
export async function lockExportSettings(
  db: Db,
  account: AccountId,
  { guardFormulas }: { guardFormulas: boolean },
): Promise<VersionRow> {
  const tables = inAccount<SettingsTables>(db, account)
  await tables
    .insertInto('export_settings')
    .values({ id: only, guard_formulas: guardFormulas })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tables
    .selectFrom('export_settings')
    .select(['version', 'saves'])
    .where('id', '=', only)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateExportSettings(
  db: Db,
  account: AccountId,
  { guardFormulas }: { guardFormulas: boolean },
  next: { version: number; saves: string },
): Promise<void> {
  await inAccount<SettingsTables>(db, account)
    .updateTable('export_settings')
    .set({ guard_formulas: guardFormulas, ...next })
    .where('id', '=', only)
    .execute()
}
