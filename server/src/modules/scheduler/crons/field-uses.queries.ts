import type { AccountId } from '@portico/contract/accounts'
import { control, type Db } from '#platform/database.ts'
import type { CronRow, Tables } from '../tables.ts'

const cronsOf = (db: Db, account: AccountId) =>
  control<Tables>(db).selectFrom('crons').selectAll().where('account_id', '=', account).orderBy('id')

export async function selectAllCrons(db: Db, account: AccountId): Promise<CronRow[]> {
  return cronsOf(db, account).execute()
}

/** Locks all crons of the account until the end of the transaction. */
export async function lockCrons(db: Db, account: AccountId): Promise<CronRow[]> {
  return cronsOf(db, account).forUpdate().execute()
}

export async function updateInstruction(
  db: Db,
  account: AccountId,
  id: string,
  instruction: Record<string, unknown>,
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('crons')
    .set({ instruction: JSON.stringify(instruction), updated_at: new Date(), ...next })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}
