import type { cellIcons } from '@portico/contract/dashboards/cell-icons'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { type CellKind, isChartKind, kpiTemplates } from '@portico/contract/dashboards/cell-kinds'
import { defaultChartOptions, donutHole } from '@portico/contract/dashboards/chart-defaults'
import type { FilterTab } from '#domain/filters'
import { allTime } from '@portico/domain/days'
import { palettes } from '#ui/chart/palettes.ts'

/** Kinds as people choose them: a donut is stored as a pie with a hole. */
export type ChosenKind = CellKind | 'Donut'

type KindDetails = { kind: ChosenKind; label: string; icon: (typeof cellIcons)[number]; tabs: FilterTab[] }

const conditions: FilterTab[] = ['standard', 'behavioral', 'bylocation', 'fulltext']
const grouped: FilterTab[] = ['standard', 'behavioral', 'bylocation', 'groupby', 'fulltext']
const listed: FilterTab[] = ['standard', 'behavioral', 'bylocation', 'columns', 'predefined', 'fulltext']

/** In the order in which they are offered. */
export const kinds: readonly KindDetails[] = [
  { kind: 'Column', label: 'Column chart', icon: 'chart-column', tabs: grouped },
  { kind: 'Bar', label: 'Bar chart', icon: 'chart-bar', tabs: grouped },
  { kind: 'Line', label: 'Line chart', icon: 'chart-line', tabs: grouped },
  { kind: 'Area', label: 'Area chart', icon: 'chart-area', tabs: grouped },
  { kind: 'Combo', label: 'Combo chart', icon: 'chart-combo', tabs: grouped },
  { kind: 'Pie', label: 'Pie chart', icon: 'chart-pie', tabs: grouped },
  { kind: 'Donut', label: 'Donut chart', icon: 'chart-donut', tabs: grouped },
  { kind: 'Geo', label: 'Geo chart', icon: 'chart-geo', tabs: grouped },
  { kind: 'Table', label: 'Table', icon: 'table', tabs: grouped },
  { kind: 'PaginaTable', label: 'Paginated table', icon: 'table-paged', tabs: listed },
  { kind: 'CalculatedTable', label: 'Calculated table', icon: 'table-calculated', tabs: grouped },
  { kind: 'Pivot', label: 'Pivot table', icon: 'table-pivot', tabs: grouped },
  { kind: 'KPI', label: 'KPI', icon: 'kpi', tabs: conditions },
  { kind: 'Dropdown', label: 'Dropdown', icon: 'dropdown', tabs: grouped },
  { kind: 'DatePicker', label: 'Date picker', icon: 'date-picker', tabs: [] },
  { kind: 'Text', label: 'Text', icon: 'text', tabs: [] },
]

export const chosenKind = ({ type, options }: CellChart): ChosenKind =>
  type === 'Pie' && (options.pieHole ?? 0) > 0 ? 'Donut' : type

export const detailsOf = (kind: ChosenKind): KindDetails | undefined => kinds.find((each) => each.kind === kind)

export const typeOf = (kind: ChosenKind): CellKind => (kind === 'Donut' ? 'Pie' : kind)

/** Whether a cell keeps its filter when its kind changes. */
export const keepsFilter = (one: CellKind, other: CellKind): boolean =>
  one === other || (isChartKind(one) && isChartKind(other))

/** A new cell of a kind, with as much of `before` as applies. */
export function newChart(kind: ChosenKind, before: CellChart | undefined): CellChart {
  const type = typeOf(kind)
  const keeps = before !== undefined && keepsFilter(before.type, type)
  const colors = before?.options.colors ?? [...palettes[0].light]
  const options: CellChart['options'] = isChartKind(type)
    ? { ...(keeps ? before.options : { ...defaultChartOptions }), colors }
    : type === 'KPI'
      ? { template: kpiTemplates[0], colors: colors.slice(0, 1) }
      : {}
  if (kind === 'Donut') options.pieHole = donutHole
  else delete options.pieHole
  const icon = detailsOf(kind)?.icon
  return {
    type,
    title: before?.title ?? '',
    options,
    gaugeMaxValue: 100,
    formatNumbers: true,
    ...(icon && { icon }),
    ...(keeps && before.filter ? { filter: before.filter } : needsFilter(type) ? { filter: { standard: [] } } : {}),
    ...(keeps && before.portico && { portico: before.portico }),
    ...(type === 'DatePicker' && {
      datePickerType: 'month' as const,
      defaultId: allTime,
      maxRange: 31,
      portico: { allTime: true },
    }),
  }
}

/** Whether cells of this kind query contacts. */
export const needsFilter = (type: CellKind): boolean => type !== 'DatePicker' && type !== 'Text'
