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

/** Templates of KPI tiles (specification 4 §2). Other names are stored, and shown as invalid. */
export const kpiTemplates = [
  'kpi-1',
  'internal-date-range',
  'master-date-range',
  'ratio-with-master-date-range',
] as const
export type KpiTemplate = (typeof kpiTemplates)[number]
export const ratioTemplate: KpiTemplate = 'ratio-with-master-date-range'

/** Returns the template of a KPI tile; the first one by default. */
export const kpiTemplateOf = ({ options }: { options: { template?: string | undefined } }): string =>
  options.template ?? kpiTemplates[0]
