import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { requireAccount } from '#accounts'
import type { AccountContext } from '#platform/http/context.ts'

/** A power admin or power user at work in an account; the route has made sure that the caller is one. */
export type Administrator = {
  account: AccountId
  /** Whose policies and groups the account shares: those of its parent, or else its own. */
  owner: AccountId
  isSubAccount: boolean
  isPowerAdmin: boolean
  personId: string
  by: Actor
}

export async function administratorOf({ db, account, caller, actor }: AccountContext): Promise<Administrator> {
  const { parentId } = await requireAccount(db, account)
  const { isPowerAdmin, personId } = caller
  return {
    account,
    owner: parentId ?? account,
    isSubAccount: parentId !== null,
    isPowerAdmin,
    personId,
    by: actor,
  }
}

/** What belongs to an account, as the wire names its owner: '*' for what is global. */
export const ownerOnWire = (owner: AccountId | null): AccountId | '*' => owner ?? '*'
