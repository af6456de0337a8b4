import type { Export } from '@portico/contract/exports'
import { Code } from '@mantine/core'
import { delimiterNames } from '#domain/fields'
import { describeNotification, jobTiming } from '#domain/job-lists'
import { QueryInWords } from '#domain/results'
import { formatFileSize, formatNumber } from '#lib/formats.ts'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { DeliveryLog } from './delivery-log.tsx'

/** The expanded row of an export. */
export function ExportDetails({ item, isLive }: { item: Export; isLive: boolean }) {
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
        { term: 'Zip', value: item.shouldZip ? 'Yes' : 'No' },
        ...(item.delimiter === 'xlsx' ? [] : [{ term: 'BOM for Excel', value: item.byteOrderMark ? 'Yes' : 'No' }]),
        ...deliveryItems(item),
        {
          term: 'Notifications',
          value: item.notifications.map(describeNotification).join(', '),
          isWide: true,
        },
        ...(item.notifications.length > 0
          ? [
              {
                term: 'Deliveries',
                value: <DeliveryLog exportId={item._id} status={item.status} isLive={isLive} />,
                isWide: true,
              },
            ]
          : []),
        {
          term: 'Filter Query',
          value: <QueryInWords query={item.aggregateQuery} />,
          isWide: true,
        },
        ...(item.isRestricted
          ? [{ term: 'Contacts', value: 'Only those that its creator may see', isWide: true }]
          : []),
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

/** Status of each requested notification. */
function deliveryItems(item: Export): Definition[] {
  const channels = [
    ['E-mail', item.emailStatus, item.emailRecoveryCount, item.emailResult],
    ['HTTP Request', item.httpRequestStatus, item.httpRequestRecoveryCount, item.httpRequestResult],
    ['SFTP', item.sftpStatus, item.sftpRecoveryCount, item.sftpResult],
  ] as const
  return channels.flatMap(([name, status, recoveryCount, result]) =>
    status === null
      ? []
      : [
          { term: `${name} Status`, value: <StatusBadge status={status} /> },
          { term: `${name} Recovery Count`, value: formatNumber(recoveryCount ?? 0) },
          { term: `${name} Result`, value: result },
        ],
  )
}
