import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { selectTwoFactorOf, type TwoFactorOf, updateTwoFactorOf } from './deployment.queries.ts'

/** Says who has to have two-factor in every account. It holds from the next request on. */
export async function requireTwoFactorOf(db: Db, whom: TwoFactorOf, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    const before = await selectTwoFactorOf(tx)
    if (before === whom) return
    await updateTwoFactorOf(tx, whom)
    const details = { old: before, new: whom }
    await recordAudit(tx, { ...by, account: null, action: 'two-factor required', subject: whom, details })
  })
}
