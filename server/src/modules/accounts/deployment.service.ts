import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { selectTwoFactorOf, updateTwoFactorOf } from './deployment.queries.ts'
import type { TwoFactorOf } from './tables.ts'

/** Sets who must have two-factor in every account. Takes effect with the next request. */
export async function requireTwoFactorOf(db: Db, whom: TwoFactorOf, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    const before = await selectTwoFactorOf(tx)
    if (before === whom) return
    await updateTwoFactorOf(tx, whom)
    const details = { old: before, new: whom }
    await recordAudit(tx, { ...by, account: null, action: 'two-factor required', subject: whom, details })
  })
}
