import { kpiTemplateOf, kpiTemplates, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { usualRangeDays } from '@portico/domain/days'
import { NumberInput, Select, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import { usualColors } from '#ui/chart/gauge.tsx'
import { withTemplate } from './kpi-figure.ts'
import { DateField, PickerSettings, type SettingsProps } from './picker-settings.tsx'

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
