import { everyone, type Group, type Policy } from '@portico/contract/policies'
import { changeFresh } from '#domain/editing'
import { AddToDialog } from './add-to-dialog.tsx'
import { type Bulk, nouns } from './bulk.ts'
import { isEveryone } from './everyone.ts'
import { getGroup, updateGroup, useGroups, usePolicies } from './access-queries.ts'
import { someNames } from './unique-names.ts'

const allHeld = 'already has all selected policies.'

/** A global group that can be added to; `everyone` is not, because it must only be changed on purpose. */
const mayGetPolicies = (group: Group): boolean => group.ownerPaid === '*' && !isEveryone(group)

const isMixed = (items: readonly { isAdmin: boolean }[]): boolean =>
  new Set(items.map(({ isAdmin }) => isAdmin)).size > 1

/** Why the policies cannot be added to groups together; null if they can. */
export function policiesToGroupsReason(policies: readonly Policy[]): string | null {
  if (isMixed(policies)) return 'Admin and other policies cannot be added to groups together.'
  const local = policies.find(({ ownerPaid }) => ownerPaid !== '*')
  return local ? `'${local.name}' belongs to an account and cannot be added to global groups.` : null
}

/** Why policies cannot be added to the groups together; null if they can. */
export function policiesIntoGroupsReason(groups: readonly Group[]): string | null {
  if (groups.some(isEveryone)) return `'${everyone}' can get policies only by editing it.`
  const local = groups.find(({ ownerPaid }) => ownerPaid !== '*')
  if (local) return `'${local.name}' belongs to an account; power admins change global groups only.`
  return isMixed(groups) ? 'Admin and other groups cannot get policies together.' : null
}

/** Adds policies to groups, one call each; groups that already hold all of them are skipped and reported. */
function addPolicies(bulk: Bulk, groups: readonly Group[], policyIds: readonly string[]): Promise<void> {
  const held = (group: Group): Set<string> => new Set(group.policies.map(({ _id }) => _id))
  const isComplete = (group: Group): boolean => policyIds.every((id) => held(group).has(id))
  return bulk.run({
    items: groups.filter((group) => !isComplete(group)),
    skipped: groups.filter(isComplete).map((item) => ({ item, message: allHeld })),
    nameOf: ({ name }) => name,
    noun: nouns.groups,
    done: 'updated',
    act: ({ _id }) =>
      changeFresh(
        () => getGroup(_id),
        (group) => {
          const { name, isAdmin, version } = group
          return updateGroup(_id, { name, isAdmin, version, policies: [...new Set([...held(group), ...policyIds])] })
        },
      ),
  })
}

type PoliciesToGroupsProps = { policies: Policy[]; bulk: Bulk; onClose: () => void }

/** On the policies screen: chooses the groups that get the selected policies. */
export function PoliciesToGroupsDialog({ policies, bulk, onClose }: PoliciesToGroupsProps) {
  const isAdmin = policies.some((policy) => policy.isAdmin)
  const groups = (useGroups().data ?? []).filter((group) => mayGetPolicies(group) && group.isAdmin === isAdmin)
  const add = async (ids: string[]): Promise<void> => {
    await addPolicies(
      bulk,
      groups.filter(({ _id }) => ids.includes(_id)),
      policies.map(({ _id }) => _id),
    )
    onClose()
  }
  return (
    <AddToDialog
      title="Add policies to groups"
      description={`The groups get ${someNames(policies.map(({ name }) => name))}.`}
      label="Groups"
      options={groups}
      isBusy={bulk.isBusy}
      onSubmit={(ids) => void add(ids)}
      onClose={onClose}
    />
  )
}

type PoliciesIntoGroupsProps = { groups: Group[]; bulk: Bulk; onClose: () => void }

/** On the groups screen: chooses the policies that the selected groups get. */
export function PoliciesIntoGroupsDialog({ groups, bulk, onClose }: PoliciesIntoGroupsProps) {
  const isAdmin = groups.some((group) => group.isAdmin)
  const policies = (usePolicies().data ?? []).filter((one) => one.isAdmin === isAdmin && one.ownerPaid === '*')
  const add = async (ids: string[]): Promise<void> => {
    await addPolicies(bulk, groups, ids)
    onClose()
  }
  return (
    <AddToDialog
      title="Add policies to groups"
      description={`They are added to ${someNames(groups.map(({ name }) => name))}.`}
      label="Policies"
      options={policies}
      isBusy={bulk.isBusy}
      onSubmit={(ids) => void add(ids)}
      onClose={onClose}
    />
  )
}
