import type { ECharts } from 'echarts/core'

/** A choice: a value, all values of a category or of several in a row, or an entry of the legend. */
export type ChartPick =
  | { kind: 'value'; series: number; index: number }
  | { kind: 'categories'; from: number; to: number }
  | { kind: 'legend'; name: string }

export type PickedEvent = {
  componentType?: string
  seriesIndex?: number
  dataIndex?: number
  value?: unknown
  event?: { offsetX: number; offsetY: number }
}

/** The part of a chart that was clicked; null for parts that cannot be chosen. */
export function pickOf(chart: ECharts, { componentType, seriesIndex, dataIndex, value, event }: PickedEvent) {
  if (componentType === 'series' && seriesIndex !== undefined) {
    const index = dataIndex ?? (event ? nearestIndex(chart, seriesIndex, [event.offsetX, event.offsetY]) : null)
    return index === null ? null : ({ kind: 'value', series: seriesIndex, index } as const)
  }
  // The value is the index of the label's category.
  const isAxis = componentType === 'xAxis' || componentType === 'yAxis'
  const at = isAxis && typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isInteger(at) ? ({ kind: 'categories', from: at, to: at } as const) : null
}

type Point = [number, number]

/** The index of the series' point nearest to the click on its line. */
function nearestIndex(chart: ECharts, seriesIndex: number, point: Point): number | null {
  const found: unknown = chart.convertFromPixel({ seriesIndex }, point)
  const { xAxis } = chart.getOption() as { xAxis?: { type?: string }[] }
  const place: unknown = Array.isArray(found) ? found[xAxis?.[0]?.type === 'category' ? 0 : 1] : null
  return typeof place === 'number' && place >= 0 ? Math.round(place) : null
}

/** The category at a point of the page, along `axis`; null outside the chart. */
export function categoryAt(chart: ECharts, axis: 'x' | 'y', point: Point): number | null {
  if (!chart.containPixel('grid', point)) return null
  const [place] = [axis === 'x' ? point[0] : point[1]]
  const index: unknown = chart.convertFromPixel(axis === 'x' ? { xAxisIndex: 0 } : { yAxisIndex: 0 }, place)
  return typeof index === 'number' && index >= 0 ? Math.round(index) : null
}

/** A click between a chart's lines means the nearest category. */
export function pickBeside(chart: ECharts, axis: 'x' | 'y', point: Point): ChartPick | null {
  const at = categoryAt(chart, axis, point)
  return at === null ? null : { kind: 'categories', from: at, to: at }
}
