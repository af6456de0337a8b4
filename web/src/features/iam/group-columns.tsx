import type { Group } from '@portico/contract/policies'
import { Group as Row, VisuallyHidden } from '@mantine/core'
import IconPencil from '#icons/IconPencil'
import IconTrash from '#icons/IconTrash'
import type { Column } from '#ui/data-table.tsx'
import { RowButton } from '#ui/reasoned-button.tsx'
import { levelOf } from './level.ts'
import { isEveryone } from './everyone.ts'
import { RowNames } from './row-names.tsx'

const ofAccount = 'Groups of an account are made and changed by the operator.'

/** Why a group cannot be changed; null when it can. */
const groupLockReason = ({ ownerPaid }: Group): string | null => (ownerPaid === '*' ? null : ofAccount)

/** Why a group cannot be deleted; null when it can. */
export function groupKeepReason(group: Group): string | null {
  if (group.canBeDeleted) return null
  if (isEveryone(group)) return 'Everybody belongs to this group.'
  return groupLockReason(group) ?? 'Identities belong to this group, so it cannot be deleted.'
}

type RowActions = { onEdit: (group: Group) => void; onDelete: (group: Group) => void }

/** The columns of the groups; the buttons are for whom may change groups. */
export function groupColumns(actions: RowActions | null): Column<Group>[] {
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
  return [
    ...columns,
    {
      key: 'buttons',
      title: <VisuallyHidden>What can be done</VisuallyHidden>,
      align: 'right',
      width: 76,
      isPinned: true,
      render: (group) => (
        <Row gap={4} wrap="nowrap" justify="flex-end">
          <RowButton
            label={`Edit ${group.name}`}
            hint="Edit"
            Icon={IconPencil}
            reason={groupLockReason(group)}
            onClick={() => actions.onEdit(group)}
          />
          <RowButton
            label={`Delete ${group.name}`}
            hint="Delete"
            Icon={IconTrash}
            color="red"
            reason={groupKeepReason(group)}
            onClick={() => actions.onDelete(group)}
          />
        </Row>
      ),
    },
  ]
}
