import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { requireAccount } from '#accounts'
import { inviterOf } from './evaluator/caller.ts'
import type { Holding } from './evaluator/holdings.ts'
import type { AccountContext } from '#platform/http/context.ts'

/** A power admin or power user working in an account. The route has already checked that the caller is one. */
export type Administrator = {
  account: AccountId
  /** The account whose policies and groups apply: the parent, or the account itself. */
  owner: AccountId
  isSubAccount: boolean
  isPowerAdmin: boolean
  personId: string
  /** The rights that they hold, and may give to others. */
  holdings: readonly Holding[]
  by: Actor
  /** The same for the people whom they invite (`inviterOf`). */
  inviter: string
}

export async function administratorOf({ db, account, caller, actor }: AccountContext): Promise<Administrator> {
  const { parentId } = await requireAccount(db, account)
  const { isPowerAdmin, personId, holdings } = caller
  return {
    account,
    owner: parentId ?? account,
    isSubAccount: parentId !== null,
    isPowerAdmin,
    personId,
    holdings,
    by: actor,
    inviter: inviterOf(caller),
  }
}

/** The owner of an item in the API: '*' when it is global. */
export const ownerOnWire = (owner: AccountId | null): AccountId | '*' => owner ?? '*'
