import type { Export } from '@portico/contract/exports'
import { Button, Code, Paper } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'react-router'
import IconDownload from '#icons/IconDownload'
import IconLock from '#icons/IconLock'
import { messageOf } from '#lib/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { formatCount } from '#lib/formats.ts'
import { jobFilterStages, useJobFilter } from '#lib/job-filter.ts'
import { useCan } from '#lib/session.ts'
import { useSetting } from '#lib/settings.ts'
import { useTableUrl } from '#lib/table-url.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { FailureState } from '#ui/failure-state.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { SearchBox } from '#ui/search-box.tsx'
import { TableCard } from '#ui/table-card.tsx'
import { downloadColumns, sortableFields } from './download-columns.tsx'
import { useFileCount, useFilePage } from './downloads-queries.ts'

/** The files of the account that are ready to be fetched. */
export function DownloadsPage() {
  usePageTitle('Downloads')
  const canList = useCan('contact-export-list')
  return canList ? <Files /> : <NoRight />
}

function Files() {
  const table = useTableUrl()
  const filter = useJobFilter()
  const { name } = filter
  const [isDense, setDense] = useSetting('areTablesDensed')
  const find = useMemo(() => jobFilterStages({ name, status: 'completed' }), [name])
  // The address may name a column that cannot be sorted by.
  const sort = table.sort && sortableFields.includes(table.sort.field) ? table.sort : null
  const page = useFilePage({ find, sort, page: table.page, pageSize: table.pageSize })
  const count = useFileCount(find)
  const problem = page.error ?? count.error
  return (
    <>
      <PageHeader
        title="Downloads"
        description={count.data === undefined ? ' ' : formatCount(count.data, 'file') + (name ? ' found' : '')}
      />
      <TableCard
        isDense={isDense}
        onDenseChange={setDense}
        toolbar={
          <SearchBox
            label="Search downloads by name"
            placeholder="Search name..."
            value={name}
            onSearch={(text) => filter.change({ name: text })}
          />
        }
      >
        <DataTable<Export>
          label="Downloads"
          columns={downloadColumns}
          records={page.data}
          total={count.data}
          getRecordId={({ _id }) => _id}
          getRecordLabel={(item) => item.name}
          {...table}
          sort={sort}
          isStale={page.isPlaceholderData}
          isDense={isDense}
          empty={name ? <NoMatch onClear={filter.clear} /> : <NoFiles />}
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

function NoFiles() {
  return (
    <EmptyState
      icon={<IconDownload size={22} />}
      title="No files are available."
      action={
        <Button component={Link} to="/contact-service/exports" variant="default">
          Go to the exports
        </Button>
      }
    >
      The file of an export is listed here as soon as the export is completed.
    </EmptyState>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<IconDownload size={22} />}
      title="No matching files found."
      action={
        <Button variant="default" onClick={onClear}>
          Clear the search
        </Button>
      }
    />
  )
}

function NoRight() {
  return (
    <>
      <PageHeader title="Downloads" />
      <Paper>
        <EmptyState icon={<IconLock size={22} />} title="You may not see the files of this account">
          Their list needs the feature <Code>contact-export-list</Code>. Contact your admin to see how you can get this
          feature.
        </EmptyState>
      </Paper>
    </>
  )
}
