import type { Policy } from '@portico/contract/policies'
import { Badge, Group } from '@mantine/core'
import type { Column } from '#ui/table/data-table.tsx'
import { editColumn, levelOf, type RowActions } from '#domain/access'
import { serviceLabel } from './service-labels.ts'

/** Name of a policy, with the service of its prefix. */
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

/** Why a policy cannot be deleted; null if it can. */
export function policyKeepReason({ canBeDeleted, groups }: Policy): string | null {
  if (canBeDeleted) return null
  return groups.length > 0 ? `Used by ${groups.join(', ')}.` : 'This policy is in use and cannot be deleted.'
}

/** Columns of the policies, with buttons for users who may change policies. */
export function policyColumns(actions: RowActions<Policy> | null): Column<Policy>[] {
  const columns: Column<Policy>[] = [
    { key: 'name', title: 'Name', isRowHeader: true, render: ({ name }) => <PolicyName name={name} /> },
    { key: 'actions', title: 'Actions', align: 'right', render: (policy) => policy.actions.length },
    { key: 'conditions', title: 'Conditions', align: 'right', render: ({ conditions }) => conditions.length },
    { key: 'groups', title: 'Groups', align: 'right', render: ({ groups }) => groups.length },
    { key: 'level', title: 'Level', render: ({ ownerPaid }) => levelOf(ownerPaid) },
    { key: 'isAdmin', title: 'Is Admin', render: ({ isAdmin }) => (isAdmin ? 'Yes' : 'No') },
  ]
  if (!actions) return columns
  return [...columns, editColumn(actions, { keepReason: policyKeepReason })]
}
