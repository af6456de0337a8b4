import type { Export } from '@portico/contract/exports'
import { VisuallyHidden } from '@mantine/core'
import { formatDate, formatFileSize, formatNumber } from '#lib/formats.ts'
import type { Column } from '#ui/data-table.tsx'
import { DownloadButton } from './download-button.tsx'

const kinds = { csv: 'CSV', tab: 'Text, tabs', pipe: 'Text, pipes' } satisfies Record<Export['delimiter'], string>

export const downloadColumns: Column<Export>[] = [
  { key: 'name', title: 'Name', isRowHeader: true, isSortable: true, render: ({ name }) => name },
  {
    key: 'delimiter',
    title: 'File',
    render: ({ delimiter, shouldZip }) => `${kinds[delimiter]}${shouldZip ? ', zipped' : ''}`,
  },
  {
    key: 'fileSize',
    title: 'Size',
    align: 'right',
    render: ({ fileSize }) => (fileSize === null ? '–' : formatFileSize(fileSize)),
  },
  {
    key: 'processedRecords',
    title: 'Rows',
    align: 'right',
    isSortable: true,
    render: ({ processedRecords }) => formatNumber(processedRecords),
  },
  { key: 'creator', title: 'Created By', render: ({ creator }) => creator },
  {
    key: 'lastActivityDate',
    title: 'Ready Since',
    isSortable: true,
    render: ({ lastActivityDate }) => formatDate(lastActivityDate),
  },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    width: 52,
    align: 'right',
    isPinned: true,
    render: (item) => <DownloadButton item={item} />,
  },
]

export const sortableFields = downloadColumns.filter(({ isSortable }) => isSortable).map(({ key }) => key)
