import type { IndexDetails } from '@portico/contract/indexes'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import IconBinaryTree from '#icons/IconBinaryTree'
import IconPlus from '#icons/IconPlus'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { useFields } from '#domain/fields'
import { useLoadedAt } from '#domain/job-lists'
import { formatCount } from '#lib/formats.ts'
import type { Sort } from '#lib/api/lists.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { RefreshButton } from '#ui/table/refresh-button.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { indexColumns, sortValues } from './index-columns.tsx'
import { useDeleteIndex, useIndexes } from './indexes-queries.ts'
import { NewIndexDialog } from './new-index-dialog.tsx'
import { shownName } from './new-index-rules.ts'

const lockSeconds = 60

/** By what contacts are found without reading all of them: the account's indexes, and the portal's own. */
export function IndexesPage() {
  usePageTitle('Indexes')
  const table = useTableUrl()
  const indexes = useIndexes()
  const canCreate = useCan('contact-indexes-create')
  const canDelete = useCan('contact-indexes-delete')
  const canSeeFields = useCan('contact-offers-list')
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [doomed, setDoomed] = useState<IndexDetails | null>(null)
  const { loadedAt, isRefreshing, refresh } = useLoadedAt(indexes, 'indexes')
  const columns = useMemo(() => indexColumns(canDelete ? setDoomed : null), [canDelete])
  const sort = table.sort && table.sort.field in sortValues ? table.sort : null
  const sorted = useMemo(() => sortedBy(indexes.data, sort), [indexes.data, sort])
  const first = (table.page - 1) * table.pageSize
  return (
    <>
      <PageHeader
        title="Indexes"
        description={indexes.data ? formatCount(indexes.data.length, 'index', 'indexes') : ' '}
        actions={
          <>
            <RefreshButton
              onRefresh={() => void refresh()}
              loadedAt={loadedAt}
              lockSeconds={lockSeconds}
              isLoading={isRefreshing}
            />
            {canCreate && (canSeeFields ? <NewIndex indexes={indexes.data} /> : <NoFieldsButton />)}
          </>
        }
      />
      <TableCard isDense={isDense} onDenseChange={setDense}>
        <DataTable<IndexDetails>
          label="Indexes"
          columns={columns}
          records={sorted?.slice(first, first + table.pageSize)}
          total={sorted?.length}
          getRecordId={({ name }) => name}
          getRecordLabel={({ name }) => shownName(name)}
          {...table}
          sort={sort}
          isDense={isDense}
          empty={<EmptyState icon={<IconBinaryTree size={22} />} title="No indexes are available." />}
          failure={
            indexes.error ? (
              <FailureState message={messageOf(indexes.error)} onRetry={() => void refresh()} />
            ) : undefined
          }
        />
      </TableCard>
      <DeleteDialog index={doomed} onClose={() => setDoomed(null)} />
    </>
  )
}

const NoFieldsButton = () => (
  <ReasonedButton
    label="NEW INDEX"
    Icon={IconPlus}
    reason="An index is made of fields of contacts, and seeing these needs the feature contact-offers-list. Contact your admin to see how you can get this feature."
    onClick={() => {}}
  />
)

/** NEW INDEX with its dialog; `indexes` are undefined until they are there. */
function NewIndex({ indexes }: { indexes: IndexDetails[] | undefined }) {
  const fields = useFields()
  const [isAdding, adding] = useDisclosure(false)
  const obstacle = fields.error
    ? `The fields could not be loaded. ${messageOf(fields.error)}`
    : fields.data?.length === 0
      ? 'There is nothing to index yet: contacts come in by importing a file.'
      : null
  if (obstacle !== null) {
    return <ReasonedButton label="NEW INDEX" Icon={IconPlus} reason={obstacle} onClick={adding.open} />
  }
  return (
    <>
      <Button
        leftSection={<IconPlus size={15} aria-hidden />}
        disabled={fields.data === undefined || indexes === undefined}
        onClick={adding.open}
      >
        NEW INDEX
      </Button>
      {isAdding && fields.data && indexes && (
        <NewIndexDialog fields={fields.data} indexes={indexes} onClose={adding.close} />
      )}
    </>
  )
}

/** The whole list is here, so it is sorted here: unless asked otherwise those of the account first, the newest on top. */
function sortedBy(indexes: IndexDetails[] | undefined, sort: Sort | null): IndexDetails[] | undefined {
  const valueOf = sort && sortValues[sort.field]
  if (!indexes || !valueOf) return indexes?.toSorted(byAge)
  const sign = sort.direction === 'asc' ? 1 : -1
  return indexes.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)]
    return a === b ? 0 : a < b ? -sign : sign
  })
}

function byAge(one: IndexDetails, other: IndexDetails): number {
  if (one.isInternal !== other.isInternal) return one.isInternal ? 1 : -1
  return (other.createdAt ?? '').localeCompare(one.createdAt ?? '')
}

function DeleteDialog({ index, onClose }: { index: IndexDetails | null; onClose: () => void }) {
  const remove = useDeleteIndex()
  // While it fades out it goes on asking what it asked.
  const [asked, setAsked] = useState('')
  const name = index ? shownName(index.name) : asked
  if (name !== asked) setAsked(name)
  return (
    <ConfirmDialog
      isOpen={index !== null}
      title="Delete index"
      question={`Are you sure to delete '${name}' index?`}
      confirmLabel="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        index &&
        remove.mutate(index.name, {
          onSuccess: () => notifyDone(`'${name}' index is being deleted...`),
          onError: (error) => notifyError(messageOf(error)),
          onSettled: onClose,
        })
      }
    />
  )
}
