import type { AccountId } from '@portico/contract/accounts'
import { isServerAway } from '#platform/citus/server-away.ts'

/** Told by the work which account it turns to next. */
export type Turn = { account: AccountId | null }

/**
 * Runs `work`, which goes through accounts, and again without each account whose server is away: one server that is lost
 * holds up no account of the others. `work` must roll back what it did when it fails.
 */
export async function onReachableAccounts<T>(
  work: (except: readonly AccountId[], turn: Turn) => Promise<T>,
): Promise<T> {
  const away: AccountId[] = []
  for (;;) {
    const turn: Turn = { account: null }
    try {
      return await work(away, turn)
    } catch (error) {
      if (turn.account === null || away.includes(turn.account) || !isServerAway(error)) throw error
      away.push(turn.account)
    }
  }
}
