import { contactsApi } from '@portico/contract/contacts'
import type { Export } from '@portico/contract/exports'
import { Button, Tooltip } from '@mantine/core'
import IconDatabaseExport from '#icons/IconDatabaseExport'
import IconCalendarEvent from '#icons/IconCalendarEvent'
import IconPlus from '#icons/IconPlus'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { useFields } from '#domain/fields'
import { JobListHeader, useJobFilter, useLiveList, useLoadedAt } from '#domain/job-lists'
import { ManageDialog, useManagedSchedules, useScheduling } from '#domain/scheduler'
import { useNewForm } from '#lib/open-new.ts'
import { askForFeature, useMayCall } from '#lib/session/may-call.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { useLoadWhenIdle } from '#ui/page/load-when-idle.ts'
import { DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { FilteredCard } from '#ui/table/filtered-card.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { StatusSelect } from '#ui/form/status-select.tsx'
import { exportColumns, sortableFields } from './export-columns.tsx'
import { ExportDetails } from './export-details.tsx'
import { useExportCount, useExportPage } from './exports-queries.ts'
import { NewExportDialog, openedParts } from './on-demand.ts'

/** The account's exports, finished and running, and the button for a new one. */
export function ExportsPage() {
  usePageTitle('Exports')
  const table = useTableUrl()
  const filter = useJobFilter()
  const fields = useFields()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [isAdding, adding] = useNewForm()
  const [isManaging, setManaging] = useManagedSchedules()
  const { whyNotManage } = useScheduling()

  // The address may name a column that cannot be sorted by.
  const sort = table.sort && sortableFields.includes(table.sort.field) ? table.sort : null
  const input = { find: filter.find, sort, page: table.page, pageSize: table.pageSize }
  const isLive = useLiveList('exports')
  const page = useExportPage(input, isLive)
  const count = useExportCount(filter.find)
  const list = useLoadedAt(page, input)

  const problem = page.error ?? count.error
  useLoadWhenIdle(openedParts, page.isSuccess || problem !== null)
  return (
    <>
      <JobListHeader
        title="Exports"
        noun="export"
        count={count}
        isFiltered={filter.isActive}
        list={list}
        buttons={
          <ReasonedButton
            label="Manage Schedules"
            Icon={IconCalendarEvent}
            reason={whyNotManage}
            onClick={() => setManaging(true)}
          />
        }
      >
        <NewExportButton fields={fields} onClick={adding.open} />
      </JobListHeader>
      <FilteredCard
        search={{
          label: 'Search exports by name',
          placeholder: 'Search name...',
          value: filter.name,
          onSearch: (name) => filter.change({ name }),
        }}
        filters={<StatusSelect value={filter.status} onChange={(status) => filter.change({ status })} />}
        filterCount={Number(filter.status !== null)}
        onClear={filter.isActive ? filter.clear : undefined}
        isDense={isDense}
        onDenseChange={setDense}
      >
        <DataTable<Export>
          label="Exports"
          columns={exportColumns}
          records={page.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ name }) => name}
          {...table}
          sort={sort}
          expansion={(item) => <ExportDetails item={item} isLive={isLive} />}
          isStale={page.isPlaceholderData}
          isDense={isDense}
          empty={
            filter.isActive ? (
              <NoMatch icon={<IconDatabaseExport size={22} />} nouns="exports" onClear={filter.clear} />
            ) : (
              <NoExports />
            )
          }
          failure={
            problem ? (
              <FailureState message={messageOf(problem)} onRetry={() => void list.refresh(count.refetch)} />
            ) : undefined
          }
        />
      </FilteredCard>
      {isManaging && whyNotManage === null && (
        <ManageDialog
          consumerCode="EXPORT"
          // An export is scheduled in the form that chooses its fields and filter.
          newCron={() => {
            setManaging(false)
            adding.open()
          }}
          onClose={() => setManaging(false)}
        />
      )}
      {isAdding && fields.data && (
        <NewExportDialog fields={fields.data} shown={page.data ?? []} onClose={adding.close} />
      )}
    </>
  )
}

/** NEW EXPORT; while there is nothing to export, it shows the reason. */
function NewExportButton({ fields, onClick }: { fields: ReturnType<typeof useFields>; onClick: () => void }) {
  const canCreate = useCan('contact-export-create')
  const isAllowed = useMayCall(contactsApi.listFields)
  if (!canCreate) return null
  const obstacle = isAllowed ? obstacleOf(fields) : hiddenFields
  return (
    <Tooltip label={obstacle} disabled={obstacle === null}>
      {/* Not `disabled`: the keyboard must reach it to show the reason. */}
      <Button
        leftSection={<IconPlus size={15} aria-hidden />}
        {...(obstacle !== null && { 'data-disabled': true, 'aria-disabled': true })}
        onClick={() => obstacle === null && onClick()}
      >
        NEW EXPORT
      </Button>
    </Tooltip>
  )
}

const hiddenFields = `An export is made of fields of contacts. Seeing these needs the feature contact-offers-list. ${askForFeature}`

function obstacleOf({ data, error }: ReturnType<typeof useFields>): string | null {
  if (error) return `The fields could not be loaded. ${messageOf(error)}`
  if (data === undefined) return 'Loading the fields.'
  return data.length === 0 ? 'There is nothing to export yet. Import a file to add contacts.' : null
}

function NoExports() {
  return (
    <EmptyState icon={<IconDatabaseExport size={22} />} title="No exports are available.">
      Export all contacts of this account, or those that match a filter, to a file.
    </EmptyState>
  )
}
