import { isSameName } from '@portico/domain/names'
import { Alert, Autocomplete, Table, Text } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { type EventForm, eventFieldNames, type MappingProblems, targetOf } from './event-import-rules.ts'

type EventMappingProps = {
  form: EventForm
  /** The columns of the chosen file, if known. */
  columns: string[] | null
  problems: MappingProblems | null
  /** The browser cannot read the chosen file. */
  isPacked: boolean
}

/** Maps each file column to an event field, a custom field, or nothing. */
export function EventMapping({ form, columns, problems, isPacked }: EventMappingProps) {
  if (!columns) {
    return (
      <Text size="sm" c="dimmed">
        {isPacked
          ? 'The columns of this file are known after the upload. Columns named event_code, event_date and so on become these fields; others become custom fields.'
          : 'Choose a file to map its columns.'}
      </Text>
    )
  }
  const { columnMapping, keyColumn } = form.values
  return (
    <div>
      <Table aria-label="File columns" verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">File column</Table.Th>
            <Table.Th scope="col">Becomes</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns.map((column) => (
            <Table.Tr key={column}>
              <Table.Th scope="row" fw={500} style={{ overflowWrap: 'anywhere' }}>
                {column}
              </Table.Th>
              <Table.Td>
                {isSameName(column, keyColumn) ? (
                  <Text size="sm" c="dimmed">
                    Key: identifies the contact
                  </Text>
                ) : (
                  <Autocomplete
                    aria-label={`Field for ${column}`}
                    data={eventFieldNames}
                    placeholder="Left out"
                    maxLength={200}
                    value={targetOf(column, columnMapping)}
                    error={problems?.columns[column]}
                    onChange={(target) => form.setFieldValue('columnMapping', { ...columnMapping, [column]: target })}
                  />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt={6}>
        Other names become custom fields of the event. Leave empty to skip the column.
      </Text>
      {problems?.missing && (
        <Alert color="red" icon={<IconAlertTriangle size={17} />} p="8px 12px" mt="xs" role="alert">
          {problems.missing}
        </Alert>
      )}
    </div>
  )
}
