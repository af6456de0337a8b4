import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { hasOtherPowerAdmin } from '../evaluator/power.queries.ts'
import type { IdentityRow } from './identities.queries.ts'

// Without a power admin who holds everything, for all contacts, some rights could be given by the operator only.

const message = 'This is the last power admin who holds everything. At least one is required.'

/**
 * The caller must hold the access lock, as others may be removed concurrently.
 * @throws in_use
 */
export async function requirePowerAdminLeft(
  db: Db,
  { id, account }: Pick<IdentityRow, 'id' | 'account'>,
  isLost: boolean,
): Promise<void> {
  if (account === null && isLost && !(await hasOtherPowerAdmin(db, id)))
    throw new AppError('in_use', undefined, message)
}

/**
 * The same check after a change of a policy or a group.
 * @throws in_use
 */
export async function requireFullPowerAdminLeft(db: Db): Promise<void> {
  if (!(await hasOtherPowerAdmin(db, null))) throw new AppError('in_use', undefined, message)
}
