import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import type { SharedWith } from '@portico/contract/dashboards'
import { accountsHeld, enterableAccounts } from '#access'
import { selectAccountDetails } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
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
  const open = await openNow(db, viewer)
  if (await isSharable(db, viewer, open, wanted)) return
  const { paids, aids } = stored ?? wanted
  const isStoredRefused = stored !== null && !(await isSharable(db, viewer, open, stored))
  const message = isStoredRefused
    ? undefined
    : isAll(wanted) && !viewer.caller.isPowerAdmin
      ? 'Only power admins can share with all accounts.'
      : 'You can share only with accounts that you may enter.'
  throw new AppError('sharing_changed', { paids, aids }, message)
}

const isAll = ({ paids, aids }: SharedWith): boolean => paids === 'all' && aids === 'all'

/** Account → its parent, or the account itself if it has none. */
type OpenAccounts = ReadonlyMap<AccountId, AccountId>

const parentsOf = (entries: readonly AccountEntry[]): OpenAccounts =>
  new Map(entries.map(({ Key, parent }) => [Key, parent ?? Key]))

/** The accounts that the viewer may enter now; of a credential, those of its one identity. */
const openNow = async (db: Db, viewer: Viewer): Promise<OpenAccounts> =>
  parentsOf([...(await enterableAccounts(db, viewer.caller, viewer)).values()])

/**
 * Makes sure that a person could have shared a dashboard as it is, whenever and wherever they work. `closed`: accounts
 * that the administrator who hands it over cannot enter for lack of a second factor: its cells would show their contacts.
 * @throws not_allowed
 */
export async function requireSharableBy(
  db: Db,
  caller: Caller,
  shared: SharedWith,
  closed: readonly AccountId[],
): Promise<void> {
  const held = await accountsHeld(db, caller.personId, { withGlobal: caller.isPowerAdmin })
  if (!(await isSharable(db, { caller }, parentsOf(held), shared))) throw notSharable(shared, 'they')
  const open = parentsOf(held.filter(({ Key }) => !closed.includes(Key)))
  if (await isSharable(db, { caller }, open, shared)) return
  const message = 'It is shared with an account that requires two-factor authentication, which you have not shown.'
  throw new AppError('not_allowed', undefined, message)
}

/**
 * Makes sure that the caller could share a dashboard as it is. Otherwise they could narrow or delete what people in
 * accounts that they may not enter use.
 * @throws not_allowed
 */
export async function requireSharableNow(db: Db, viewer: Viewer, shared: SharedWith): Promise<void> {
  if (!(await isSharable(db, viewer, await openNow(db, viewer), shared))) throw notSharable(shared, 'you')
}

const notSharable = (shared: SharedWith, they: 'they' | 'you'): AppError => {
  const message = isAll(shared)
    ? 'It is shared with all accounts, which only power admins can do.'
    : `It is shared with accounts that ${they} may not enter.`
  return new AppError('not_allowed', undefined, message)
}

async function isSharable(
  db: Db,
  { caller }: Pick<Viewer, 'caller'>,
  open: OpenAccounts,
  wanted: SharedWith,
): Promise<boolean> {
  const { paids, aids } = wanted
  if (isAll(wanted)) return caller.isPowerAdmin && isAdministrator({ caller }) && areAllOpen(db, open, null)
  if (aids !== 'all' && !aids.every((account) => open.has(account))) return false
  if (paids === 'all') return true
  const parents = new Set(open.values())
  if (!paids.every((parent) => parents.has(parent))) return false
  return aids !== 'all' || (await areAllOpen(db, open, paids))
}

/** Whether every account (of these parents) can be entered, except suspended ones, which only power admins enter. */
async function areAllOpen(db: Db, open: OpenAccounts, parents: readonly AccountId[] | null): Promise<boolean> {
  const accounts = await selectAccountDetails(db, null)
  return accounts.every(
    ({ id, parentId, suspendedAt }) =>
      suspendedAt !== null || open.has(id) || (parents !== null && !parents.includes(parentId ?? id)),
  )
}
