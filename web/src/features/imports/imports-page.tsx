import type { Import } from '@portico/contract/imports'
import { Button } from '@mantine/core'
import IconDatabaseImport from '#icons/IconDatabaseImport'
import IconPlus from '#icons/IconPlus'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { JobListHeader, useLoadedAt } from '#domain/job-lists'
import { useNewForm } from '#lib/open-new.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { useLoadWhenIdle } from '#ui/page/load-when-idle.ts'
import { DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { FilteredCard } from './filtered-card.tsx'
import { useRights } from './import-actions.tsx'
import { columnsOf } from './import-columns.tsx'
import { ImportDetails } from './import-details.tsx'
import { useImportFilter } from './import-filter.ts'
import { useImportCount, useImportPage } from './imports-queries.ts'
import { NewImportDialog, openedParts } from './on-demand.ts'

/** The account's imports, finished and running, and the button for a new one. */
export function ImportsPage() {
  usePageTitle('Imports')
  const table = useTableUrl()
  const filter = useImportFilter()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  const canCreate = useCan('contact-imports-create')
  const rights = useRights()
  const [isAdding, adding] = useNewForm()

  const input = { find: filter.find, page: table.page, pageSize: table.pageSize }
  const page = useImportPage(input)
  const count = useImportCount(filter.find)
  const list = useLoadedAt(page, input)

  const problem = page.error ?? count.error
  useLoadWhenIdle(openedParts, page.isSuccess || problem !== null)
  return (
    <>
      <JobListHeader title="Imports" noun="import" count={count} isFiltered={filter.isActive} list={list}>
        {canCreate && (
          <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={adding.open}>
            NEW IMPORT
          </Button>
        )}
      </JobListHeader>
      <FilteredCard filter={filter} isDense={isDense} onDenseChange={setDense}>
        <DataTable<Import>
          label="Imports"
          columns={columnsOf(rights, page.data)}
          records={page.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ name }) => name}
          page={table.page}
          pageSize={table.pageSize}
          pageSizes={table.pageSizes}
          onPageChange={table.onPageChange}
          onPageSizeChange={table.onPageSizeChange}
          expansion={(item) => <ImportDetails item={item} />}
          allowsManyOpen={!singleExpand}
          openAtFirst={filter.only}
          isStale={page.isPlaceholderData}
          isDense={isDense}
          empty={
            filter.isActive ? (
              <NoMatch icon={<IconDatabaseImport size={22} />} nouns="imports" onClear={filter.clear} />
            ) : (
              <NoImports onAdd={canCreate ? adding.open : null} />
            )
          }
          failure={
            problem ? (
              <FailureState message={messageOf(problem)} onRetry={() => void list.refresh(count.refetch)} />
            ) : undefined
          }
        />
      </FilteredCard>
      {isAdding && canCreate && <NewImportDialog shown={page.data ?? []} onClose={adding.close} />}
    </>
  )
}

function NoImports({ onAdd }: { onAdd: (() => void) | null }) {
  return (
    <EmptyState
      icon={<IconDatabaseImport size={22} />}
      title="No imports are available."
      action={onAdd && <Button onClick={onAdd}>Import a file</Button>}
    >
      Import contacts from an Excel workbook (.xlsx), or a .csv or .txt file, also in .zip or .gz.
    </EmptyState>
  )
}
