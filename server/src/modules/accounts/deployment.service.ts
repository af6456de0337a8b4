import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { selectTwoFactorOf, updateTwoFactorOf } from './deployment.queries.ts'
import type { TwoFactorOf } from './tables.ts'

/** Sets which people must use two-factor in every account. Takes effect with the next request. */
export async function requireTwoFactorOf(db: Db, twoFactorOf: TwoFactorOf, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    const before = await selectTwoFactorOf(tx)
    if (before === twoFactorOf) return
    await updateTwoFactorOf(tx, twoFactorOf)
    const details = { old: before, new: twoFactorOf }
    await recordAudit(tx, { ...by, account: null, action: 'two-factor required', subject: twoFactorOf, details })
  })
}
