import type { Policy } from '@portico/contract/policies'
import { Badge, Group } from '@mantine/core'
import IconPencil from '#icons/IconPencil'
import IconTrash from '#icons/IconTrash'
import { VisuallyHidden } from '@mantine/core'
import type { Column } from '#ui/data-table.tsx'
import { RowButton } from '#ui/reasoned-button.tsx'
import { levelOf } from './level.ts'
import { serviceLabel } from './service-labels.ts'

/** Name of a policy, with the service that its prefix stands for. */
function PolicyName({ name }: { name: string }) {
  const service = serviceLabel(name)
  return (
    <Group component="span" gap={8} wrap="nowrap" display="inline-flex">
      {name}
      {service && (
        <Badge size="sm" color="blue" tt="none" miw="max-content">
          {service}
        </Badge>
      )}
    </Group>
  )
}

/** Why a policy cannot be deleted; null when it can. */
export function policyKeepReason({ canBeDeleted, groups }: Policy): string | null {
  if (canBeDeleted) return null
  return groups.length > 0 ? `Used by ${groups.join(', ')}.` : 'This policy is in use and cannot be deleted.'
}

type RowActions = { onEdit: (policy: Policy) => void; onDelete: (policy: Policy) => void }

/** The columns of the policies; the buttons are for whom may change policies. */
export function policyColumns(actions: RowActions | null): Column<Policy>[] {
  const columns: Column<Policy>[] = [
    { key: 'name', title: 'Name', isRowHeader: true, render: ({ name }) => <PolicyName name={name} /> },
    { key: 'actions', title: 'Actions', align: 'right', render: (policy) => policy.actions.length },
    { key: 'conditions', title: 'Conditions', align: 'right', render: ({ conditions }) => conditions.length },
    { key: 'groups', title: 'Groups', align: 'right', render: ({ groups }) => groups.length },
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
      render: (policy) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <RowButton
            label={`Edit ${policy.name}`}
            hint="Edit"
            Icon={IconPencil}
            onClick={() => actions.onEdit(policy)}
          />
          <RowButton
            label={`Delete ${policy.name}`}
            hint="Delete"
            Icon={IconTrash}
            color="red"
            reason={policyKeepReason(policy)}
            onClick={() => actions.onDelete(policy)}
          />
        </Group>
      ),
    },
  ]
}
