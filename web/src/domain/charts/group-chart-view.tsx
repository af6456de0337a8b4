import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Grouping, Row } from '@portico/contract/dashboards/groups'
import { useMemo } from 'react'
import { Chart, type ChartPick } from '#ui/chart/chart.tsx'
import type { AxisKind } from './options/axis-chart.ts'
import type { Keys } from './options/chart-data.ts'
import { drawGroupChart } from './options/draw-group-chart.ts'

type GroupChartProps = {
  label: string
  kind: AxisKind | 'Pie'
  /** As Google Charts names them. */
  options: ChartOptions
  grouping: Grouping
  rows: readonly Row[]
  /** Groups that are marked. */
  chosen: Keys
  /** Groups that were clicked. Without it nothing can be chosen. */
  onChoose?: (keys: Keys, isAdding: boolean) => void
}

const usualHeight = 250

/** Groups as a chart. Its values can be chosen with the mouse and the keyboard. */
export function GroupChart({ label, kind, options, grouping, rows, chosen, onChoose }: GroupChartProps) {
  const drawing = useMemo(
    () => drawGroupChart({ kind, options, grouping, rows }, chosen),
    [kind, options, grouping, rows, chosen],
  )
  const pick = (picked: ChartPick, isAdding: boolean): void => {
    const keys = keysOf(picked)
    if (keys && keys.length > 0) onChoose?.(keys, isAdding)
  }
  const keysOf = (picked: ChartPick): Keys | null => {
    if (picked.kind === 'value') {
      return drawing.points.find(({ series, at }) => series === picked.series && at === picked.at)?.keys ?? null
    }
    return picked.kind === 'legend' ? drawing.keysOfLegend(picked.name) : drawing.keysOfCategory(picked.name)
  }
  return (
    <Chart
      label={label}
      height={options.height ?? usualHeight}
      options={drawing.options}
      stops={drawing.points}
      {...(onChoose && { onPick: pick, onReset: () => chosen.length > 0 && onChoose(chosen, false) })}
    />
  )
}
