import type { AccountId } from '@portico/contract/accounts'
import { selectCatalogue } from '#contacts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'

/** Names of fields by their numbers. */
type FieldNames = ReadonlyMap<number, string>

export async function readFieldNames(db: Db, account: AccountId): Promise<FieldNames> {
  return new Map((await selectCatalogue(db, account)).map(({ id, name }) => [id, name]))
}

/**
 * Runs the end of a report, whose cells were read with the names that fields had `before`: what is stored with its file follows
 * a rename only if it is there when the rename begins.
 * @throws Error for another attempt, if a field was renamed in the meantime or is being changed
 */
export async function withSameNames<T>(
  tx: Db,
  account: AccountId,
  before: FieldNames,
  work: (locked: Db) => Promise<T>,
): Promise<T> {
  const end = async (locked: Db): Promise<T> => {
    const now = await readFieldNames(locked, account)
    const isRenamed = [...before].some(([id, name]) => now.has(id) && now.get(id) !== name)
    if (isRenamed) throw new Error('A field was renamed while the report was written.')
    return work(locked)
  }
  try {
    return await withLock(tx, accountLock('fieldChanges', account), end)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
    throw new Error('A field was being changed when the report was written.', { cause: error })
  }
}
