import type { IndexDetails, SortOrder } from '@portico/contract/indexes'
import { Badge, Progress } from '@mantine/core'
import IconTrash from '#icons/IconTrash'
import { formatFileSize, formatNumber } from '#lib/formats.ts'
import { formatPercent } from '#domain/job-lists'
import type { Column } from '#ui/table/data-table.tsx'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { shownName } from './new-index-rules.ts'
import css from './indexes-page.module.css'

const orderText = (order: SortOrder | null): string => (order === null ? '' : String(order))

/** The value to sort a column by. */
export const sortValues: Record<string, (index: IndexDetails) => string | number> = {
  name: ({ name }) => shownName(name).toLowerCase(),
  fieldName1: ({ fieldName1 }) => fieldName1.toLowerCase(),
  fieldName2: ({ fieldName2 }) => (fieldName2 ?? '').toLowerCase(),
  sizeBytes: ({ sizeBytes }) => sizeBytes ?? -1,
  uses: ({ uses }) => uses ?? -1,
}

/** `onDelete` is null for those who may not delete. */
export const indexColumns = (onDelete: ((index: IndexDetails) => void) | null): Column<IndexDetails>[] => [
  { key: 'name', title: 'Name', isRowHeader: true, isSortable: true, render: (index) => <Name index={index} /> },
  { key: 'fieldName1', title: 'Field Name 1', isSortable: true, render: ({ fieldName1 }) => fieldName1 },
  { key: 'sortOrder1', title: 'Sort Order 1', render: ({ sortOrder1 }) => orderText(sortOrder1) },
  { key: 'fieldName2', title: 'Field Name 2', isSortable: true, render: ({ fieldName2 }) => fieldName2 ?? '' },
  { key: 'sortOrder2', title: 'Sort Order 2', render: ({ sortOrder2 }) => orderText(sortOrder2) },
  { key: 'unique', title: 'Is Unique?', render: ({ unique }) => (unique ? 'True' : 'False') },
  { key: 'state', title: 'State', comesEarly: true, render: (index) => <State index={index} /> },
  {
    key: 'sizeBytes',
    title: 'Size',
    align: 'right',
    isSortable: true,
    render: ({ sizeBytes }) => (sizeBytes === null ? '–' : formatFileSize(sizeBytes)),
  },
  {
    key: 'uses',
    title: 'Uses',
    align: 'right',
    isSortable: true,
    render: ({ uses }) => (uses === null ? '–' : formatNumber(uses)),
  },
  ...(onDelete ? [actionsOf(onDelete)] : []),
]

const actionsOf = (onDelete: (index: IndexDetails) => void): Column<IndexDetails> => ({
  key: 'actions',
  title: 'Actions',
  isPinned: true,
  width: 80,
  render: (index) =>
    // The portal's own cannot be deleted.
    !index.isInternal && (
      <RowButton
        label={`Delete ${shownName(index.name)}`}
        hint="Delete"
        Icon={IconTrash}
        color="red"
        reason={index.state === 'deleting' ? 'This index is being deleted.' : null}
        onClick={() => onDelete(index)}
      />
    ),
})

function Name({ index: { name, isInternal } }: { index: IndexDetails }) {
  return (
    <span className={css['name']}>
      {shownName(name)}
      {isInternal && (
        <Badge color="gray" tt="none" miw="max-content">
          internal
        </Badge>
      )}
    </span>
  )
}

/** Whether an index can be used; how far it is, or why it could not be built. */
function State({ index: { name, state, progress, reason } }: { index: IndexDetails }) {
  if (state === 'ready') return <StatusBadge status={state} />
  if (state === 'failed') {
    return (
      <div className={css['state']}>
        <StatusBadge status={state} />
        <span className={css['problem']}>{reason}</span>
      </div>
    )
  }
  return (
    <div className={css['state']}>
      <StatusBadge status={state} />
      {state === 'building' && (
        <Progress.Root size={4}>
          <Progress.Section
            value={progress === null ? 100 : Math.round(progress * 100)}
            animated={progress === null}
            striped={progress === null}
            aria-label={`Progress of ${shownName(name)}`}
            {...(progress === null && { 'aria-valuenow': undefined, 'aria-valuetext': 'working' })}
          />
        </Progress.Root>
      )}
      {progress !== null && formatPercent(progress)}
    </div>
  )
}
