import type { AccountId } from '@portico/contract/accounts'

/**
 * Accounts take turns in the order of their numbers. A process remembers the account of the last turn; 0 precedes all.
 * However much work one account has, another waits for at most one turn of each account.
 */
export type AccountTurns = { last: AccountId }

export const firstTurn = (): AccountTurns => ({ last: 0 })

/**
 * Finds the next in turn: among the accounts after the last one, or else among all. `find` searches the accounts after
 * a number.
 */
export async function nextInTurn<Found extends { account_id: AccountId }>(
  turns: AccountTurns,
  find: (after: AccountId) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = (await find(turns.last)) ?? (turns.last === 0 ? undefined : await find(0))
  turns.last = found?.account_id ?? 0
  return found
}
