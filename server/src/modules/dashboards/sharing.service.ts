import type { AccountId } from '@portico/contract/accounts'
import type { SharedWith } from '@portico/contract/dashboards'
import { accountsOf } from '#access'
import { selectAccountsOfParent } from '#accounts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { AccountContext } from '#platform/http/context.ts'
import type { Tables } from './tables.ts'

type Sharing = Pick<Tables['dashboards'], 'shared_parents' | 'shared_accounts' | 'shared_users'>

/** As it is stored: null for all, no value twice, emails in lower case. */
export function toSharing({ paids, aids, users }: SharedWith): Sharing {
  const ids = (list: SharedWith['paids']) => (list === 'all' ? null : [...new Set(list)].toSorted((a, b) => a - b))
  return {
    shared_parents: ids(paids),
    shared_accounts: ids(aids),
    shared_users: users === 'all' ? null : [...new Set(users.map((email) => email.toLowerCase()))].toSorted(),
  }
}

export function toSharedWith({ shared_parents, shared_accounts, shared_users }: Sharing): SharedWith {
  return { paids: shared_parents ?? 'all', aids: shared_accounts ?? 'all', users: shared_users ?? 'all' }
}

type Sharer = Pick<AccountContext, 'db' | 'caller' | 'account' | 'address'>

/**
 * Makes sure that the caller may share so: with accounts that they may enter, with all accounts of a parent only if they
 * may enter each of them, and with all accounts only as a power admin. `stored`: what it is already.
 * @throws sharing_changed for a sharing that stands but may not be given any more; invalid_input for a new one
 */
export async function requireShareable(sharer: Sharer, sharing: Sharing, stored: Sharing | null): Promise<void> {
  const problem = await problemOf(sharer, sharing)
  if (!problem) return
  const isStored = stored !== null && JSON.stringify(toSharedWith(stored)) === JSON.stringify(toSharedWith(sharing))
  if (!isStored) throw invalidField(`sharedWith.${problem.key}`, problem.message)
  const { paids, aids } = toSharedWith(stored)
  throw new AppError('sharing_changed', { paids, aids })
}

type Problem = { key: 'paids' | 'aids'; message: string }

async function problemOf(
  sharer: Sharer,
  { shared_parents: parents, shared_accounts: accounts }: Sharing,
): Promise<Problem | null> {
  const { db, caller, account } = sharer
  if (caller.isPowerAdmin) return null
  if (parents === null && accounts === null) {
    return { key: 'aids', message: 'Only power admins may share with all accounts.' }
  }
  const open = new Set(await enterable(sharer))
  const closed = accounts?.find((id) => !open.has(id))
  if (closed !== undefined)
    return { key: 'aids', message: `You may not share with account ${closed}, which you cannot enter.` }
  if (accounts !== null) return null
  for (const parent of parents ?? []) {
    const below = await selectAccountsOfParent(db, account, parent)
    if (below.length === 0 || !below.every((id) => open.has(id))) {
      return {
        key: 'paids',
        message: `You may not share with all accounts of ${parent}, since you cannot enter each of them.`,
      }
    }
  }
  return null
}

/** The accounts that the caller may enter. A link or a credential enters the one that it is for. */
async function enterable({ db, caller, account, address }: Sharer): Promise<AccountId[]> {
  if (caller.kind !== 'session') return [account]
  const accounts = await accountsOf(db, caller.personId, { address })
  return accounts.map(({ Key }) => Key)
}
