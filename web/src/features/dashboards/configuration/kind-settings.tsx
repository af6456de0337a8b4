import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { kpiTemplateOf, kpiTemplates, pickerRangeNames, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { dayPresets, rangePresets, usualRangeDays } from '@portico/domain/days'
import { defaultDateField } from '@portico/contract/dashboards/dashboard-cells'
import { type Field, isDateType } from '@portico/contract/contacts'
import { NumberInput, Select, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import { usualColors } from '#ui/chart/gauge.tsx'
import { withTemplate } from './kpi-figure.ts'

type SettingsProps = {
  chart: CellChart
  fields: readonly Field[]
  problemOf: (key: string) => string | undefined
  onChange: (part: Partial<CellChart>) => void
}

const optionsOf = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }))

/** The settings that only some kinds of cells have. */
export function KindSettings(props: SettingsProps) {
  const { chart, onChange } = props
  if (chart.type === 'KPI') return <KpiSettings {...props} />
  if (chart.type === 'DatePicker') return <PickerSettings {...props} />
  if (chart.type === 'Text') return <TextSettings {...props} />
  if (chart.type !== 'Dropdown') return null
  return (
    <Switch
      label="Several values can be included or excluded"
      checked={chart.multipleSelect ?? false}
      onChange={(event) => onChange({ multipleSelect: event.currentTarget.checked })}
    />
  )
}

function DateField({ chart, fields, onChange }: SettingsProps) {
  const dates = fields.filter(({ type }) => isDateType(type)).map(({ name }) => name)
  const own = chart.portico?.dateField ?? defaultDateField
  return (
    <Select
      label="Date"
      allowDeselect={false}
      data={[
        { value: defaultDateField, label: 'Date of events' },
        ...[...new Set([...dates, ...(own === defaultDateField ? [] : [own])])].map((name) => ({
          value: name,
          label: name,
        })),
      ]}
      value={own}
      onChange={(dateField) => dateField !== null && onChange({ portico: { ...chart.portico, dateField } })}
    />
  )
}

function KpiSettings(props: SettingsProps) {
  const { chart, problemOf, onChange } = props
  const template = kpiTemplateOf(chart)
  const templates = [...new Set<string>([...kpiTemplates, template])]
  return (
    <Stack gap="sm">
      <Select
        label="Template"
        allowDeselect={false}
        data={templates}
        value={template}
        onChange={(next) => next !== null && onChange(withTemplate(chart, next))}
      />
      {template === 'internal-date-range' && (
        <>
          <DateField {...props} />
          <OwnRangeDays {...props} />
        </>
      )}
      {template === ratioTemplate ? (
        <>
          <NumberInput
            label="Maximum of the gauge"
            min={0}
            max={100}
            value={chart.gaugeMaxValue}
            onChange={(most) => typeof most === 'number' && onChange({ gaugeMaxValue: most })}
          />
          <BandColours {...props} />
        </>
      ) : (
        <>
          <TextInput
            type="color"
            label="Colour"
            withAsterisk
            value={chart.options.colors?.[0] ?? ''}
            error={problemOf('options.colors')}
            onChange={(event) => onChange({ options: { ...chart.options, colors: [event.currentTarget.value] } })}
          />
          <Switch
            label="Abbreviate numbers"
            description="1.2K for 1,234, 3.4M for 3,400,000."
            checked={chart.formatNumbers}
            onChange={(event) => onChange({ formatNumbers: event.currentTarget.checked })}
          />
        </>
      )}
    </Stack>
  )
}

/** Maximum number of days of a range chosen in the tile (specification 4 §2). */
function OwnRangeDays({ chart, problemOf, onChange }: SettingsProps) {
  return (
    <NumberInput
      label="Maximum range"
      description="Days, from 0 to 365."
      allowDecimal={false}
      min={0}
      max={365}
      value={chart.maxRange ?? usualRangeDays}
      error={problemOf('maxRange')}
      onChange={(days) => typeof days === 'number' && onChange({ maxRange: days })}
    />
  )
}

/** The colors of a gauge's bands, from 0 to its maximum. */
function BandColours({ chart, onChange }: SettingsProps) {
  const colours = chart.gaugeColors?.length ? chart.gaugeColors : usualColors
  return (
    <SimpleGrid cols={3} spacing="xs">
      {colours.map((colour, band) => (
        <TextInput
          // Bands have no identity but their position: two may have the same color.
          key={band}
          type="color"
          label={`Band ${band + 1}`}
          value={colour}
          onChange={(event) => onChange({ gaugeColors: colours.with(band, event.currentTarget.value) })}
        />
      ))}
    </SimpleGrid>
  )
}

function PickerSettings(props: SettingsProps) {
  const { chart, problemOf, onChange } = props
  const isMonth = chart.datePickerType !== 'day'
  return (
    <Stack gap="sm">
      <DateField {...props} />
      <Select
        label="Date picker type"
        withAsterisk
        allowDeselect={false}
        data={[
          { value: 'month', label: 'Month' },
          { value: 'day', label: 'Day' },
        ]}
        value={chart.datePickerType ?? null}
        error={problemOf('datePickerType')}
        onChange={(type) =>
          onChange(
            type === 'day' ? { datePickerType: 'day', defaultId: 'T' } : { datePickerType: 'month', defaultId: '29' },
          )
        }
      />
      <Select
        label="Default"
        withAsterisk
        allowDeselect={false}
        data={optionsOf(isMonth ? rangePresets : dayPresets)}
        value={chart.defaultId ?? null}
        error={problemOf('defaultId')}
        onChange={(defaultId) => defaultId !== null && onChange({ defaultId })}
      />
      {isMonth && (
        <Select
          label="Maximum range"
          withAsterisk
          allowDeselect={false}
          data={optionsOf(pickerRangeNames)}
          value={chart.maxRange === undefined ? null : String(chart.maxRange)}
          error={problemOf('maxRange')}
          onChange={(days) => days !== null && onChange({ maxRange: Number(days) })}
        />
      )}
    </Stack>
  )
}

function TextSettings({ chart, problemOf, onChange }: SettingsProps) {
  const text = chart.portico?.text ?? ''
  return (
    <Textarea
      label="Text"
      description={`Markdown. ${text.length} of ${dashboardLimits.text} characters.`}
      autosize
      minRows={5}
      maxRows={16}
      maxLength={dashboardLimits.text}
      value={text}
      error={problemOf('portico.text')}
      onChange={(event) => onChange({ portico: { ...chart.portico, text: event.currentTarget.value } })}
    />
  )
}
