import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { pickerRangeNames } from '@portico/contract/dashboards/cell-problems'
import { dateFieldInWords, defaultDateField } from '@portico/contract/dashboards/date-field'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import { allTime, allTimeName, dayPresets, rangePresets } from '@portico/domain/days'
import { type Field, isDateType } from '@portico/contract/contacts'
import { MultiSelect, Select, Stack, Switch } from '@mantine/core'

export type SettingsProps = {
  chart: CellChart
  /** The other cells of the dashboard. */
  others: readonly DashboardCell[]
  fields: readonly Field[]
  problemOf: (key: string) => string | undefined
  onChange: (part: Partial<CellChart>) => void
}

const optionsOf = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }))

/** The date that a date picker or a tile with its own dates narrows. */
export function DateField({ chart, fields, onChange }: SettingsProps) {
  const dates = fields.filter(({ type }) => isDateType(type)).map(({ name }) => name)
  const own = chart.portico?.dateField ?? defaultDateField
  return (
    <Select
      label="Date"
      allowDeselect={false}
      data={[...new Set([defaultDateField, ...dates, own])].map((name) => ({
        value: name,
        label: dateFieldInWords(name),
      }))}
      value={own}
      onChange={(dateField) => dateField !== null && onChange({ portico: { ...chart.portico, dateField } })}
    />
  )
}

/** The date, days and cells of a date picker. */
export function PickerSettings(props: SettingsProps) {
  const { chart, problemOf, onChange } = props
  const { portico, datePickerType, defaultId, maxRange } = chart
  const isMonth = datePickerType !== 'day'
  const hasAllTime = portico?.allTime ?? false
  const firstPreset = isMonth ? '29' : 'T'
  return (
    <Stack gap="sm">
      <DateField {...props} />
      <NarrowedCells {...props} />
      <Select
        label="Date picker type"
        withAsterisk
        allowDeselect={false}
        data={[
          { value: 'month', label: 'Month' },
          { value: 'day', label: 'Day' },
        ]}
        value={datePickerType ?? null}
        error={problemOf('datePickerType')}
        onChange={(type) =>
          onChange({
            datePickerType: type === 'day' ? 'day' : 'month',
            defaultId: defaultId === allTime ? allTime : type === 'day' ? 'T' : '29',
          })
        }
      />
      <Switch
        label="Offer 'All time'"
        description="With it, the date picker narrows nothing."
        checked={hasAllTime}
        onChange={({ currentTarget: { checked } }) =>
          onChange({
            portico: { ...portico, allTime: checked },
            ...(!checked && defaultId === allTime && { defaultId: firstPreset }),
          })
        }
      />
      <Select
        label="Default"
        withAsterisk
        allowDeselect={false}
        data={optionsOf({
          ...(isMonth ? rangePresets : dayPresets),
          ...(hasAllTime && { [allTime]: allTimeName }),
        })}
        value={defaultId ?? null}
        error={problemOf('defaultId')}
        onChange={(preset) => preset !== null && onChange({ defaultId: preset })}
      />
      {isMonth && (
        <Select
          label="Maximum range"
          withAsterisk
          allowDeselect={false}
          data={optionsOf(pickerRangeNames)}
          value={maxRange === undefined ? null : String(maxRange)}
          error={problemOf('maxRange')}
          onChange={(days) => days !== null && onChange({ maxRange: Number(days) })}
        />
      )}
    </Stack>
  )
}

/** Which cells a date picker narrows: all that it can, or chosen ones. */
function NarrowedCells({ chart: { portico }, others, onChange }: SettingsProps) {
  const { narrows, ...rest } = portico ?? {}
  const cells = others.flatMap(({ id, chart }) =>
    chart && chart.type !== 'DatePicker' && chart.type !== 'Text'
      ? [{ value: id, label: chart.title || chart.type }]
      : [],
  )
  return (
    <>
      <Select
        label="Narrows"
        allowDeselect={false}
        data={[
          { value: 'all', label: 'All cells' },
          { value: 'chosen', label: 'Chosen cells' },
        ]}
        value={narrows ? 'chosen' : 'all'}
        onChange={(which) =>
          onChange({ portico: which === 'all' ? rest : { ...rest, narrows: cells.map(({ value }) => value) } })
        }
      />
      {narrows && (
        <MultiSelect
          label="Chosen cells"
          searchable
          nothingFoundMessage="Nothing found"
          data={cells}
          value={narrows.filter((id) => cells.some(({ value }) => value === id))}
          onChange={(ids) => onChange({ portico: { ...rest, narrows: ids } })}
        />
      )}
    </>
  )
}
