import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '../database.ts'
import type { KeyRing } from './key-ring.ts'
import { createSecrets, SecretUnreadable } from '../secrets.ts'

/** A sealed secret, bound to the id of its row. */
export type SealedRow = { id: string; sealed: string }

/** A column of sealed secrets. `server/src/sealed-columns.ts` lists those of all modules. */
export type SealedColumn = {
  /** The column in `server/schema.sql`, such as `persons.two_factor_secret`. */
  name: string
  /** The purpose that `createSecrets` seals it for. */
  purpose: string
  /** Whether the rows belong to accounts; the others are read once, with the account null. */
  isOfAccounts: boolean
  /** Returns rows with a secret after the id `after`, ordered by id. */
  select: (db: Db, account: AccountId | null, page: { after: string | null; limit: number }) => Promise<SealedRow[]>
  /** Replaces a secret unless it has changed since it was read. Returns whether it did. */
  replace: (db: Db, account: AccountId | null, row: SealedRow, sealed: string) => Promise<boolean>
}

/** Number of secrets of one column that were encrypted again, already had the current key, or no key could decrypt. */
export type Resealed = { column: string; reEncrypted: number; current: number; unreadable: number }

const pageSize = 200

/**
 * Encrypts the secrets of a column with the current key. Secrets that already have it are left alone, and each is
 * replaced only if it has not changed: this can be stopped, repeated, and run while the portal is running.
 */
export async function resealColumn(
  db: Db,
  keys: KeyRing,
  column: SealedColumn,
  accounts: readonly AccountId[],
): Promise<Resealed> {
  const [any, current] = [createSecrets(keys, column.purpose), createSecrets(keys[0], column.purpose)]
  const done: Resealed = { column: column.name, reEncrypted: 0, current: 0, unreadable: 0 }
  for (const account of column.isOfAccounts ? accounts : [null]) {
    for (let after: string | null = null; ;) {
      const rows: SealedRow[] = await column.select(db, account, { after, limit: pageSize })
      for (const row of rows) {
        if (canOpen(current, row)) done.current++
        else if (!canOpen(any, row)) done.unreadable++
        else if (await column.replace(db, account, row, current.seal(any.open(row.sealed, row.id), row.id))) {
          done.reEncrypted++
        }
      }
      const last = rows.at(-1)
      if (!last || rows.length < pageSize) break
      after = last.id
    }
  }
  return done
}

/** Returns whether one of the keys of `secrets` decrypts a value. */
export function canOpen(secrets: Pick<ReturnType<typeof createSecrets>, 'open'>, { id, sealed }: SealedRow): boolean {
  try {
    secrets.open(sealed, id)
    return true
  } catch (error) {
    if (error instanceof SecretUnreadable) return false
    throw error
  }
}
