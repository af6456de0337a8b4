import type { Export } from '@portico/contract/exports'
import { VisuallyHidden } from '@mantine/core'
import { formatDate } from '#lib/formats.ts'
import { isRunning, JobFigure, jobTiming, useSpeed } from '#domain/job-lists'
import type { Column } from '#ui/table/data-table.tsx'
import { StatusWithReason } from '#ui/feedback/status-with-reason.tsx'
import { ExportActions } from './export-actions.tsx'
import { progressShare, progressText, recordsFigure, workSample } from './export-progress.ts'

/** The columns of specification 3 §2.3; those that it names can be sorted, by the server. */
export const exportColumns: Column<Export>[] = [
  { key: 'name', title: 'Name', isRowHeader: true, isSortable: true, render: ({ name }) => name },
  { key: 'creationDate', title: 'Creation Date', render: ({ creationDate }) => formatDate(creationDate) },
  {
    key: 'status',
    title: 'Status',
    comesEarly: true,
    isSortable: true,
    render: ({ status, recoveryError }) => <StatusWithReason status={status} reason={recoveryError} />,
  },
  {
    key: 'processedRecords',
    title: 'Processed Records',
    align: 'right',
    isSortable: true,
    render: (item) => <ProcessedRecords item={item} />,
  },
  { key: 'startDate', title: 'Start Date', isSortable: true, render: ({ startDate }) => formatDate(startDate) },
  {
    key: 'lastActivityDate',
    title: 'Last Activity Date',
    isSortable: true,
    render: ({ lastActivityDate }) => formatDate(lastActivityDate),
  },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    width: 84,
    align: 'right',
    isPinned: true,
    render: (item) => <ExportActions item={item} />,
  },
]

export const sortableFields = exportColumns.filter(({ isSortable }) => isSortable).map(({ key }) => key)

function ProcessedRecords({ item }: { item: Export }) {
  const speed = useSpeed(workSample(item))
  const timing = jobTiming(item)
  const hints = timing
    ? [
        { term: 'Processing time', value: timing.time },
        { term: 'Speed', value: timing.speed },
      ]
    : []
  return (
    <JobFigure
      figure={recordsFigure(item)}
      hints={hints}
      progress={
        // A waiting export has nothing to show yet; its state says so.
        isRunning(item) && item.status !== 'waiting'
          ? { label: `Progress of ${item.name}`, share: progressShare(item), text: progressText(item, speed) }
          : null
      }
    />
  )
}
