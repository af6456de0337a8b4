import type { Administrator } from '../administrator.ts'
import type { Policy } from '../evaluator/granted-actions.ts'
import { areNoMore, isHeld, requireHeld, type Rights } from '../giving.ts'
import type { IdentityRow, IdentityValues } from './identities.queries.ts'

// The rights that an administrator gives with an identity, compared with those they hold (`giving.ts`). The group
// `everyone` is left out: membership in it is automatic, not given by an administrator.

type Groups = readonly { policies: readonly Policy[] }[]

/** The rights that an identity gives through its groups. */
export function rightsOfIdentity(
  { accessToAllSubAccounts, days, daysEffect, hours, hoursEffect, cidr, rowRule }: IdentityValues,
  groups: Groups,
): Rights {
  return {
    policies: groups.flatMap(({ policies }) => policies),
    limits: { days, daysEffect, hours, hoursEffect, cidr, rowRule },
    reachesSubAccounts: accessToAllSubAccounts,
  }
}

/**
 * Makes sure that an administrator may act on an identity: take something from it, or sign its person out. Its limits
 * and sub-accounts are ignored: those who hold an account's rights are responsible for everyone in it.
 * @throws exceeds_rights
 */
export function requireNotAbove(admin: Administrator, known: IdentityRow): void {
  requireHeld(admin, rightsToAct(known))
}

/** The same as an answer. */
export function isNotAbove({ holdings }: Administrator, known: IdentityRow): boolean {
  return isHeld({ holdings }, rightsToAct(known))
}

const rightsToAct = (known: IdentityRow): Rights => ({
  ...rightsOfIdentity(known, known.groups),
  limits: null,
  reachesSubAccounts: false,
})

/**
 * Makes sure that an administrator may act on an identity (`requireNotAbove`), and that the changed one gives no more
 * than they hold, unless it gives the same holder no more than before.
 * @throws exceeds_rights
 */
export function requireChangeHeld(
  admin: Administrator,
  known: IdentityRow,
  { values, groups, isHandedOver }: { values: IdentityValues; groups: Groups; isHandedOver: boolean },
): void {
  requireNotAbove(admin, known)
  if (givesMore(known, { values, groups, isHandedOver })) requireHeld(admin, rightsOfIdentity(values, groups))
}

/**
 * Whether a changed identity gives access to another holder, or more to the same one: groups, sub-accounts, hours,
 * contacts.
 */
export function givesMore(
  known: IdentityRow,
  { values, groups, isHandedOver }: { values: IdentityValues; groups: Groups; isHandedOver: boolean },
): boolean {
  const isReturned = known.isDisabled && !values.isDisabled
  return (
    isHandedOver || isReturned || !areNoMore(rightsOfIdentity(values, groups), rightsOfIdentity(known, known.groups))
  )
}
