import { axisChart } from './axis-chart.ts'
import type { AxisKind, ChartInput, Drawing } from './chart-input.ts'
import { pieChart } from './pie-chart.ts'

type DrawnInput = ChartInput & { kind: AxisKind | 'Pie' }

/** Google-style options and the rows of a grouping as a chart, but for maps. */
export function drawChart(input: DrawnInput, timeZone?: string): Drawing {
  const { kind } = input
  return kind === 'Pie' ? pieChart(input) : axisChart({ ...input, kind }, timeZone)
}
