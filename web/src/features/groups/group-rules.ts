import { messages } from '@portico/contract/messages'
import { AccessName, type Group, NewGroup, type Policy } from '@portico/contract/policies'
import { foldName } from '@portico/domain/names'
import { isEveryone } from '#domain/access'

export type GroupValues = { name: string; isAdmin: boolean; policies: string[] }

export const groupValues = (group: Group | null): GroupValues => ({
  name: group?.name ?? '',
  isAdmin: group?.isAdmin ?? false,
  policies: group?.policies.map(({ _id }) => _id) ?? [],
})

/** Schema of the form. `taken` holds the names of the other groups in lower case. */
export const groupSchema = (taken: ReadonlySet<string>, mayAdministerAll: boolean) =>
  NewGroup.extend({
    name: AccessName.refine((name) => mayAdministerAll || !isEveryone({ name }), messages.reserved).refine(
      (name) => !taken.has(foldName(name)),
      messages.duplicateGroup,
    ),
  })

/** The policies that a global group may hold: global ones whose `isAdmin` is the group's. */
export const policiesFor = (isAdmin: boolean, policies: readonly Policy[]): Policy[] =>
  policies.filter((policy) => policy.isAdmin === isAdmin && policy.ownerPaid === '*')
