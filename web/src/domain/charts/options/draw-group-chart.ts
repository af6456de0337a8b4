import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { Grouping, Row } from '@portico/contract/dashboards/groups'
import type { EChartsCoreOption } from 'echarts/core'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import { axisChart, type AxisKind, type Marked } from './axis-chart.ts'
import { chartDataOf, type Keys } from './chart-data.ts'
import { pieChart, slicesOf } from './pie-chart.ts'

/** A value of a chart that can be pointed at, and how it is read out. */
type ChartPoint = { series: number; at: number; text: string; keys: Keys }

/** A chart to draw, what its values stand for, and the groups of its legend. */
export type GroupDrawing = {
  options: (looks: ChartLooks) => EChartsCoreOption
  /** In the order in which the keyboard goes through them. */
  points: ChartPoint[]
  /** The groups of a legend entry or a category; null where a click says nothing. */
  keysOfLegend: (name: string) => Keys | null
  keysOfCategory: (name: string) => Keys | null
}

type Drawn = { kind: AxisKind | 'Pie'; options: ChartOptions; grouping: Grouping; rows: readonly Row[] }

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

const isIn = (chosen: Keys, keys: Keys): boolean => {
  const known = new Set(chosen.map((each) => JSON.stringify(each)))
  return keys.some((each) => known.has(JSON.stringify(each)))
}

/** Google-style options and the rows of a grouping as a chart. `chosen`: groups that are marked; none marks nothing. */
export function drawGroupChart({ kind, options, grouping, rows }: Drawn, chosen: Keys): GroupDrawing {
  const data = chartDataOf(grouping, rows)
  const isMarked: Marked | null = chosen.length > 0 ? (keys) => isIn(chosen, keys) : null
  if (kind === 'Pie') {
    const slices = slicesOf(data, options)
    const keysOf = (name: string): Keys | null => slices.find((slice) => slice.name === name)?.keys ?? null
    return {
      options: (looks) => pieChart({ options, slices, looks, isMarked }),
      points: slices.map(({ name, value, keys }, at) => ({
        series: 0,
        at,
        text: `${name}: ${number.format(value)}`,
        keys,
      })),
      keysOfLegend: keysOf,
      keysOfCategory: keysOf,
    }
  }
  const { series, categories, categoryKeys } = data
  return {
    options: (looks) => axisChart({ kind, options, data, looks, isMarked }),
    points: categories.flatMap((category, at) =>
      series.flatMap(({ name, data: values, keys }, index) => {
        const value = values[at]
        if (value === null || value === undefined) return []
        const of = series.length > 1 ? `${category}, ${name}` : category
        return [{ series: index, at, text: `${of}: ${number.format(value)}`, keys: keys[at] ?? [] }]
      }),
    ),
    keysOfLegend: (name) => series.find((each) => each.name === name)?.legendKeys ?? null,
    keysOfCategory: (name) => categoryKeys[categories.indexOf(name)] ?? null,
  }
}
