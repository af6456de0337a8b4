import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import type { ChartData, ChartSeries } from './chart-data.ts'
import { areaOf, commonOf, fillOf, legendOf, textOf, tooltipOf } from './frame.ts'
import { numberFormat } from './number-format.ts'

/** Kinds that are drawn along two axes. */
export type AxisKind = 'Area' | 'Bar' | 'Column' | 'Combo' | 'Line'

type AxisOptions = NonNullable<ChartOptions['hAxis']>
type SeriesOptions = {
  type?: string | undefined
  color?: string | undefined
  lineWidth?: number | undefined
  pointSize?: number | undefined
  pointShape?: string | undefined
  curveType?: string | undefined
  targetAxisIndex?: number | undefined
}

/** An entry of a list that Google writes as a list or by number. */
function entry<T>(list: readonly T[] | Record<string, T> | undefined, at: number): T | undefined {
  return Array.isArray(list) ? (list as readonly T[])[at] : (list as Record<string, T> | undefined)?.[String(at)]
}

/** Whether categories go down the vertical axis. */
const isSideways = (kind: AxisKind, { bars, orientation }: ChartOptions): boolean =>
  kind === 'Bar' ? bars !== 'vertical' : bars === 'horizontal' || orientation === 'vertical'

type Stacking = 'none' | 'sum' | 'percent' | 'relative'

function stackingOf({ isStacked }: ChartOptions): Stacking {
  if (isStacked === true || isStacked === 'true') return 'sum'
  return isStacked === 'percent' || isStacked === 'relative' ? isStacked : 'none'
}

const symbols: Record<string, string> = {
  circle: 'circle',
  triangle: 'triangle',
  square: 'rect',
  diamond: 'diamond',
  star: 'path://M50 5 L61 39 L97 39 L68 61 L79 95 L50 74 L21 95 L32 61 L3 39 L39 39 Z',
  polygon: 'path://M50 3 L97 38 L79 95 L21 95 L3 38 Z',
}

const usualTypes: Record<AxisKind, string> = { Area: 'area', Bar: 'bars', Column: 'bars', Combo: 'bars', Line: 'line' }

function typeOf(kind: AxisKind, options: ChartOptions, own: SeriesOptions | undefined, at: number): string {
  if (own?.type !== undefined) return own.type
  if (kind !== 'Combo') return usualTypes[kind]
  // A combination of one type is none: the first series is bars, the others are lines.
  return options.seriesType ?? (at === 0 ? 'bars' : 'line')
}

/** How strong values are drawn beside those that were chosen. */
const faint = 0.28

export type Marked = (keys: ChartSeries['keys'][number]) => boolean

type Drawing = { kind: AxisKind; options: ChartOptions; data: ChartData; looks: ChartLooks; isMarked: Marked | null }

/** Options of ECharts for a chart with axes. */
export function axisChart(drawing: Drawing) {
  const { kind, options, data, looks } = drawing
  const sideways = isSideways(kind, options)
  const stacking = stackingOf(options)
  const rows =
    stacking === 'percent' || stacking === 'relative' ? shares(data.series) : data.series.map((each) => each.data)
  const hasSecond = data.series.some((_, at) => entry<SeriesOptions>(options.series, at)?.targetAxisIndex === 1)
  const category = categoryAxis(sideways ? options.vAxis : options.hAxis, data.categories, options, looks, sideways)
  const value = [0, ...(hasSecond ? [1] : [])].map((at) => valueAxis(at, drawing, sideways, stacking))
  const names = data.series.map(({ name }) => name)
  const background = fillOf(options.chartArea?.backgroundColor)
  const maximized = options.theme === 'maximized'
  return {
    ...commonOf(options, looks),
    legend: legendOf(options, looks, names.length > 1 ? names : []),
    tooltip: {
      ...tooltipOf(looks),
      trigger: 'axis',
      axisPointer: { type: 'shadow' },
      valueFormatter: (amount: unknown) =>
        typeof amount === 'number' ? numberFormat(formatOf(drawing, sideways, stacking))(amount) : '–',
    },
    grid: {
      ...(maximized ? { left: 0, top: 0, right: 0, bottom: 0 } : areaOf(options, names.length > 1)),
      outerBoundsMode: 'same',
      outerBoundsContain: 'all',
      ...(background !== undefined && { show: true, backgroundColor: background, borderWidth: 0 }),
    },
    xAxis: sideways ? value : category,
    yAxis: sideways ? category : value,
    series: data.series.map((series, at) =>
      seriesOf(drawing, { series, at, data: rows[at] ?? [], sideways, stacking }),
    ),
  }
}

/** Each value as its share of all series in the category. */
function shares(series: readonly ChartSeries[]): (number | null)[][] {
  const sums = (series[0]?.data ?? []).map((_, at) =>
    series.reduce((sum, { data }) => sum + Math.abs(data[at] ?? 0), 0),
  )
  return series.map(({ data }) => data.map((value, at) => (value === null || !sums[at] ? null : value / sums[at])))
}

type OneSeries = { series: ChartSeries; at: number; data: (number | null)[]; sideways: boolean; stacking: Stacking }

function seriesOf({ kind, options, isMarked }: Drawing, { series, at, data, sideways, stacking }: OneSeries) {
  const own = entry<SeriesOptions>(options.series, at)
  const type = typeOf(kind, options, own, at)
  const isBar = type === 'bars' || type === 'candlesticks'
  const hasArea = type === 'area' || type === 'steppedArea'
  const colour = own?.color
  const pointSize = own?.pointSize ?? options.pointSize ?? 0
  const width = own?.lineWidth ?? options.lineWidth ?? 2
  const curve = own?.curveType ?? options.curveType
  const axis = own?.targetAxisIndex === 1 ? 1 : 0
  const stack = stacking !== 'none' && type !== 'line' ? { stack: `total ${axis}` } : {}
  const values = data.map((value, index) => {
    if (!isMarked) return value
    return { value, itemStyle: { opacity: isMarked(series.keys[index] ?? []) ? 1 : faint } }
  })
  const common = {
    name: series.name,
    data: values,
    ...(sideways ? { xAxisIndex: axis } : { yAxisIndex: axis }),
    ...stack,
    ...(colour !== undefined && { itemStyle: { color: colour } }),
    emphasis: { focus: 'series' },
  }
  if (isBar) return { ...common, type: 'bar', barMaxWidth: 42 }
  return {
    ...common,
    type: 'line',
    lineStyle: { width, ...(colour !== undefined && { color: colour }) },
    symbol: symbols[own?.pointShape ?? options.pointShape ?? 'circle'] ?? 'circle',
    symbolSize: pointSize > 0 ? pointSize : 6,
    showSymbol: options.pointsVisible ?? pointSize > 0,
    // Charts of one point have no line to see.
    showAllSymbol: data.length < 3,
    ...(curve === 'function' && { smooth: 0.35 }),
    ...(type === 'steppedArea' && { step: 'middle' }),
    ...(hasArea && { areaStyle: { opacity: 0.3 } }),
    connectNulls: false,
  }
}

function titleOf(axis: AxisOptions | undefined, options: ChartOptions, gap: number) {
  if (!axis?.title || options.axisTitlePosition === 'none' || options.theme === 'maximized') return {}
  return { name: axis.title, nameLocation: 'middle', nameGap: gap }
}

function labelOf(axis: AxisOptions | undefined, options: ChartOptions, looks: ChartLooks) {
  const place = axis?.textPosition ?? (options.theme === 'maximized' ? 'in' : 'out')
  return {
    ...textOf({ ...options, fontSize: options.fontSize ?? 11 }, looks),
    color: looks.dimmed,
    show: place !== 'none',
    inside: place === 'in',
  }
}

function categoryAxis(
  axis: AxisOptions | undefined,
  categories: string[],
  options: ChartOptions,
  looks: ChartLooks,
  sideways: boolean,
) {
  return {
    type: 'category',
    data: categories,
    triggerEvent: true,
    ...(sideways && { inverse: true }),
    ...titleOf(axis, options, sideways ? 60 : 28),
    axisTick: { show: false },
    axisLine: { lineStyle: { color: looks.line } },
    axisLabel: { ...labelOf(axis, options, looks), hideOverlap: true, overflow: 'truncate', width: 110 },
  }
}

/** The options of the value axis: Google's horizontal axis describes what is horizontal. */
function valueOptions({ options }: Drawing, at: number, sideways: boolean): AxisOptions | undefined {
  return sideways ? (entry(options.hAxes, at) ?? options.hAxis) : (entry(options.vAxes, at) ?? options.vAxis)
}

function formatOf(drawing: Drawing, sideways: boolean, stacking: Stacking): string | undefined {
  const format = valueOptions(drawing, 0, sideways)?.format
  return format ?? (stacking === 'percent' ? 'percent' : undefined)
}

function valueAxis(at: number, drawing: Drawing, sideways: boolean, stacking: Stacking) {
  const { options, looks } = drawing
  const axis = valueOptions(drawing, at, sideways)
  const { color, count, minSpacing } = axis?.gridlines ?? {}
  const isShare = stacking === 'percent' || stacking === 'relative'
  const format = numberFormat(axis?.format ?? (stacking === 'percent' ? 'percent' : isShare ? undefined : 'short'))
  // A hint, as in Google's charts. The height is known only roughly here.
  const bySpacing = minSpacing ? Math.max(1, Math.floor(((options.height ?? 250) - 60) / minSpacing)) : undefined
  const splits = count === undefined ? bySpacing : count - 1
  return {
    type: axis?.logScale ? 'log' : 'value',
    ...(at === 1 && { position: sideways ? 'top' : 'right' }),
    ...(axis?.minValue !== undefined && { min: axis.minValue }),
    ...(axis?.maxValue !== undefined ? { max: axis.maxValue } : isShare && { max: 1 }),
    ...(splits !== undefined && splits > 0 && { splitNumber: splits }),
    ...titleOf(axis, options, sideways ? 28 : 48),
    splitLine: { show: at === 0 && splits !== 0, lineStyle: { color: color ?? looks.line } },
    axisLabel: { ...labelOf(axis, options, looks), formatter: (value: number) => format(value) },
  }
}
