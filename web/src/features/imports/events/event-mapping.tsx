import { isSameName } from '@portico/domain/names'
import { Alert, Autocomplete, Table, Text } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconInfoCircle from '#icons/IconInfoCircle'
import { type EventForm, eventFieldNames, type MappingProblems, targetOf } from './event-import-rules.ts'
import { withGuesses } from './guessed-targets.ts'

type EventMappingProps = {
  form: EventForm
  /** The columns of the chosen file, if known. */
  columns: string[] | null
  problems: MappingProblems | null
  /** The step was left, or tried to be left: problems of untouched columns are shown too. */
  isChecked: boolean
}

/** Maps each file column to an event field, a custom field, or nothing. */
export function EventMapping({ form, columns, problems, isChecked }: EventMappingProps) {
  if (!columns) {
    return (
      <Text size="sm" c="dimmed">
        The columns of the file are matched once it was sent. Columns named event_code, event_date and so on, or Event,
        When and Page, become these fields; others become custom fields.
      </Text>
    )
  }
  const { columnMapping, keyColumn } = form.values
  const targets = withGuesses(columns, form.values)
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
                    value={targetOf(column, targets)}
                    error={(isChecked || columnMapping[column] !== undefined) && problems?.columns[column]}
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
        <Alert
          color={isChecked ? 'red' : 'blue'}
          icon={isChecked ? <IconAlertTriangle size={17} /> : <IconInfoCircle size={17} />}
          p="8px 12px"
          mt="xs"
          role={isChecked ? 'alert' : 'note'}
        >
          {problems.missing}
        </Alert>
      )}
    </div>
  )
}
