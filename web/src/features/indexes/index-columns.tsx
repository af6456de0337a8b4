import type { IndexDetails, SortOrder } from '@portico/contract/indexes'
import { Badge, Progress } from '@mantine/core'
import IconTrash from '#icons/IconTrash'
import { formatDay, formatFileSize, formatNumber } from '#lib/formats.ts'
import { formatPercent } from '#domain/job-lists'
import type { Column } from '#ui/table/data-table.tsx'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { shownName } from './new-index-rules.ts'
import css from './indexes-page.module.css'

/** An index that the portal keeps is in no order. */
const orderText = (order: SortOrder | null, { isKept }: IndexDetails): string =>
  order === null || isKept ? '' : String(order)

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
  { key: 'sortOrder1', title: 'Sort Order 1', render: (index) => orderText(index.sortOrder1, index) },
  { key: 'fieldName2', title: 'Field Name 2', isSortable: true, render: ({ fieldName2 }) => fieldName2 ?? '' },
  { key: 'sortOrder2', title: 'Sort Order 2', render: (index) => orderText(index.sortOrder2, index) },
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
    render: (index) => <Uses index={index} />,
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

function Uses({ index: { uses, lastSearchedOn } }: { index: IndexDetails }) {
  return (
    <>
      {uses === null ? '–' : formatNumber(uses)}
      {lastSearchedOn !== null && <span className={css['last']}>last on {formatDay(lastSearchedOn)}</span>}
    </>
  )
}

function Name({ index: { name, isInternal, isKept } }: { index: IndexDetails }) {
  return (
    <span className={css['name']}>
      {shownName(name)}
      {isInternal && (
        <Badge color="gray" tt="none" miw="max-content">
          {isKept ? 'Kept by the portal' : 'internal'}
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
