import type { CellFilter } from '@portico/contract/dashboards/cell-chart'
import type { Field } from '@portico/contract/contacts'
import { Group, Select, Stack } from '@mantine/core'
import type { FilterTab } from '#domain/filters'
import { FilterField } from './filter-field.tsx'
import { type Figure, figures, isOfField, readFigure, withFigure } from './kpi-figure.ts'

type FigureFieldProps = {
  label: string
  fields: readonly Field[]
  tabs: readonly FilterTab[]
  value: CellFilter
  onChange: (filter: CellFilter) => void
  error: string | undefined
}

const isFigure = (name: string | null): name is Figure['operator'] => name !== null && Object.hasOwn(figures, name)

/** The number of a KPI tile: the count of matching contacts, or a value computed from them. */
export function FigureField({ label, fields, tabs, value, onChange, error }: FigureFieldProps) {
  const { figure, which } = readFigure(value.standard)
  const numbers = fields.filter(({ type }) => type === 'number').map(({ name }) => name)
  const write = (next: Figure): void => onChange({ ...value, standard: withFigure(which, next) })
  return (
    <Stack gap="xs">
      <FilterField
        label={label}
        fields={fields}
        tabs={tabs}
        value={{ ...value, standard: which }}
        onChange={(next) => onChange({ ...next, standard: withFigure(next.standard, figure) })}
        error={error}
      />
      <Group grow align="flex-start">
        <Select
          label="Figure"
          aria-label={`Figure of ${label.toLowerCase()}`}
          allowDeselect={false}
          data={[
            ...Object.entries(figures).map(([name, text]) => ({ value: name, label: text })),
            ...(figure.operator === 'stored' ? [{ value: 'stored', label: 'As it was saved' }] : []),
          ]}
          value={figure.operator}
          onChange={(operator) =>
            isFigure(operator) &&
            write({ operator, field: !isOfField(operator) ? null : (figure.field ?? numbers[0] ?? null) })
          }
        />
        {isOfField(figure.operator) && (
          <Select
            label="Field"
            allowDeselect={false}
            data={numbers}
            value={figure.field}
            onChange={(field) => field !== null && write({ ...figure, field })}
          />
        )}
      </Group>
    </Stack>
  )
}
