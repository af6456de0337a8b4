import type { FieldEntry } from '@portico/contract/fields'
import { foldName } from '@portico/domain/names'
import { Badge, Group, Text } from '@mantine/core'
import IconEdit from '#icons/IconEdit'
import IconRestore from '#icons/IconRestore'
import IconTransform from '#icons/IconTransform'
import IconTrash from '#icons/IconTrash'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { ProgressLine } from '#ui/feedback/progress-line.tsx'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import type { Column } from '#ui/table/data-table.tsx'
import { formatText, typeChangeText, typeLabels } from './field-texts.ts'

/** The value that a column is sorted by. */
export const sortValues: Record<string, (field: FieldEntry) => string | number> = {
  name: ({ name }) => foldName(name),
  type: ({ type }) => typeLabels[type],
  filled: ({ filled }) => filled ?? -1,
  distinct: ({ distinct }) => distinct ?? -1,
  import: (field) => foldName(field.import?.name ?? ''),
  changedAt: ({ changedAt, createdAt }) => changedAt ?? createdAt,
}

/** The actions on a field; null for users who may not take them. */
export type FieldActs = Record<'onDelete' | 'onEdit' | 'onRestore' | 'onRetype', ((field: FieldEntry) => void) | null>

export const fieldColumns = (acts: FieldActs): Column<FieldEntry>[] => [
  { key: 'name', title: 'Name', isRowHeader: true, isSortable: true, render: (field) => <Name field={field} /> },
  { key: 'type', title: 'Type', isSortable: true, comesEarly: true, render: (field) => <Type field={field} /> },
  { key: 'format', title: 'Format', render: formatText },
  {
    key: 'filled',
    title: 'Filled (about)',
    align: 'right',
    isSortable: true,
    render: ({ filled }) => (filled === null ? '–' : shareText(filled)),
  },
  {
    key: 'distinct',
    title: 'Distinct Values (about)',
    align: 'right',
    isSortable: true,
    render: ({ distinct }) => (distinct === null ? '–' : formatNumber(distinct)),
  },
  { key: 'import', title: 'From Import', isSortable: true, render: (field) => field.import?.name ?? '–' },
  {
    key: 'changedAt',
    title: 'Last Changed',
    isSortable: true,
    render: ({ changedAt, createdAt }) => formatDate(changedAt ?? createdAt),
  },
  ...(Object.values(acts).some((act) => act !== null) ? [actionsOf(acts)] : []),
]

/** A share as a percentage: a partial share is never shown as 0 or 100. */
function shareText(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 1) return '< 1%'
  return `${percent < 100 ? Math.min(99, Math.round(percent)) : 100}%`
}

function Type({ field: { name, type, typeChange } }: { field: FieldEntry }) {
  if (!typeChange) return typeLabels[type]
  const isFailed = typeChange.status === 'rejected'
  return (
    <div>
      {typeLabels[type]}
      {isFailed ? (
        <Text size="xs" c="red" style={{ overflowWrap: 'anywhere' }}>
          {typeChangeText(typeChange)}
        </Text>
      ) : (
        <ProgressLine
          value={typeChange.progress}
          label={`Change of the type of ${name}`}
          text={typeChangeText(typeChange)}
        />
      )}
    </div>
  )
}

function Name({ field: { name, deleted } }: { field: FieldEntry }) {
  if (!deleted) return name
  return (
    <Group gap={6} wrap="nowrap" component="span">
      {name}
      <Badge
        color="gray"
        tt="none"
        miw="max-content"
        title={`By ${deleted.by}. It can be restored until ${formatDate(deleted.until)}.`}
      >
        deleted
      </Badge>
    </Group>
  )
}

const actionsOf = ({ onEdit, onDelete, onRestore, onRetype }: FieldActs): Column<FieldEntry> => ({
  key: 'actions',
  title: 'Actions',
  isPinned: true,
  width: 120,
  render: (field) => {
    const { name } = field
    if (field.deleted) {
      return (
        onRestore && (
          <RowButton label={`Restore ${name}`} hint="Restore" Icon={IconRestore} onClick={() => onRestore(field)} />
        )
      )
    }
    return (
      <Group gap={4} wrap="nowrap">
        {onEdit && <RowButton label={`Edit ${name}`} hint="Edit" Icon={IconEdit} onClick={() => onEdit(field)} />}
        {onRetype && (
          <RowButton
            label={`Change the type of ${name}`}
            hint="Change type"
            Icon={IconTransform}
            onClick={() => onRetype(field)}
          />
        )}
        {onDelete && (
          <RowButton
            label={`Delete ${name}`}
            hint="Delete"
            Icon={IconTrash}
            color="red"
            onClick={() => onDelete(field)}
          />
        )}
      </Group>
    )
  },
})
