import { type DownloadEntry, type DownloadSort, downloadSorts } from '@portico/contract/downloads'
import { Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { formatDate, formatFileSize, formatNumber } from '#lib/formats.ts'
import type { Column } from '#ui/table/data-table.tsx'
import { DownloadButton, removedText } from './download-button.tsx'

const kinds: Record<DownloadEntry['kind'], string> = {
  export: 'Export',
  report: 'Report',
  'set-aside report': 'Rows set aside',
}

type SortedColumn = Column<DownloadEntry> & { key: DownloadSort }

const sortedColumns: SortedColumn[] = [
  { key: 'name', title: 'Name', isRowHeader: true, render: ({ name }) => name },
  { key: 'kind', title: 'Kind', render: ({ kind }) => kinds[kind] },
  { key: 'size', title: 'Size', align: 'right', render: ({ size }) => formatFileSize(size) },
  { key: 'rows', title: 'Rows', align: 'right', render: ({ rows }) => formatNumber(rows) },
  { key: 'creator', title: 'Created By', render: ({ creator }) => creator },
  { key: 'createdAt', title: 'Created', render: ({ createdAt }) => formatDate(createdAt) },
  { key: 'expiresAt', title: 'Expires', render: (item) => <Expiry item={item} /> },
]

/** Columns of a finished file, all sorted by the server, with its download button. */
export const downloadColumns: Column<DownloadEntry>[] = [
  ...sortedColumns.map((column) => ({ ...column, isSortable: true })),
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    width: 52,
    align: 'right',
    isPinned: true,
    render: (item) => <DownloadButton item={item} />,
  },
]

export const isSortField = (field: string): field is DownloadSort => downloadSorts.some((one) => one === field)

function Expiry({ item: { expiresAt, isExpired } }: { item: DownloadEntry }) {
  if (!isExpired) return formatDate(expiresAt)
  return (
    <Tooltip label={removedText}>
      <Text component="span" inherit c="dimmed">
        {`Removed ${formatDate(expiresAt)}`}
      </Text>
    </Tooltip>
  )
}
