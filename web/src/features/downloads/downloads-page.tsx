import { type DownloadEntry, fileDays } from '@portico/contract/downloads'
import { Button, Code, Paper } from '@mantine/core'
import { Link } from 'react-router'
import IconDownload from '#icons/IconDownload'
import IconLock from '#icons/IconLock'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useMayAdminister } from '#lib/session/role.ts'
import { useCan } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { NoMatch } from '#ui/feedback/no-match.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { downloadColumns } from './download-columns.tsx'
import { useFiles } from './downloads-queries.ts'
import { useDownloadsUrl } from './downloads-url.ts'
import { StorageUse } from './storage-use.tsx'

/** The files that the portal has created for the account: of exports, and the rows that imports set aside. */
export function DownloadsPage() {
  usePageTitle('Downloads')
  const canList = useCan('contact-downloads-list')
  return canList ? <Files /> : <NoRight />
}

function Files() {
  const { table, sort, search, onSearch } = useDownloadsUrl()
  const [isDense, setDense] = useSetting('areTablesDensed')
  const mayAdminister = useMayAdminister()
  const { page, count } = useFiles({ search, sort, page: table.page, pageSize: table.pageSize })
  const problem = page.error ?? count.error
  return (
    <>
      <PageHeader
        title="Downloads"
        description={count.data === undefined ? ' ' : describeCount(count.data, search !== '')}
      />
      {mayAdminister && <StorageUse />}
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={
          <SearchBox
            label="Search downloads by name or creator"
            placeholder="Search name or creator..."
            value={search}
            onSearch={onSearch}
          />
        }
      >
        <DataTable<DownloadEntry>
          label="Downloads"
          columns={downloadColumns}
          records={page.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ fileName }) => fileName}
          {...table}
          sort={sort}
          isStale={page.isPlaceholderData}
          isDense={isDense}
          empty={
            search ? (
              <NoMatch
                icon={<IconDownload size={22} />}
                nouns="files"
                clearLabel="Clear the search"
                onClear={() => onSearch('')}
              />
            ) : (
              <NoFiles />
            )
          }
          failure={
            problem ? (
              <FailureState
                message={messageOf(problem)}
                onRetry={() => void Promise.all([page.refetch(), count.refetch()])}
              />
            ) : undefined
          }
        />
      </TableCard>
    </>
  )
}

const describeCount = (count: number, isSearched: boolean): string =>
  isSearched ? `${formatCount(count, 'file')} found` : `${formatCount(count, 'file')}, each kept for ${fileDays} days`

function NoFiles() {
  const canExport = useCan('contact-export-list')
  return (
    <EmptyState
      icon={<IconDownload size={22} />}
      title="No files are available."
      action={
        canExport && (
          <Button component={Link} to={paths.exports()} variant="default">
            Go to the exports
          </Button>
        )
      }
    >
      Export files appear here when the export is completed, and so do rows that an import sets aside.
    </EmptyState>
  )
}

function NoRight() {
  return (
    <>
      <PageHeader title="Downloads" />
      <Paper>
        <EmptyState icon={<IconLock size={22} />} title="You do not have access to the files of this account">
          Their list needs the feature <Code>contact-downloads-list</Code>. Contact your admin to see how you can get
          this feature.
        </EmptyState>
      </Paper>
    </>
  )
}
