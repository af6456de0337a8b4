import { ActionIcon, Group, Select, Text } from '@mantine/core'
import IconArrowDown from '#icons/IconArrowDown'
import IconArrowUp from '#icons/IconArrowUp'
import { MultiChooser } from '#ui/form/multi-chooser.tsx'
import type { FilterField } from '../stages/filter.ts'
import type { TabProps } from '../props.ts'
import css from './columns-tab.module.css'

/** Which fields are shown, in which order, and what they are sorted by. */
export function ColumnsTab({ draft, onChange, fields }: TabProps & { fields: readonly FilterField[] }) {
  const { columns, sort } = draft
  const move = (from: number, to: number): void => {
    const moved = columns.toSpliced(from, 1)
    onChange({ ...draft, columns: moved.toSpliced(to, 0, columns[from] ?? '') })
  }
  if (draft.groupBy.id !== null) {
    return <Text size="sm">Contacts are grouped: the columns are the group fields and the value.</Text>
  }
  return (
    <>
      <MultiChooser
        label="Columns"
        isOptional
        description="If nothing is selected, the default columns are shown."
        options={fields.map(({ name }) => name)}
        value={columns}
        onChange={(chosen) => onChange({ ...draft, columns: chosen })}
      />
      {columns.length > 1 && (
        <ol className={css['order']} aria-label="Order of the columns">
          {columns.map((name, index) => (
            <li key={name} className={css['entry']}>
              <Text size="sm" flex={1} truncate>
                {name}
              </Text>
              <ActionIcon aria-label={`Move ${name} up`} disabled={index === 0} onClick={() => move(index, index - 1)}>
                <IconArrowUp size={15} aria-hidden />
              </ActionIcon>
              <ActionIcon
                aria-label={`Move ${name} down`}
                disabled={index === columns.length - 1}
                onClick={() => move(index, index + 1)}
              >
                <IconArrowDown size={15} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ol>
      )}
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
