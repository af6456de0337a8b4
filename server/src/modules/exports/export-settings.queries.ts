import type { AccountId } from '@portico/contract/accounts'
import { type Db, inAccount } from '#platform/database.ts'

type SettingsTables = { export_settings: { id: number; guard_formulas: boolean } }

// The table holds one row.
const only = 1

export async function selectExportSettings(
  db: Db,
  account: AccountId,
): Promise<{ guardFormulas: boolean } | undefined> {
  return inAccount<SettingsTables>(db, account)
    .selectFrom('export_settings')
    .select('guard_formulas as guardFormulas')
    .where('id', '=', only)
    .executeTakeFirst()
}

export async function insertExportSettings(
  db: Db,
  account: AccountId,
  { guardFormulas }: { guardFormulas: boolean },
): Promise<void> {
  const row = { guard_formulas: guardFormulas }
  await inAccount<SettingsTables>(db, account)
    .insertInto('export_settings')
    .values({ id: only, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}
