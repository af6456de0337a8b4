import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { CronRow, Tables } from '../tables.ts'

/** Selects crons of the account whose instructions contain this text. */
const cronsNaming = (db: Db, account: AccountId, part: string) =>
  control<Tables>(db)
    .selectFrom('crons')
    .selectAll()
    .where('account_id', '=', account)
    .where(sql<boolean>`instruction::text ~* ${part}`)
    .orderBy('id')

/** Selects those that are not terminated. */
export async function selectActiveNaming(db: Db, account: AccountId, part: string): Promise<CronRow[]> {
  return cronsNaming(db, account, part).where('terminated_at', 'is', null).execute()
}

/** Locks them, including terminated ones, until the end of the transaction. */
export async function lockNaming(db: Db, account: AccountId, part: string): Promise<CronRow[]> {
  return cronsNaming(db, account, part).forUpdate().execute()
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
