import type { AuditEntry, ViaKind } from '@portico/contract/audit'
import { Button } from '@mantine/core'
import { useMemo } from 'react'
import IconDownload from '#icons/IconDownload'
import IconHistory from '#icons/IconHistory'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount, formatDate } from '#lib/formats.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useRowsPerPage } from '#lib/table/local-table.ts'
import { useKeptPageSize } from '#lib/table/page-size.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { useAccounts } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyError } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { AuditDetails } from './audit-details.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { toQuery, useAuditUrl } from './audit-filter.ts'
import css from './audit-page.module.css'
import { viaNames } from './via-names.ts'
import { useAuditCount, useAuditPage, useExportAudit } from './audit-queries.ts'

/** The log has no end, so a page shows at most this many entries. */
const mostRows = 100
const pageSizes = [5, 10, 15, 50, mostRows]

/** Changes with person, time, address and means. */
export function AuditPage() {
  usePageTitle('Audit')
  useLastPageViewed()
  const { fields, page, isActive, change, onPageChange } = useAuditUrl()
  const mayReadAll = useMayAdministerAll()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  const usual = Math.min(useRowsPerPage(), mostRows)
  const [pageSize, keepPageSize] = useKeptPageSize(pageSizes, usual)
  const filter = useMemo(
    () => toQuery({ ...fields, everywhere: fields.everywhere && mayReadAll }),
    [fields, mayReadAll],
  )
  const entries = useAuditPage(filter, page, pageSize)
  const count = useAuditCount(filter)
  const columns = useColumns(filter.everywhere !== undefined)
  const problem = entries.error ?? count.error
  return (
    <>
      <PageHeader
        title="Audit"
        description={count.data === undefined ? ' ' : formatCount(count.data, 'entry', 'entries')}
        actions={<ExportButton filter={filter} isEmpty={!count.data} />}
      />
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={<AuditFilters fields={fields} onChange={change} mayReadAll={mayReadAll} />}
      >
        <DataTable<AuditEntry>
          label="Audit log"
          columns={columns}
          records={entries.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ action, subject, at }) => `${action} ${subject}, ${formatDate(at)}`}
          page={page}
          pageSize={pageSize}
          pageSizes={pageSizes}
          footerAbove={Math.min(usual, pageSize)}
          onPageChange={onPageChange}
          onPageSizeChange={(size) => {
            keepPageSize(size)
            onPageChange(1)
          }}
          expansion={(entry) => <AuditDetails entry={entry} />}
          allowsManyOpen={!singleExpand}
          isStale={entries.isPlaceholderData}
          isDense={isDense}
          empty={
            isActive ? (
              <NoMatch
                icon={<IconHistory size={22} />}
                nouns="entries"
                clearLabel="Show all entries"
                onClear={() => change({ who: '', what: '', via: '', from: '', to: '' })}
              />
            ) : (
              <EmptyState icon={<IconHistory size={22} />} title="No entries yet." />
            )
          }
          failure={
            problem ? (
              <FailureState
                message={messageOf(problem)}
                onRetry={() => void Promise.all([entries.refetch(), count.refetch()])}
              />
            ) : undefined
          }
        />
      </TableCard>
    </>
  )
}

function useColumns(isEverywhere: boolean): Column<AuditEntry>[] {
  const accounts = useAccounts().data
  return useMemo(() => {
    const nameOf = (id: number | null): string => {
      if (id === null) return 'all'
      return accounts?.find(({ Key }) => Key === id)?.Value ?? String(id)
    }
    const account: Column<AuditEntry> = { key: 'account', title: 'Account', render: (entry) => nameOf(entry.account) }
    return [
      { key: 'at', title: 'When', render: ({ at }) => formatDate(at) },
      { key: 'actor', title: 'Who', render: ({ actor }) => <Long text={actor} /> },
      {
        key: 'action',
        title: 'What',
        isRowHeader: true,
        render: ({ action, count }) => (count > 1 ? `${action} (${formatCount(count, 'time', 'times')})` : action),
      },
      { key: 'subject', title: 'Subject', render: ({ subject }) => <Long text={subject} /> },
      ...(isEverywhere ? [account] : []),
      { key: 'via', title: 'How', render: ({ via, viaName }) => (via ? <Via via={via} name={viaName} /> : '–') },
      { key: 'address', title: 'Address', render: ({ address }) => address ?? '–' },
    ]
  }, [accounts, isEverywhere])
}

function Long({ text }: { text: string }) {
  return (
    <span className={css['long']} title={text}>
      {text}
    </span>
  )
}

function Via({ via, name }: { via: ViaKind; name: string | null }) {
  return <span title={name ?? undefined}>{viaNames[via]}</span>
}

function ExportButton({ filter, isEmpty }: { filter: ReturnType<typeof toQuery>; isEmpty: boolean }) {
  const write = useExportAudit()
  const onClick = (): void =>
    write.mutate(filter, {
      // The server sends an attachment, so the page stays.
      onSuccess: ({ url }) => window.location.assign(url),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={15} aria-hidden />}
      disabled={isEmpty}
      loading={write.isPending}
      onClick={onClick}
    >
      Export CSV
    </Button>
  )
}
