import type { ImportPreview } from '@portico/contract/import-preview'
import { Alert, Center, Loader, Stack, Text, Title } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { type EventImportValues, reviewedColumns } from './event-import-rules.ts'
import { ReviewTable } from '../review/review-tables.tsx'

const shownEvents = 10

type EventReviewProps = {
  values: EventImportValues
  /** Null until the portal has read the file. */
  preview: ImportPreview | null
  fileName: string
}

/** The first events of the file as they would be recorded. Whether their contacts exist is found by the import. */
export function EventReview({ values, preview, fileName }: EventReviewProps) {
  if (!preview) {
    return (
      <Center mih={300}>
        <Loader size={22} aria-label="Looking into the file" />
      </Center>
    )
  }
  const columns = reviewedColumns(
    preview.columns.map(({ name }) => name),
    values,
  )
  const rows = preview.rows.slice(0, shownEvents)
  const { keyColumn, keyField } = values
  const left = preview.columns.length - columns.length
  return (
    <Stack gap="md">
      <div>
        <Title order={4} size={16} style={{ overflowWrap: 'anywhere' }}>
          {`Review of ${fileName}`}
        </Title>
        <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {`Each row records an event of the contact whose ${keyField} is the row's ${keyColumn}. `}
          {left > 0 && `${formatCount(left, 'column')} ${left === 1 ? 'is' : 'are'} left out. `}
          Nothing is imported yet.
        </Text>
      </div>
      {preview.setAsideRows > 0 && (
        <Alert color="orange" icon={<IconAlertTriangle size={17} />} p="8px 12px">
          {`${formatCount(preview.setAsideRows, 'row')} of ${seenOf(preview)} would be set aside: `}
          {preview.setAside.map(({ line, reason }) => `line ${formatNumber(line)}: ${reason}`).join(' ')}
        </Alert>
      )}
      <div>
        <Text size="xs" c="dimmed" mb={6}>
          {`The first ${formatCount(rows.length, 'event')}. The import reads the whole file, and sets rows aside that have no contact.`}
        </Text>
        <ReviewTable label="Events to record">
          <thead>
            <tr>
              {columns.map(({ target }) => (
                <th key={target} scope="col">
                  {target}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, place) => (
              // Rows of a file have no identity but their position.
              <tr key={place}>
                {columns.map(({ target, position }) => (
                  <td key={target}>{row[position]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </ReviewTable>
      </div>
    </Stack>
  )
}

const seenOf = ({ isWhole, sampledRows }: ImportPreview): string =>
  isWhole ? 'the whole file' : `the first ${formatNumber(sampledRows)} rows`
