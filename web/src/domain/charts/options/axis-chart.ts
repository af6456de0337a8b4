import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { FieldFormat } from '@portico/domain/field-format'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import { type AxisContext, axisOptions, categoryAxis, followsField, needsSize, valueAxis, valueFormat } from './axes.ts'
import { shapedData } from './chart-data.ts'
import type { AxisKind, ChartData, ChartInput, DrawnValue, Drawing, Size } from './chart-input.ts'
import { formatComputed } from '../field-value.ts'
import { areaOf, commonOf, fillOf, legendOf, looksOn, tooltipOf } from './frame.ts'
import { type Marks, marksOf } from './marks.ts'
import { numberFormat } from './number-format.ts'
import { seriesOption } from './series.ts'
import { type PlannedSeries, planSeries, stackingOf } from './series-plan.ts'
import { withNoValueApart } from './no-value-apart.ts'

/** Whether categories go down the vertical axis. */
function isSidewaysOf(kind: AxisKind, { bars, orientation }: ChartOptions): boolean {
  if (orientation !== undefined) return orientation === 'vertical'
  if (bars !== undefined && kind !== 'Line' && kind !== 'Area') return bars === 'horizontal'
  return kind === 'Bar'
}

/** Numbers with all their digits that matter: sums of fractions end in noise. */
const exact = numberFormat('decimal')

type Parts = {
  input: ChartInput
  data: ChartData
  series: PlannedSeries[]
  marks: Marks
  isSideways: boolean
  timeZone: string | undefined
}

/** Draws area, bar, column, combo and line charts. Dates in a format of an axis are those of the time zone. */
export function axisChart(input: ChartInput & { kind: AxisKind }, timeZone?: string): Drawing {
  const { kind, options, chosen } = input
  const data = withNoValueApart(shapedData(input))
  const series = planSeries(kind, options, data)
  const marks = marksOf(
    chosen,
    series.flatMap(({ keys }) => keys),
  )
  const isSideways = isSidewaysOf(kind, options)
  const parts: Parts = { input, data, series, marks, isSideways, timeZone }
  return {
    options: (looks, size) => optionsOf(parts, looks, size),
    values: valuesOf(parts),
    legend: series.map(({ name, legendKeys }) => ({ name, keys: legendKeys })),
    categories: data.categories.map((name, at) => ({ name, keys: data.categoryKeys[at] ?? [] })),
    categoryAxis: isSideways ? 'y' : 'x',
    isLine: series.every(({ type }) => type !== 'bars' && type !== 'candlesticks'),
    needsMore: series.some(({ candles }) => candles !== null),
    // Labels below the groups are laid out by the width.
    followsSize: !isSideways || needsSize(options),
    notes: hasDateFormat(options, isSideways, series)
      ? ['Values are numbers: the date format of their axis is left out.']
      : [],
  }
}

/** Whether an axis of values has a format of dates, which would write numbers as days of 1970. */
const hasDateFormat = (options: ChartOptions, isSideways: boolean, series: readonly PlannedSeries[]): boolean =>
  series.some(({ axis }) => {
    const { format = '' } = axisOptions({ options, isSideways }, 'value', axis)
    return format === 'date' || (/[yMd]/.test(format) && !/[#0]/.test(format))
  })

function optionsOf(parts: Parts, pageLooks: ChartLooks, size: Size) {
  const { input, data, series, isSideways, timeZone } = parts
  const { options, hidden = [], hasPatterns = false } = input
  const looks = looksOn(options, pageLooks)
  const stacking = stackingOf(options)
  const context: AxisContext = { options, looks, size, isSideways, stacking, isWhole: series.every(isWhole), timeZone }
  const hasSecond = series.some(({ axis }) => axis === 1)
  const values = (hasSecond ? [0, 1] : [0]).map((at) =>
    valueAxis(at, { ...context, format: sharedFormat(series.filter(({ axis }) => axis === at)) }),
  )
  const category = categoryAxis(data, context, series.every(isEdgeless))
  const background = fillOf(options.chartArea?.backgroundColor)
  const isMaximized = options.theme === 'maximized'
  return {
    ...commonOf(options, looks, hasPatterns),
    legend: { ...legendOf(options, looks, hidden), data: series.map(({ name }) => name) },
    tooltip: {
      ...tooltipOf(looks),
      trigger: 'axis',
      axisPointer: { type: series.every(isEdgeless) ? 'line' : 'shadow', lineStyle: { color: looks.dimmed } },
      formatter: (points: unknown) => tipOf(parts, points),
    },
    grid: {
      ...areaOf(options),
      ...(!isMaximized && { outerBoundsMode: 'same', outerBoundsContain: 'all' }),
      ...(background !== undefined && { show: true, backgroundColor: background, borderWidth: 0 }),
    },
    xAxis: isSideways ? values : category,
    yAxis: isSideways ? category : values,
    series: series.map((one, at) => {
      const isLog = axisOptions(context, 'value', one.axis).logScale === true
      return seriesOption(one, at, { ...context, marks: parts.marks, hasPatterns, isLog })
    }),
  }
}

const isWhole = ({ data }: PlannedSeries): boolean => data.every((value) => value === null || Number.isInteger(value))

/** The format that all series of an axis have in common; undefined where they differ, or have none. */
function sharedFormat([first, ...others]: readonly PlannedSeries[]): FieldFormat | undefined {
  const format = first?.format
  const isShared = others.every((one) => JSON.stringify(one.format) === JSON.stringify(format))
  return isShared ? format : undefined
}

const isEdgeless = ({ type }: PlannedSeries): boolean => type === 'area' || type === 'steppedArea'

/** The text of a value: its number, and its share where that is what is drawn. */
function valueText({ input, isSideways }: Parts, series: PlannedSeries, at: number): string | null {
  const candle = series.candles?.[at]
  const sides = { options: input.options, isSideways }
  const { format } = axisOptions(sides, 'value', series.axis)
  const own = series.format
  const usual = own ? (value: number) => formatComputed(value, own) : exact
  const isOwn = own ? followsField({ format }, own) : format === undefined
  const write = isOwn || series.shares ? usual : numberFormat(format)
  if (series.candles) {
    if (!candle) return null
    const { low, open, close, high } = candle
    return `low ${write(low)}, open ${write(open)}, close ${write(close)}, high ${write(high)}`
  }
  const value = series.data[at] ?? null
  if (value === null) return null
  const share = series.shares?.[at]
  if (share === undefined || share === null) return write(value)
  const stacking = stackingOf(input.options)
  return `${write(value)} (${numberFormat(valueFormat({ ...sides, stacking }, series.axis))(share)})`
}

function valuesOf(parts: Parts): DrawnValue[] {
  const { data, series, marks, input } = parts
  return data.categories.flatMap((category, index) =>
    series.flatMap((one, at): DrawnValue[] => {
      const text = valueText(parts, one, index)
      if (text === null || input.hidden?.includes(one.name)) return []
      const keys = one.keys[index] ?? []
      return [{ series: at, index, text: `${category}, ${one.name}: ${text}`, keys, isMarked: marks.isMarked(keys) }]
    }),
  )
}

type TipPoint = { marker?: string; seriesIndex?: number; dataIndex?: number }

/** Lines of a tooltip. More would not fit into a chart. */
const mostLines = 9

function tipOf(parts: Parts, points: unknown): string {
  const list = (Array.isArray(points) ? points : [points]) as TipPoint[]
  const at = list[0]?.dataIndex ?? 0
  const lines = list.flatMap(({ marker = '', seriesIndex = -1 }) => {
    const series = parts.series[seriesIndex]
    const text = series && valueText(parts, series, at)
    return series && text ? [`${marker} ${series.name}: ${text}`] : []
  })
  const more = lines.length - mostLines
  const shown = more > 0 ? [...lines.slice(0, mostLines), `… ${more} more`] : lines
  return [parts.data.categories[at] ?? '', ...shown].join('\n')
}
