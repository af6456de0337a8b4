import type { AccountId } from '@portico/contract/accounts'

/**
 * Accounts take turns in the order of their numbers. A process keeps the account that had the last one; 0 is before all. However
 * much one account has waiting, each other one waits for a turn of each account at most.
 */
export type AccountTurns = { last: AccountId }

export const firstTurn = (): AccountTurns => ({ last: 0 })

/** Finds the next in turn: of the accounts after the last one, or else of all. `find` looks at the accounts after a number. */
export async function nextInTurn<Found extends { account_id: AccountId }>(
  turns: AccountTurns,
  find: (after: AccountId) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = (await find(turns.last)) ?? (turns.last === 0 ? undefined : await find(0))
  turns.last = found?.account_id ?? 0
  return found
}
