import type { Export } from '@portico/contract/exports'
import { Code } from '@mantine/core'
import { formatFileSize, formatNumber } from '#lib/formats.ts'
import { jobTiming } from '#lib/jobs.ts'
import { DefinitionList } from '#ui/definition-list.tsx'
import { NameList } from '#ui/name-list.tsx'
import { delimiterNames } from './new-export-rules.ts'

/** What an export's row opens to. */
export function ExportDetails({ item }: { item: Export }) {
  const timing = jobTiming(item)
  return (
    <DefinitionList
      items={[
        { term: 'Id', value: <Code>{item._id}</Code> },
        { term: 'Delimiter', value: delimiterNames[item.delimiter] },
        { term: 'DB Name', value: item.databaseName },
        { term: 'Created By', value: item.creator },
        { term: 'Total Records', value: item.totalRecords === null ? null : formatNumber(item.totalRecords) },
        { term: 'File Size', value: item.fileSize === null ? null : formatFileSize(item.fileSize) },
        { term: 'Processing Time', value: timing?.time },
        { term: 'Speed', value: timing?.speed },
        { term: 'Recovery Count', value: formatNumber(item.recoveryCount) },
        { term: 'Recovery Error', value: item.recoveryError },
        {
          term: 'Filter Query',
          value: item.aggregateQuery ? <Code>{item.aggregateQuery}</Code> : 'All contacts',
          isWide: true,
        },
        {
          term: `Fields (${formatNumber(item.exportFields.length)})`,
          value: <NameList names={item.exportFields} />,
          isWide: true,
          key: 'fields',
        },
      ]}
    />
  )
}
