import type { Group } from '@portico/contract/policies'
import type { Column } from '#ui/table/data-table.tsx'
import { editColumn, isEveryone, levelOf, type RowActions, RowNames } from '#domain/access'

const ofAccount = 'Account groups are managed by the operator.'

/** Why a group cannot be changed; null if it can. */
const groupLockReason = ({ ownerPaid }: Group): string | null => (ownerPaid === '*' ? null : ofAccount)

/** Why a group cannot be deleted; null if it can. */
export function groupKeepReason(group: Group): string | null {
  if (group.canBeDeleted) return null
  if (isEveryone(group)) return 'Everyone belongs to this group.'
  return groupLockReason(group) ?? 'Identities belong to this group, so it cannot be deleted.'
}

/** Columns of the groups, with buttons for users who may change groups. */
export function groupColumns(actions: RowActions<Group> | null): Column<Group>[] {
  const columns: Column<Group>[] = [
    { key: 'name', title: 'Name', isRowHeader: true, render: ({ name }) => name },
    {
      key: 'policies',
      title: 'Associated Policies',
      render: ({ policies }) => <RowNames names={policies.map(({ name }) => name)} />,
    },
    { key: 'level', title: 'Level', render: ({ ownerPaid }) => levelOf(ownerPaid) },
    { key: 'isAdmin', title: 'Is Admin', render: ({ isAdmin }) => (isAdmin ? 'Yes' : 'No') },
  ]
  if (!actions) return columns
  return [...columns, editColumn(actions, { lockReason: groupLockReason, keepReason: groupKeepReason })]
}
