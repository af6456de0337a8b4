import type { AccountId } from '@portico/contract/accounts'
import { type Db, isUniqueViolation } from '#platform/database.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'
import { nameTaken } from './exports.service.ts'
import { selectFreeName } from './exports.queries.ts'

const maxName = 100

/** The name with an end, of as many characters as a name has at most. */
export const withEnd = (name: string, end: string): string => name.slice(0, maxName - end.length).trimEnd() + end

/** Times that another transaction may take the name between choosing and storing it. */
const mostTries = 50

/**
 * Stores an export in the transaction `tx` under the name, or with a number when another one has it. Exports that start at
 * the same time choose the same number: all but the first choose again.
 * @throws name_taken
 */
export async function underFreeName<T>(
  tx: Db,
  account: AccountId,
  name: string,
  store: (free: string) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < mostTries; tries++) {
    const free = await freeName(tx, account, name)
    try {
      return await inSavepoint(tx, () => store(free))
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
    }
  }
  throw nameTaken()
}

/** The name, or with the first number that is free. */
async function freeName(db: Db, account: AccountId, name: string): Promise<string> {
  // Mostly the first one is free. Where hundreds have the name, a few statements find the number.
  for (let from = 1, count = 1; ; from += count, count = Math.min(count * 10, 1000)) {
    const names = Array.from({ length: count }, (_, index) => numbered(name, from + index))
    const place = await selectFreeName(db, account, names)
    const free = place === null ? undefined : names[place]
    if (free !== undefined) return free
  }
}

const numbered = (name: string, number: number): string => (number === 1 ? name : withEnd(name, ` (${number})`))
