import { type DeleteRecord, DeleteStatus } from '@portico/contract/deletes'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { Button, Select, Stack, Text, VisuallyHidden } from '@mantine/core'
import { type ComponentProps, useCallback, useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import IconSearch from '#icons/IconSearch'
import IconTrash from '#icons/IconTrash'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { useFields } from '#domain/fields'
import { filterFields, FilterSentence, filterSentence, useSavedFilters } from '#domain/filters'
import { formatPercent, JobFigure } from '#domain/job-lists'
import { searchPath } from '#domain/results'
import { formatCount, formatDate, formatNumber } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { FilteredCard } from '#ui/table/filtered-card.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { DeleteActions, hasActions } from './delete-actions.tsx'
import { RestoreOutcome } from './restore-outcome.tsx'
import { restoreText } from './restore-texts.ts'
import { statusStages, useDeleteCount, useDeletePage } from './deletes-queries.ts'
import css from './deletes-page.module.css'

/** The account's bulk deletes, with the progress of running ones. */
export function DeletesPage() {
  usePageTitle('Deletes')
  const table = useTableUrl()
  const { status, onStatus } = useStatusUrl()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  const { fields, nameOf } = useFilterNames()
  const inWords = useCallback(
    ({ filter, mergedInto }: DeleteRecord) => {
      const sentence = fields ? filterSentence(parsePipeline(filter), fields, nameOf) : ''
      // It goes on after the last words of the sentence.
      return mergedInto === null ? sentence : `${sentence.replace(/\.$/, '')}, merged into contact ${mergedInto}`
    },
    [fields, nameOf],
  )
  const listed = useMemo(() => columnsOf(inWords), [inWords])
  const canUndo = useCan('contact-offers-delete')
  const find = useMemo(() => statusStages(status), [status])
  // The address may name a column that cannot be sorted by.
  const sort = listed.some(({ key, isSortable }) => isSortable && key === table.sort?.field) ? table.sort : null
  const page = useDeletePage({ find, sort, page: table.page, pageSize: table.pageSize })
  const count = useDeleteCount(status)
  const problem = page.error ?? count.error
  const retry = (): void => {
    void page.refetch()
    void count.refetch()
  }
  const clear = (): void => onStatus(null)
  const columns = canUndo ? [...listed, actionsOf(page.data)] : listed
  return (
    <>
      <PageHeader
        title="Deletes"
        description={count.data === undefined ? ' ' : formatCount(count.data, 'delete') + (status ? ' found' : '')}
      />
      <FilteredCard
        filters={
          <Select
            aria-label="Status"
            placeholder="Status"
            w={200}
            data={DeleteStatus.options}
            value={status}
            // The options are the statuses.
            onChange={(next) => onStatus(next as DeleteStatus | null)}
            clearable
            clearButtonProps={{ 'aria-label': 'All statuses' }}
          />
        }
        filterCount={Number(status !== null)}
        onClear={status ? clear : undefined}
        isDense={isDense}
        onDenseChange={setDense}
      >
        <DataTable<DeleteRecord>
          label="Deletes"
          columns={columns}
          records={page.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ _id }) => `delete ${_id}`}
          {...table}
          sort={sort}
          expansion={(record) =>
            fields && (
              <DeleteDetails record={record} stages={parsePipeline(record.filter)} fields={fields} nameOf={nameOf} />
            )
          }
          allowsManyOpen={!singleExpand}
          isStale={page.isPlaceholderData}
          isDense={isDense}
          empty={status ? <NoMatch icon={<IconTrash size={22} />} nouns="deletes" onClear={clear} /> : <NoDeletes />}
          failure={problem ? <FailureState message={messageOf(problem)} onRetry={retry} /> : undefined}
        />
      </FilteredCard>
    </>
  )
}

/** The status in the address; changing it returns to the first page. */
function useStatusUrl() {
  const [params, setParams] = useSearchParams()
  const status = DeleteStatus.safeParse(params.get('status')).data ?? null
  const onStatus = (next: DeleteStatus | null): void =>
    setParams(
      (now) => {
        const changed = new URLSearchParams(now)
        changed.delete('page')
        if (next) changed.set('status', next)
        else changed.delete('status')
        return changed
      },
      { replace: true },
    )
  return { status, onStatus }
}

/** The account's fields, once loaded, and the names of its saved filters by id. */
function useFilterNames() {
  const { data: fields } = useFields()
  const { data: saved } = useSavedFilters()
  return useMemo(() => {
    const names = new Map((saved ?? []).map(({ _id, name }) => [_id, name]))
    return { fields: fields && filterFields(fields), nameOf: (id: string) => names.get(id) }
  }, [fields, saved])
}

function columnsOf(inWords: (record: DeleteRecord) => string): Column<DeleteRecord>[] {
  return [
    { key: '_id', title: 'ID', isSortable: true, isRowHeader: true, render: ({ _id }) => _id },
    { key: 'filter', title: 'Filter', render: (record) => <span className={css['filter']}>{inWords(record)}</span> },
    {
      key: 'deletedRecords',
      title: 'Count',
      isSortable: true,
      align: 'right',
      render: (record) => <Count record={record} />,
    },
    { key: 'creator', title: 'Creator', isSortable: true, render: ({ creator }) => creator },
    {
      key: 'creationDate',
      title: 'Date',
      isSortable: true,
      render: ({ creationDate }) => formatDate(creationDate),
    },
    {
      key: 'status',
      title: 'Status',
      isSortable: true,
      comesEarly: true,
      render: ({ status }) => <StatusBadge status={status} />,
    },
    { key: 'restore', title: 'Undo', render: (record) => restoreText(record) ?? <span aria-label="none">–</span> },
  ]
}

/** The actions of the rows, pinned if a row has any. */
const actionsOf = (records: DeleteRecord[] = []): Column<DeleteRecord> => ({
  key: 'actions',
  title: <VisuallyHidden>Actions</VisuallyHidden>,
  width: 52,
  isPinned: records.some(hasActions),
  render: (record) => <DeleteActions record={record} />,
})

function Count({ record: { _id, status, deletedRecords, processedRecords } }: { record: DeleteRecord }) {
  const share = deletedRecords === 0 ? 1 : processedRecords / deletedRecords
  // After the last contact, the delete still removes data that others wrote meanwhile.
  const text = share < 1 ? `${formatPercent(share)} deleted` : 'Finishing'
  return (
    <JobFigure
      figure={formatNumber(deletedRecords)}
      hints={[]}
      progress={status === 'processing' ? { label: `Progress of delete ${_id}`, share, text } : null}
    />
  )
}

/**
 * The expanded row of a delete: why it was rejected, the progress of undoing it, its filter, and a link to a search
 * with it.
 */
function DeleteDetails({ record, ...props }: ComponentProps<typeof FilterSentence> & { record: DeleteRecord }) {
  const { reason, processedRecords, deletedRecords } = record
  return (
    <Stack gap="xs" align="flex-start">
      {reason !== null && (
        <Text size="sm">
          {reason} {formatNumber(processedRecords)} of {formatCount(deletedRecords, 'contact')} had been deleted before.
        </Text>
      )}
      <RestoreOutcome record={record} />
      <FilterSentence {...props} />
      <Button
        component={Link}
        to={searchPath(props.stages)}
        variant="default"
        size="compact-sm"
        leftSection={<IconSearch size={14} aria-hidden />}
      >
        Search with this filter
      </Button>
    </Stack>
  )
}

function NoDeletes() {
  return (
    <EmptyState icon={<IconTrash size={22} />} title="No deletes are available.">
      Contacts deleted in Search & Analyze appear here.
    </EmptyState>
  )
}
