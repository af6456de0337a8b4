// Separate from the schemas of cells, which viewers do not load.

/** Kinds of cells that draw groups. A donut is a `Pie` with a hole. */
export const chartKinds = ['Area', 'Bar', 'Column', 'Combo', 'Geo', 'Line', 'Pie'] as const
export const cellKinds = [
  ...chartKinds,
  'Table',
  'PaginaTable',
  'CalculatedTable',
  'KPI',
  'Dropdown',
  'DatePicker',
  'Pivot',
  'Text',
] as const
export type CellKind = (typeof cellKinds)[number]
export const isChartKind = (kind: CellKind): boolean => chartKinds.some((each) => each === kind)
/** Returns whether a kind of chart has an axis of groups and one of values. */
export const hasAxes = (kind: CellKind): boolean => isChartKind(kind) && kind !== 'Geo' && kind !== 'Pie'

/** Icons a cell can have. */
export const cellIcons = [
  'chart-area',
  'chart-bar',
  'chart-column',
  'chart-combo',
  'chart-donut',
  'chart-geo',
  'chart-line',
  'chart-pie',
  'table',
  'table-paged',
  'table-calculated',
  'table-pivot',
  'kpi',
  'dropdown',
  'date-picker',
  'text',
] as const

/** Templates of KPI tiles (specification 4 §2). Other names are stored, and shown as invalid. */
export const kpiTemplates = [
  'kpi-1',
  'internal-date-range',
  'master-date-range',
  'ratio-with-master-date-range',
] as const
export type KpiTemplate = (typeof kpiTemplates)[number]
export const ratioTemplate: KpiTemplate = 'ratio-with-master-date-range'

/** Maximum days of a date picker's range for a number of months (specification 4 §9). */
export const pickerRangeNames = { '31': '1 month', '62': '2 months', '93': '3 months' } as const

/** Returns the template of a KPI tile; the first one by default. */
export const kpiTemplateOf = ({ options }: { options: { template?: string | undefined } }): string =>
  options.template ?? kpiTemplates[0]
