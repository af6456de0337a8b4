import type { CellKind } from '@portico/contract/dashboards/cell-kinds'
import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { drawChart } from './options/draw-chart.ts'

const kinds = ['Area', 'Bar', 'Column', 'Combo', 'Line', 'Pie'] as const

/** Names of the series of a chart, or of the slices of a pie, as its legend shows them; none for other kinds. */
export function seriesNamesOf(
  type: CellKind,
  options: ChartOptions,
  grouping: Grouping,
  rows: readonly Row[],
): string[] {
  const kind = kinds.find((each) => each === type)
  return kind ? drawChart({ kind, options, grouping, rows }).legend.map(({ name }) => name) : []
}
