import { contactsApi } from '@portico/contract/contacts'
import { RemoteAccessType } from '@portico/contract/remote-access'
import type { RemoteAccess } from '@portico/contract/remote-access'
import { Button, Select } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import IconExternalLink from '#icons/IconExternalLink'
import IconPlus from '#icons/IconPlus'
import IconWorldShare from '#icons/IconWorldShare'
import { useLoadedAt } from '#domain/job-lists'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount } from '#lib/formats.ts'
import { useNewForm } from '#lib/open-new.ts'
import { askForFeature, useMayCall } from '#lib/session/may-call.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table/table-url.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { useLoadWhenIdle } from '#ui/page/load-when-idle.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { DataTable } from '#ui/table/data-table.tsx'
import { FilteredCard } from '#ui/table/filtered-card.tsx'
import { RefreshButton } from '#ui/table/refresh-button.tsx'
import { accessColumns, sortableFields, typeLabels } from './access-columns.tsx'
import { useAccessFilter } from './access-filter.ts'
import { DeleteAccessDialog } from './delete-access-dialog.tsx'
import { AccessDetails, AccessDialog, EventFieldsPanel, openedParts } from './on-demand.ts'
import { useAccessCount, useAccessPage, useSamplePage } from './remote-access-queries.ts'

/** Seconds for which REFRESH stays locked after a load. */
const lockSeconds = 10

/** Domains and addresses that may read public columns of contacts, and their usage. */
export function RemoteAccessPage() {
  usePageTitle('Remote Accesses')
  const table = useTableUrl()
  const filter = useAccessFilter()
  const dialogs = useDialogs()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  // The address may name a column that cannot be sorted by.
  const sort = table.sort && sortableFields.includes(table.sort.field) ? table.sort : null
  const input = { find: filter.find, sort, page: table.page, pageSize: table.pageSize }
  const page = useAccessPage(input)
  const count = useAccessCount(filter.find)
  const samplePage = useSamplePage()
  const list = useLoadedAt(page, input)
  const refresh = (): void => void list.refresh(count.refetch)
  const problem = page.error ?? count.error
  useLoadWhenIdle(openedParts, page.isSuccess || problem !== null)
  return (
    <>
      <PageHeader
        title="Remote Accesses"
        description={describeCount(count.data, filter.isActive)}
        actions={
          <>
            <RefreshButton
              onRefresh={refresh}
              loadedAt={list.loadedAt}
              lockSeconds={lockSeconds}
              isLoading={list.isRefreshing}
            />
            {samplePage !== null && <SampleLink url={samplePage} />}
            {dialogs.newButton}
          </>
        }
      />
      <FilteredCard
        search={{
          label: 'Search remote accesses by domain or IP address',
          placeholder: 'Search domain or IP...',
          value: filter.name,
          onSearch: (name) => filter.change({ name }),
        }}
        filters={<TypeSelect value={filter.type} onChange={(type) => filter.change({ type })} />}
        filterCount={Number(filter.type !== null)}
        onClear={filter.isActive ? filter.clear : undefined}
        isDense={isDense}
        onDenseChange={setDense}
      >
        <DataTable<RemoteAccess>
          label="Remote Accesses"
          columns={dialogs.columns}
          records={page.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ domainOrIp }) => domainOrIp}
          {...table}
          sort={sort}
          expansion={(access) => <AccessDetails access={access} />}
          allowsManyOpen={!singleExpand}
          isStale={page.isPlaceholderData}
          isDense={isDense}
          empty={
            filter.isActive ? (
              <NoMatch icon={<IconWorldShare size={22} />} nouns="remote accesses" onClear={filter.clear} />
            ) : (
              <NoAccesses button={dialogs.newButton} />
            )
          }
          failure={problem ? <FailureState message={messageOf(problem)} onRetry={refresh} /> : undefined}
        />
      </FilteredCard>
      <EventFieldsPanel canChange={dialogs.canUpdate} />
      {dialogs.open}
    </>
  )
}

function SampleLink({ url }: { url: string }) {
  return (
    <Button
      component="a"
      href={url}
      target="_blank"
      rel="noopener"
      variant="default"
      leftSection={<IconExternalLink size={15} aria-hidden />}
    >
      See it live
    </Button>
  )
}

function describeCount(count: number | undefined, isFiltered: boolean): string {
  if (count === undefined) return ' '
  return formatCount(count, 'remote access', 'remote accesses') + (isFiltered ? ' found' : '')
}

const needsFields = `A remote access is made of fields of contacts. Seeing these needs the feature contact-offers-list. ${askForFeature}`

/** The dialogs of the screen, and the buttons that open them. */
function useDialogs() {
  const canCreate = useCan('contact-access-create')
  const canUpdate = useCan('contact-access-update')
  const canDelete = useCan('contact-access-delete')
  const reason = useMayCall(contactsApi.listFields) ? null : needsFields
  const [isAdding, adding] = useNewForm()
  const [edited, setEdited] = useState<RemoteAccess | null>(null)
  const [doomed, setDoomed] = useState<RemoteAccess | null>(null)
  const columns = useMemo(
    () =>
      accessColumns({
        onEdit: canUpdate ? setEdited : null,
        whyNotEdit: reason,
        onDelete: canDelete ? setDoomed : null,
      }),
    [canUpdate, canDelete, reason],
  )
  return {
    columns,
    canUpdate,
    newButton: canCreate && <NewAccessButton reason={reason} onClick={adding.open} />,
    open: (
      <>
        {isAdding && canCreate && reason === null && <AccessDialog access={null} onClose={adding.close} />}
        {edited && <AccessDialog access={edited} onClose={() => setEdited(null)} />}
        {doomed && <DeleteAccessDialog access={doomed} onClose={() => setDoomed(null)} />}
      </>
    ),
  }
}

function NewAccessButton({ reason, onClick }: { reason: string | null; onClick: () => void }) {
  if (reason !== null) return <ReasonedButton label="NEW ACCESS" Icon={IconPlus} reason={reason} onClick={onClick} />
  return (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={onClick}>
      NEW ACCESS
    </Button>
  )
}

type TypeSelectProps = { value: RemoteAccessType | null; onChange: (type: RemoteAccessType | null) => void }

function TypeSelect({ value, onChange }: TypeSelectProps) {
  return (
    <Select
      aria-label="Type"
      placeholder="Type"
      w={200}
      data={RemoteAccessType.options.map((type) => ({ value: type, label: typeLabels[type] }))}
      value={value}
      // The options are the types.
      onChange={(type) => onChange(type as RemoteAccessType | null)}
      clearable
      clearButtonProps={{ 'aria-label': 'All types' }}
    />
  )
}

function NoAccesses({ button }: { button: ReactNode }) {
  return (
    <EmptyState icon={<IconWorldShare size={22} />} title="No remote accesses are available." action={button}>
      A remote access lets the pages of a domain, or programs at an IP address, read columns you choose of one contact
      at a time.
    </EmptyState>
  )
}
