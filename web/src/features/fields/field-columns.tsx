import type { FieldEntry } from '@portico/contract/fields'
import { foldName } from '@portico/domain/names'
import IconEdit from '#icons/IconEdit'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import type { Column } from '#ui/table/data-table.tsx'
import { formatText, typeLabels } from './field-texts.ts'

/** The value to sort a column by. */
export const sortValues: Record<string, (field: FieldEntry) => string | number> = {
  name: ({ name }) => foldName(name),
  type: ({ type }) => typeLabels[type],
  filled: ({ filled }) => filled ?? -1,
  distinct: ({ distinct }) => distinct ?? -1,
  import: (field) => foldName(field.import?.name ?? ''),
  changedAt: ({ changedAt, createdAt }) => changedAt ?? createdAt,
}

/** `onEdit` is null for those who may not change fields. */
export const fieldColumns = (onEdit: ((field: FieldEntry) => void) | null): Column<FieldEntry>[] => [
  { key: 'name', title: 'Name', isRowHeader: true, isSortable: true, render: ({ name }) => name },
  { key: 'type', title: 'Type', isSortable: true, comesEarly: true, render: ({ type }) => typeLabels[type] },
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
  ...(onEdit ? [actionsOf(onEdit)] : []),
]

/** A share as a percentage: neither all nor none is said of a part. */
function shareText(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 1) return '< 1%'
  return `${percent < 100 ? Math.min(99, Math.round(percent)) : 100}%`
}

const actionsOf = (onEdit: (field: FieldEntry) => void): Column<FieldEntry> => ({
  key: 'actions',
  title: 'Actions',
  isPinned: true,
  width: 80,
  render: (field) => (
    <RowButton label={`Edit ${field.name}`} hint="Edit" Icon={IconEdit} onClick={() => onEdit(field)} />
  ),
})
