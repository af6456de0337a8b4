import { Group, Select, Stack, Text } from '@mantine/core'
import { ColumnOrder } from '#ui/form/column-order.tsx'
import { MultiChooser } from '#ui/form/multi-chooser.tsx'
import type { FilterField } from '../stages/filter.ts'
import type { TabProps } from '../props.ts'

/** The fields to show, their order, and the sort order. */
export function ColumnsTab({ draft, onChange, fields }: TabProps & { fields: readonly FilterField[] }) {
  const { columns, sort } = draft
  if (draft.groupBy.id !== null) {
    return <Text size="sm">Contacts are grouped: the columns are the group fields and the value.</Text>
  }
  return (
    <>
      <Stack gap={8}>
        <MultiChooser
          label="Columns"
          isOptional
          description="If nothing is selected, the default columns are shown."
          options={fields.map(({ name }) => name)}
          value={columns}
          onChange={(chosen) => onChange({ ...draft, columns: chosen })}
        />
        <ColumnOrder columns={columns} onChange={(ordered) => onChange({ ...draft, columns: ordered })} />
      </Stack>
      <Group mt="sm" grow align="end" maw={420}>
        <Select
          label="Sort by"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the order' }}
          searchable
          limit={100}
          nothingFoundMessage="Nothing found"
          data={fields.map(({ name }) => name)}
          value={sort?.field ?? null}
          onChange={(field) => onChange({ ...draft, sort: field === null ? null : { field, order: sort?.order ?? 1 } })}
        />
        {sort && (
          <Select
            label="Sort order"
            data={[
              { value: '1', label: 'Ascending' },
              { value: '-1', label: 'Descending' },
            ]}
            allowDeselect={false}
            value={String(sort.order)}
            onChange={(order) => onChange({ ...draft, sort: { ...sort, order: order === '-1' ? -1 : 1 } })}
          />
        )}
      </Group>
    </>
  )
}
