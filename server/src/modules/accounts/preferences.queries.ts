import type { AccountId } from '@portico/contract/accounts'
import type { AccountPreferences } from '@portico/contract/preferences'
import { control, type Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import type { Tables } from './tables.ts'

export async function selectPreferences(db: Db, account: AccountId): Promise<AccountPreferences> {
  const row = await control<Tables>(db)
    .selectFrom('accounts')
    .select([
      'preferences_version as version',
      'menus',
      'timeout_minutes as timeout',
      'requires_two_factor as requiresTwoFactor',
      'full_screen_is_activity as fullScreenIsActivity',
    ])
    .where('id', '=', account)
    .executeTakeFirst()
  if (!row) throw new Error(`account ${account} does not exist`)
  // Only values that the contract allows are ever stored.
  return row as AccountPreferences
}

/** Locks the account until the end of the transaction, to change its preferences. */
export async function lockPreferences(db: Db, account: AccountId): Promise<VersionRow> {
  return control<Tables>(db)
    .selectFrom('accounts')
    .select(['preferences_version as version', 'preferences_saves as saves'])
    .where('id', '=', account)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

export async function updatePreferences(
  db: Db,
  account: AccountId,
  preferences: Omit<AccountPreferences, 'version'>,
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('accounts')
    .set({
      menus: JSON.stringify(preferences.menus),
      timeout_minutes: preferences.timeout,
      requires_two_factor: preferences.requiresTwoFactor,
      full_screen_is_activity: preferences.fullScreenIsActivity ?? false,
      preferences_version: next.version,
      preferences_saves: next.saves,
    })
    .where('id', '=', account)
    .execute()
}
