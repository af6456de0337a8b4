import { control, type Db } from '#platform/database.ts'

/** Who has to have two-factor, whatever the accounts ask for. */
export const twoFactorOf = ['nobody', 'power-admins', 'everybody'] as const
export type TwoFactorOf = (typeof twoFactorOf)[number]

type DeploymentTables = { deployment: { two_factor_of: TwoFactorOf } }

export async function selectTwoFactorOf(db: Db): Promise<TwoFactorOf> {
  const { two_factor_of: whom } = await control<DeploymentTables>(db)
    .selectFrom('deployment')
    .select('two_factor_of')
    .executeTakeFirstOrThrow()
  return whom
}

export async function updateTwoFactorOf(db: Db, whom: TwoFactorOf): Promise<void> {
  await control<DeploymentTables>(db).updateTable('deployment').set({ two_factor_of: whom }).execute()
}
