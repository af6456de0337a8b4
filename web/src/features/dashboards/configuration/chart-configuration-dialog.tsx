import { CellChart } from '@portico/contract/dashboards/cell-chart'
import { isChartKind, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import { readGrouping } from '@portico/domain/pipeline/grouping'
import { parseFilter } from '@portico/contract/dashboards/dashboard-cells'
import type { Field } from '@portico/contract/contacts'
import { Select, Stack, Switch, TextInput } from '@mantine/core'
import { type ComponentProps, useMemo, useState } from 'react'
import { useFields } from '#domain/fields'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { paletteOf, palettes } from '#ui/chart/palettes.ts'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { CalculatedColumnsDialog } from './calculated-columns-dialog.tsx'
import { CalculatedColumnsField } from './calculated-columns-field.tsx'
import {
  chosenKind,
  type ChosenKind,
  detailsOf,
  keepsFilter,
  kinds,
  needsFilter,
  newChart,
  typeOf,
} from './cell-kinds.ts'
import { CellPreview } from './cell-preview.tsx'
import css from './chart-configuration-dialog.module.css'
import { type Problems, problemsOf } from './chart-problems.ts'
import { FigureField } from './figure-field.tsx'
import { FilterField } from './filter-field.tsx'
import { FormatsDialog } from './formats/formats-dialog.tsx'
import { FormatsField } from './formats/formats-field.tsx'
import { KindSettings } from './kind-settings.tsx'
import { ChartOptionsDialog } from './options/chart-options-dialog.tsx'
import { OptionsField } from './options-field.tsx'
import { SaveButtons } from './save-buttons.tsx'
import { useTypedOptions } from './use-typed-options.ts'

type ChartConfigurationDialogProps = {
  cell: DashboardCell
  /** All cells of the dashboard. */
  cells: readonly DashboardCell[]
  onSave: (chart: CellChart) => void
  onClose: () => void
}

const noFields: Field[] = []

/** The part of the cell that is edited in a dialog of its own. */
type Inner = 'options' | 'columns' | 'formats' | null

/** Configures a cell: its kind, its filter and its appearance, with a live preview (specification 4 §2, §5). */
export function ChartConfigurationDialog({ cell, cells, onSave, onClose }: ChartConfigurationDialogProps) {
  const [chart, setChart] = useState(() => cell.chart ?? newChart('Column', undefined))
  const [isChecked, setChecked] = useState(false)
  const [inner, setInner] = useState<Inner>(null)
  const [wanted, setWanted] = useState<ChosenKind | null>(null)
  const fields = useFields().data ?? noFields
  const problems = useMemo(() => problemsOf(chart), [chart])
  const change = (part: Partial<CellChart>): void => setChart((now) => ({ ...now, ...part }))
  const typed = useTypedOptions(chart.options, (options) => change({ options }))
  const wrongOptions = isChartKind(chart.type) && typed.read.options === null ? 'Correct the options first.' : null
  const problemOf = (key: string): string | undefined =>
    isChecked
      ? problems.find((problem) => problem.key === key || problem.key.startsWith(`${key}.`))?.message
      : undefined

  const choose = (kind: ChosenKind): void => {
    const loses = needsFilter(chart.type) && !keepsFilter(chart.type, typeOf(kind)) && hasStages(chart)
    if (loses) setWanted(kind)
    else setChart(newChart(kind, chart))
  }
  const submit = (): void => {
    setChecked(true)
    if (problems.length > 0 || wrongOptions !== null) return focusFirstProblem()
    onSave(CellChart.parse(chart))
    onClose()
  }
  return (
    <FormDialog
      title="Chart Configuration"
      width={1040}
      guard={{ isDirty: (chart !== cell.chart && cell.chart !== undefined) || typed.isTyped, isBusy: false }}
      onClose={onClose}
    >
      <DialogForm onSubmit={submit} footer={<SaveButtons reason={wrongOptions} onCancel={onClose} />}>
        <div className={css['sides']}>
          <Stack gap="sm">
            <Select
              label="Type"
              withAsterisk
              allowDeselect={false}
              data={kinds.map(({ kind, label }) => ({ value: kind, label }))}
              value={chosenKind(chart)}
              onChange={(kind) => kind !== null && choose(kind)}
            />
            <TextInput
              label="Title"
              maxLength={200}
              data-autofocus
              value={chart.title}
              onChange={(event) => change({ title: event.currentTarget.value })}
            />
            <Filters {...{ chart, fields, problemOf, onChange: change }} onEditColumns={() => setInner('columns')} />
            <KindSettings {...{ chart, fields, problemOf, onChange: change }} others={cells} />
            {isChartKind(chart.type) && (
              <>
                <PaletteField chart={chart} onChange={change} error={problemOf('options.colors')} />
                <OptionsField kind={chosenKind(chart)} typed={typed} onEdit={() => setInner('options')} />
              </>
            )}
            <FormatsField chart={chart} fields={fields} onEdit={() => setInner('formats')} />
            <ClickSwitch chart={chart} onChange={change} />
          </Stack>
          <CellPreview chart={chart} problems={problems} />
        </div>
      </DialogForm>
      <InnerDialogs
        {...{ inner, chart, fields, problems }}
        options={typed.read.parsed ?? chart.options}
        onChange={change}
        onClose={() => setInner(null)}
      />
      <ConfirmDialog
        isOpen={wanted !== null}
        title="Change the type"
        question="This change will reset your filter. Would you like to continue?"
        confirmLabel="Continue"
        onConfirm={() => {
          if (wanted !== null) setChart(newChart(wanted, chart))
          setWanted(null)
        }}
        onClose={() => setWanted(null)}
      />
    </FormDialog>
  )
}

type InnerDialogsProps = {
  inner: Inner
  chart: CellChart
  fields: readonly Field[]
  problems: Problems
  options: ComponentProps<typeof ChartOptionsDialog>['options']
  onChange: (part: Partial<CellChart>) => void
  onClose: () => void
}

/** The dialog of a part of the cell that is open, if any. */
function InnerDialogs({ inner, chart, fields, problems, options, onChange, onClose }: InnerDialogsProps) {
  switch (inner) {
    case 'options':
      return (
        <ChartOptionsDialog
          {...{ chart, problems, options, onClose }}
          onSave={(saved) => onChange({ options: saved })}
        />
      )
    case 'columns':
      return (
        <CalculatedColumnsDialog
          {...{ chart, onClose }}
          columns={columnsOf(chart, fields)}
          onSave={(calculatedColumns) => onChange({ calculatedColumns })}
        />
      )
    case 'formats':
      return (
        <FormatsDialog
          {...{ chart, fields, onClose }}
          onSave={(saved) => onChange({ portico: { ...chart.portico, ...saved } })}
        />
      )
    case null:
      return null
  }
}

const hasStages = ({ filter }: CellChart): boolean =>
  filter !== undefined &&
  (filter.standard.length > 0 || filter.predefined !== undefined || (filter.columns?.length ?? 0) > 0)

type PartProps = {
  chart: CellChart
  fields: readonly Field[]
  problemOf: (key: string) => string | undefined
  onChange: (part: Partial<CellChart>) => void
}

type FiltersProps = PartProps & { onEditColumns: () => void }

function Filters({ chart, fields, problemOf, onChange, onEditColumns }: FiltersProps) {
  if (!needsFilter(chart.type)) return null
  const filter = chart.filter ?? { standard: [] }
  const tabs = detailsOf(chosenKind(chart))?.tabs ?? []
  if (chart.type === 'KPI') {
    const isRatio = chart.options.template === ratioTemplate
    return (
      <>
        <FigureField
          label={isRatio ? 'Dividend' : 'Filter'}
          fields={fields}
          tabs={tabs}
          value={filter}
          onChange={(next) => onChange({ filter: next })}
          error={problemOf('filter')}
        />
        {isRatio && (
          <FigureField
            label="Divisor"
            fields={fields}
            tabs={tabs}
            value={chart.filter2 ?? { standard: [] }}
            onChange={(next) => onChange({ filter2: next })}
            error={problemOf('filter2')}
          />
        )}
      </>
    )
  }
  return (
    <>
      <FilterField
        label="Filter"
        fields={fields}
        tabs={tabs}
        value={filter}
        needsSecondLevel={chart.type === 'Pivot'}
        onChange={(next) => onChange({ filter: next })}
        error={problemOf('filter')}
      />
      {chart.type === 'CalculatedTable' && (
        <CalculatedColumnsField
          value={chart.calculatedColumns ?? []}
          error={problemOf('calculatedColumns')}
          onEdit={onEditColumns}
        />
      )}
    </>
  )
}

function ClickSwitch({ chart, onChange }: Pick<PartProps, 'chart' | 'onChange'>) {
  const { type, portico } = chart
  if (type === 'DatePicker' || type === 'Text' || type === 'Dropdown') return null
  return (
    <Switch
      label="Clicks on other cells do not narrow this one"
      checked={portico?.ignoresClicks ?? false}
      onChange={(event) => onChange({ portico: { ...portico, ignoresClicks: event.currentTarget.checked } })}
    />
  )
}

function columnsOf({ filter }: CellChart, fields: readonly Field[]): string[] {
  const grouping = filter ? readGrouping(parseFilter(filter), fields) : null
  return grouping ? [...grouping.keys.map(({ name }) => name), ...grouping.values] : []
}

type PaletteFieldProps = { chart: CellChart; onChange: (part: Partial<CellChart>) => void; error: string | undefined }

function PaletteField({ chart, onChange, error }: PaletteFieldProps) {
  const palette = paletteOf(chart.options.colors ?? [])
  return (
    <Select
      label="Colours"
      withAsterisk
      allowDeselect={false}
      data={palettes.map(({ name }) => name)}
      placeholder="Own colours"
      value={palette?.name ?? null}
      error={error}
      renderOption={({ option }) => (
        <span className={css['palette']}>
          {option.label}
          <span className={css['swatches']} aria-hidden>
            {palettes
              .find(({ name }) => name === option.value)
              ?.light.map((colour) => (
                <span key={colour} style={{ background: colour }} />
              ))}
          </span>
        </span>
      )}
      onChange={(name) => {
        const colors = palettes.find((each) => each.name === name)?.light
        if (colors) onChange({ options: { ...chart.options, colors: [...colors] } })
      }}
    />
  )
}
