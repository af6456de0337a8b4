import type { SegmentEntry } from '@portico/contract/segments'
import { foldName } from '@portico/domain/names'
import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import IconUsersGroup from '#icons/IconUsersGroup'
import { DeleteFilterDialog, SaveFilterDialog } from '#domain/filters'
import { messageOf } from '#lib/api/api-error.ts'
import type { Sort } from '#lib/api/lists.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useAccount, useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { notifyError } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { DataTable } from '#ui/table/data-table.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { segmentColumns, sortValues } from './segment-columns.tsx'
import { warningOf } from './segment-texts.ts'
import { useMarkFavourite, useReloadSegments, useSegments } from './segments-queries.ts'

/** Segments: the saved filters of the account, with the people whom each finds. */
export function SegmentsPage() {
  usePageTitle('Segments')
  const table = useTableUrl()
  const segments = useSegments()
  const reload = useReloadSegments()
  const account = useAccount()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [search, setSearch] = useState('')
  const [edited, setEdited] = useState<SegmentEntry | null>(null)
  const [doomed, setDoomed] = useState<SegmentEntry | null>(null)
  const columns = useColumns(segments.data, { onEdit: setEdited, onDelete: setDoomed })
  const sort = table.sort && table.sort.field in sortValues ? table.sort : null
  const found = useMemo(() => sortedBy(matching(segments.data, search), sort), [segments.data, search, sort])
  const first = (table.page - 1) * table.pageSize
  const changeSearch = (text: string): void => {
    setSearch(text)
    table.onPageChange(1)
  }
  return (
    <>
      <PageHeader title="Segments" description={segments.data ? describe(segments.data, found) : ' '} />
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={
          <SearchBox
            label="Search segments by name or creator"
            placeholder="Search segments..."
            value={search}
            onSearch={changeSearch}
          />
        }
      >
        <DataTable<SegmentEntry>
          label="Segments"
          columns={columns}
          records={found?.slice(first, first + table.pageSize)}
          total={found?.length}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ name }) => name}
          {...table}
          sort={sort}
          isDense={isDense}
          empty={search === '' ? <NoSegments /> : <NoneFound onClear={() => changeSearch('')} />}
          failure={
            segments.error ? (
              <FailureState message={messageOf(segments.error)} onRetry={() => void segments.refetch()} />
            ) : undefined
          }
        />
      </TableCard>
      {edited && (
        <SaveFilterDialog
          saved={edited}
          query=""
          account={account.name}
          onSaved={() => undefined}
          onClose={() => setEdited(null)}
        />
      )}
      {doomed && (
        <DeleteFilterDialog
          entry={doomed}
          warning={warningOf(doomed)}
          onDeleted={reload}
          onClose={() => setDoomed(null)}
        />
      )}
    </>
  )
}

type Choices = Record<'onEdit' | 'onDelete', (segment: SegmentEntry) => void>

function useColumns(segments: SegmentEntry[] | undefined, { onEdit, onDelete }: Choices) {
  const canEdit = useCan('contact-rdls-update')
  const canDelete = useCan('contact-rdls-delete')
  const canSearch = useCan('contact-offers-list')
  const { mutate: mark } = useMarkFavourite()
  const hasCounts = segments?.some(({ nights }) => nights !== null) ?? false
  return useMemo(() => {
    const onMark = ({ _id, isFavourite }: SegmentEntry): void =>
      mark({ _id, isFavourite: !isFavourite }, { onError: (error) => notifyError(messageOf(error)) })
    const acts = { onEdit: canEdit ? onEdit : null, onDelete: canDelete ? onDelete : null, onMark, canSearch }
    return segmentColumns(acts, hasCounts)
  }, [canEdit, canDelete, canSearch, hasCounts, mark, onEdit, onDelete])
}

function NoSegments() {
  const canSearch = useCan('contact-offers-list')
  return (
    <EmptyState
      icon={<IconUsersGroup size={22} />}
      title="No segments yet. Save a search as a predefined filter."
      action={
        canSearch && (
          <Button component={Link} to={paths.contacts()} variant="default">
            Search & Analyze
          </Button>
        )
      }
    />
  )
}

const NoneFound = ({ onClear }: { onClear: () => void }) => (
  <NoMatch icon={<IconUsersGroup size={22} />} nouns="segments" onClear={onClear} />
)

function describe(all: readonly SegmentEntry[], found: readonly SegmentEntry[] | undefined): string {
  const count = formatCount(all.length, 'segment')
  return found && found.length < all.length ? `${found.length} of ${count}` : count
}

function matching(segments: SegmentEntry[] | undefined, search: string): SegmentEntry[] | undefined {
  const text = foldName(search)
  return segments?.filter(({ name, creator }) => [name, creator ?? ''].some((each) => foldName(each).includes(text)))
}

/** The whole list is in the browser, so it is sorted here: by default favorites first, each by name. */
function sortedBy(segments: SegmentEntry[] | undefined, sort: Sort | null): SegmentEntry[] | undefined {
  const valueOf = sort && sortValues[sort.field]
  if (!valueOf) return segments?.toSorted((one, other) => Number(other.isFavourite) - Number(one.isFavourite))
  const sign = sort.direction === 'asc' ? 1 : -1
  return segments?.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)]
    return a === b ? 0 : a < b ? -sign : sign
  })
}
