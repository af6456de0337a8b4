import type { AccountId } from '@portico/contract/accounts'
import { messages } from '@portico/contract/messages'
import { isSameRule } from '@portico/domain/pipeline/row-rules'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type Administrator, ownerOnWire } from '../administrator.ts'
import { holdsEveryAction } from '../evaluator/power.ts'
import type { GroupRow } from '../groups/groups.queries.ts'
import { isEveryone } from '../groups/built-in.ts'
import { visibleGroups } from '../groups/groups.service.ts'
import type { IdentityRow, IdentityValues } from './identities.queries.ts'
import type { IdentityDraft } from './identity-values.ts'

// Rules for administrators who change identities (specification 2 §6, ADR 0022).

/** The account of the identities that the administrator manages; null for global ones. */
export function managedAccount({ isPowerAdmin, account }: Administrator): AccountId | null {
  return isPowerAdmin ? null : account
}

/** Whether the administrator is signed in, or authenticated, with this identity's person or service. */
export function isOwn({ id, personId }: Pick<IdentityRow, 'id' | 'personId'>, admin: Administrator): boolean {
  return (personId ?? id) === admin.personId
}

/**
 * Returns the chosen groups. The administrator must be able to see and assign them: power admins assign groups of
 * administrators, power users other groups.
 */
export async function chooseGroups(db: Db, admin: Administrator, draft: IdentityDraft): Promise<GroupRow[]> {
  const known = await visibleGroups(db, admin)
  const chosen = draft.groups.map((id, index) => {
    const group = known.find((row) => row.id === id.toLowerCase())
    // A group of one account would carry its rights into all others.
    const isFit = group?.isAdmin === admin.isPowerAdmin && (!admin.isPowerAdmin || group.owner === null)
    if (!group || !isFit || isEveryone(group)) throw invalidField(`groups.${index}`, messages.notAllowed)
    return group
  })
  return [...new Set(chosen)]
}

/** @throws invalid_input naming the field that the administrator may not set to this value */
export function requireFitting(admin: Administrator, draft: IdentityDraft): void {
  const { aid, accessToAllSubAccounts, serviceName } = draft
  if (aid !== undefined && aid !== ownerOnWire(managedAccount(admin))) throw invalidField('aid', messages.notAllowed)
  if (serviceName !== undefined && admin.isPowerAdmin) {
    throw invalidField('serviceName', 'Service identities belong to an account. Its power users create them.')
  }
  // A global identity enters every account anyway.
  if (accessToAllSubAccounts && !admin.isPowerAdmin && admin.isSubAccount) {
    throw invalidField('accessToAllSubAccounts', messages.notAllowed)
  }
}

/** Keeps administrators from locking themselves out by accident. @throws in_use */
export function requireOwnAccessKept(
  admin: Administrator,
  known: IdentityRow,
  { isHandedOver, values, groups }: { isHandedOver: boolean; values: IdentityValues; groups: readonly GroupRow[] },
): void {
  if (!isOwn(known, admin)) return
  if (isHandedOver) throw ownIdentityInUse('hand over your own identity to another email')
  if (values.isDisabled) throw ownIdentityInUse('disable your own identity')
  if (!isSameRule(known.rowRule, values.rowRule)) throw ownIdentityInUse('change which contacts you see yourself')
  // Groups of a power admin are always groups of administrators.
  const fullAccess = known.groups.filter(({ policies }) => holdsEveryAction(policies))
  const isLeft = fullAccess.length === 0 || fullAccess.some(({ id }) => groups.some((group) => group.id === id))
  if (!admin.isPowerAdmin && !isLeft) throw ownIdentityInUse('leave the group that makes you a power user')
}

export function ownIdentityInUse(what: string): AppError {
  return new AppError('in_use', undefined, `You cannot ${what}. Ask another administrator to do it.`)
}
