import { Group, VisuallyHidden } from '@mantine/core'
import IconPencil from '#icons/IconPencil'
import IconTrash from '#icons/IconTrash'
import type { Column } from '#ui/table/data-table.tsx'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'

export type RowActions<T> = { onEdit: (record: T) => void; onDelete: (record: T) => void }

type Reasons<T> = {
  /** Why a record cannot be changed; null if it can. */
  lockReason?: (record: T) => string | null
  /** Why a record cannot be deleted; null if it can. */
  keepReason: (record: T) => string | null
}

/** The last column of a table whose rows have edit and delete buttons. */
export function editColumn<T extends { name: string }>(
  actions: RowActions<T>,
  { lockReason = () => null, keepReason }: Reasons<T>,
): Column<T> {
  return {
    key: 'buttons',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 76,
    isPinned: true,
    render: (record) => (
      <Group gap={4} wrap="nowrap" justify="flex-end">
        <RowButton
          label={`Edit ${record.name}`}
          hint="Edit"
          Icon={IconPencil}
          reason={lockReason(record)}
          onClick={() => actions.onEdit(record)}
        />
        <RowButton
          label={`Delete ${record.name}`}
          hint="Delete"
          Icon={IconTrash}
          color="red"
          reason={keepReason(record)}
          onClick={() => actions.onDelete(record)}
        />
      </Group>
    ),
  }
}
