import { control, type Db } from '#platform/database.ts'
import type { Tables, TwoFactorOf } from './tables.ts'

export async function selectTwoFactorOf(db: Db): Promise<TwoFactorOf> {
  const { two_factor_of: twoFactorOf } = await control<Tables>(db)
    .selectFrom('deployment')
    .select('two_factor_of')
    .executeTakeFirstOrThrow()
  return twoFactorOf
}

export async function updateTwoFactorOf(db: Db, twoFactorOf: TwoFactorOf): Promise<void> {
  await control<Tables>(db).updateTable('deployment').set({ two_factor_of: twoFactorOf }).execute()
}
