import type { AccountId } from '@portico/contract/accounts'
import type { SharedWith } from '@portico/contract/dashboards'
import { accountsOf, holderOf } from '#access'
import { selectAccountDetails } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { isAdministrator, type Viewer } from './viewer.ts'

/**
 * Makes sure that the person may share with these accounts: with accounts that they may enter now, and with all
 * accounts only as a power admin. `stored`: the dashboard's current sharing, null for a new one.
 * @throws sharing_changed with the stored `paids` and `aids`, or the requested ones of a new dashboard
 */
export async function requireSharable(
  db: Db,
  viewer: Viewer,
  wanted: SharedWith,
  stored: SharedWith | null,
): Promise<void> {
  const open = await openAccounts(db, viewer)
  if (await isSharable(db, viewer, open, wanted)) return
  const { paids, aids } = stored ?? wanted
  const isStoredRefused = stored !== null && !(await isSharable(db, viewer, open, stored))
  const message = isStoredRefused
    ? undefined
    : isAll(wanted)
      ? 'Only power admins can share with all accounts.'
      : 'You can share only with accounts that you may enter.'
  throw new AppError('sharing_changed', { paids, aids }, message)
}

const isAll = ({ paids, aids }: SharedWith): boolean => paids === 'all' && aids === 'all'

/** Account → its parent, or the account itself if it has none. */
type OpenAccounts = ReadonlyMap<AccountId, AccountId>

/** The accounts that the person may enter now. A credential has only one identity. */
async function openAccounts(db: Db, { caller, address }: Viewer): Promise<OpenAccounts> {
  const entries = await accountsOf(db, holderOf(caller), { address })
  return new Map(entries.map(({ Key, parent }) => [Key, parent ?? Key]))
}

async function isSharable(db: Db, { caller }: Viewer, open: OpenAccounts, wanted: SharedWith): Promise<boolean> {
  const { paids, aids } = wanted
  if (isAll(wanted)) return caller.isPowerAdmin && isAdministrator({ caller })
  if (aids !== 'all' && !aids.every((account) => open.has(account))) return false
  if (paids === 'all') return true
  const parents = new Set(open.values())
  if (!paids.every((parent) => parents.has(parent))) return false
  return aids !== 'all' || (await areAllOpen(db, open, paids))
}

/** Whether every account of these parents can be entered, except suspended ones, which only power admins enter. */
async function areAllOpen(db: Db, open: OpenAccounts, parents: readonly AccountId[]): Promise<boolean> {
  const accounts = await selectAccountDetails(db, null)
  return accounts.every(
    ({ id, parentId, suspendedAt }) => suspendedAt !== null || open.has(id) || !parents.includes(parentId ?? id),
  )
}
