import type { Import } from '@portico/contract/imports'
import { Badge, Group, VisuallyHidden } from '@mantine/core'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { isRunning, JobFigure, jobTiming, useSpeed } from '#domain/job-lists'
import type { Column } from '#ui/table/data-table.tsx'
import { ExplainedTerm } from '#ui/feedback/explained-term.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { StatusWithReason } from '#ui/feedback/status-with-reason.tsx'
import { figureMeanings } from './figure-meanings.ts'
import { hasActions, ImportActions, type Rights } from './import-actions.tsx'
import { undoText } from './undo-texts.ts'
import { progressShare, progressText, recordsFigure, setAsideText, workSample } from './import-progress.ts'

/** The columns of specification 3 §2.1. */
const importColumns: Column<Import>[] = [
  { key: 'name', title: 'Name', isRowHeader: true, render: ({ name }) => name },
  { key: 'creationDate', title: 'Creation', render: ({ creationDate }) => formatDate(creationDate) },
  {
    key: 'status',
    title: 'Status',
    comesEarly: true,
    render: (item) => <StatusCell item={item} />,
  },
  {
    key: 'processedRecords',
    title: <ExplainedTerm term="Processed Records" meaning={figureMeanings('contacts').processed} />,
    align: 'right',
    render: (item) => <ProcessedRecords item={item} />,
  },
  { key: 'startDate', title: 'Start', render: ({ startDate }) => formatDate(startDate) },
  { key: 'lastActivityDate', title: 'Last Activity', render: ({ lastActivityDate }) => formatDate(lastActivityDate) },
  {
    key: 'purlStatus',
    title: 'PURL Status',
    render: ({ purlStatus }) => (purlStatus ? <StatusBadge status={purlStatus} /> : <span aria-label="none">–</span>),
  },
  {
    key: 'purlProcessedRecords',
    title: <ExplainedTerm term="PURL Processed Records" meaning={figureMeanings('contacts').purls} />,
    align: 'right',
    render: (item) => <PurlRecords item={item} />,
  },
  {
    key: 'purlLastActivityDate',
    title: 'PURL Last Activity',
    render: ({ purlLastActivityDate }) => formatDate(purlLastActivityDate),
  },
]

/** The columns and the actions of the rows, pinned if a row has any. */
export const columnsOf = (rights: Rights, imports: Import[] = []): Column<Import>[] => [
  ...importColumns,
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    width: 52,
    isPinned: imports.some((item) => hasActions(item, rights)),
    render: (item) => <ImportActions item={item} rights={rights} />,
  },
]

function StatusCell({ item }: { item: Import }) {
  const undone = undoText(item)
  return (
    <Group gap={6} wrap="nowrap">
      <StatusWithReason status={item.status} reason={item.recoveryError} />
      {undone && (
        <Badge color={item.undo?.status === 'rejected' ? 'red' : 'gray'} variant="light" tt="none" miw="max-content">
          {undone}
        </Badge>
      )}
    </Group>
  )
}

function ProcessedRecords({ item }: { item: Import }) {
  const speed = useSpeed(workSample(item))
  return (
    <>
      <JobFigure
        figure={recordsFigure(item)}
        hints={timingHints(jobTiming(item))}
        progress={
          // A waiting import has nothing to show yet; its state says so.
          isRunning(item) && item.status !== 'waiting'
            ? { label: `Progress of ${item.name}`, share: progressShare(item), text: progressText(item, speed) }
            : null
        }
      />
      <SetAsideBadge item={item} />
    </>
  )
}

function SetAsideBadge({ item }: { item: Import }) {
  const text = setAsideText(item)
  return (
    text && (
      <Badge color="orange" variant="light" mt={2} tt="none" miw="max-content">
        {text}
      </Badge>
    )
  )
}

function PurlRecords({ item }: { item: Import }) {
  if (!item.generatePURL) return <span aria-label="none">–</span>
  const timing = jobTiming({
    status: item.status,
    processedRecords: item.purlProcessedRecords,
    startDate: item.purlStartDate,
    lastActivityDate: item.purlLastActivityDate,
  })
  return <JobFigure figure={formatNumber(item.purlProcessedRecords)} hints={timingHints(timing)} />
}

const timingHints = (timing: ReturnType<typeof jobTiming>) =>
  timing
    ? [
        { term: 'Processing time', value: timing.time },
        { term: 'Speed', value: timing.speed },
      ]
    : []
