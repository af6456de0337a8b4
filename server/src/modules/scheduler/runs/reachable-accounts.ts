import type { AccountId } from '@portico/contract/accounts'
import { isServerAway } from '#platform/citus/server-away.ts'

/** Set by the work to the account it turns to next. */
export type Turn = { account: AccountId | null }

/**
 * Runs `work`, which goes through accounts, and repeats it without each account whose server is away: one lost server
 * does not hold up accounts of others. `work` must roll back its changes when it fails.
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
