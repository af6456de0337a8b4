import type { Identity } from '@portico/contract/identities'
import { everyone, type Group } from '@portico/contract/policies'
import { changeFresh } from '#domain/editing'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { AddToDialog } from './add-to-dialog.tsx'
import { type Bulk, nouns } from './bulk.ts'
import { getIdentity, updateIdentity, useGroups, useIdentities } from './access-queries.ts'
import { eligibleGroups, identityName, toNewIdentity } from './identity-rules.ts'
import { isEveryone } from './everyone.ts'
import { someNames } from './unique-names.ts'

const allHeldGroups = 'already has all selected groups.'

/** Why the groups cannot be added to identities together; null if they can. */
export function groupsToIdentitiesReason(groups: readonly Group[], mayAdministerAll: boolean): string | null {
  if (groups.some(isEveryone)) return `Everyone belongs to '${everyone}' already.`
  const unfit = groups.filter(({ isAdmin }) => isAdmin !== mayAdministerAll)
  if (unfit.length === 0) return null
  if (unfit.length < groups.length) return 'Admin and other groups cannot be added to identities together.'
  return 'Power admins manage global identities, which can only belong to admin groups.'
}

/** Adds groups to identities, one call each; identities that are already in all of them are skipped and reported. */
function addGroups(bulk: Bulk, identities: readonly Identity[], groupIds: readonly string[]): Promise<void> {
  const held = ({ groups }: Identity): Set<string> => new Set(groups.map(({ _id }) => _id))
  const isComplete = (identity: Identity): boolean => groupIds.every((id) => held(identity).has(id))
  return bulk.run({
    items: identities.filter((identity) => !isComplete(identity)),
    skipped: identities.filter(isComplete).map((item) => ({ item, message: allHeldGroups })),
    nameOf: identityName,
    noun: nouns.identities,
    done: 'updated',
    act: ({ _id }) =>
      changeFresh(
        () => getIdentity(_id),
        (identity) => {
          const groups = [...new Set([...held(identity), ...groupIds])]
          return updateIdentity(_id, { ...toNewIdentity(identity), groups, version: identity.version })
        },
      ),
  })
}

type GroupsToIdentitiesProps = { groups: Group[]; bulk: Bulk; onClose: () => void }

/** On the groups screen: chooses by email the identities that get the selected groups. */
export function GroupsToIdentitiesDialog({ groups, bulk, onClose }: GroupsToIdentitiesProps) {
  const identities = (useIdentities().data ?? []).filter(({ canBeChanged }) => canBeChanged)
  const add = async (ids: string[]): Promise<void> => {
    await addGroups(
      bulk,
      identities.filter(({ _id }) => ids.includes(_id)),
      groups.map(({ _id }) => _id),
    )
    onClose()
  }
  return (
    <AddToDialog
      title="Add groups to identities"
      description={`The identities get ${someNames(groups.map(({ name }) => name))}.`}
      label="Identities"
      options={identities.map((identity) => ({ _id: identity._id, name: identityName(identity) }))}
      isBusy={bulk.isBusy}
      onSubmit={(ids) => void add(ids)}
      onClose={onClose}
    />
  )
}

type GroupsIntoIdentitiesProps = { identities: Identity[]; bulk: Bulk; onClose: () => void }

/** On the identities screen: chooses the groups that the selected identities get. */
export function GroupsIntoIdentitiesDialog({ identities, bulk, onClose }: GroupsIntoIdentitiesProps) {
  const mayAdministerAll = useMayAdministerAll()
  const groups = eligibleGroups(useGroups().data ?? [], mayAdministerAll)
  const add = async (ids: string[]): Promise<void> => {
    await addGroups(bulk, identities, ids)
    onClose()
  }
  return (
    <AddToDialog
      title="Add groups to identities"
      description={`They are added to ${someNames(identities.map(identityName))}.`}
      label="Groups"
      options={groups}
      isBusy={bulk.isBusy}
      onSubmit={(ids) => void add(ids)}
      onClose={onClose}
    />
  )
}
