import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import type { Keys } from './chart-input.ts'
import { seriesColors } from './frame.ts'
import { faint, type Marks } from './marks.ts'
import { allKeysOf, canStack, type PlannedSeries, stackOf, type Stacking } from './series-plan.ts'

const symbols: Record<string, string> = {
  circle: 'circle',
  triangle: 'triangle',
  square: 'rect',
  diamond: 'diamond',
  star: 'path://M50 5 L61 39 L97 39 L68 61 L79 95 L50 74 L21 95 L32 61 L3 39 L39 39 Z',
  polygon: 'path://M50 3 L97 38 L79 95 L21 95 L3 38 Z',
}

/** Lines with patterns, in turn. */
const dashes = ['solid', 'dashed', 'dotted', [10, 4, 2, 4], [14, 4], [2, 6]]

/** Pixels of the point that a mouse finds on a line without points. */
const usualPointSize = 7

export type SeriesContext = {
  options: ChartOptions
  looks: ChartLooks
  isSideways: boolean
  stacking: Stacking
  marks: Marks
  hasPatterns: boolean
  /** Values at or below zero have no place on a logarithmic axis. */
  isLog: boolean
}

/** A series as the engine draws it. */
export function seriesOption(series: PlannedSeries, at: number, context: SeriesContext) {
  const { options, looks, isSideways, stacking } = context
  const colors = seriesColors(options, looks)
  const color = series.own.color ?? colors[at % colors.length] ?? looks.text
  const common = {
    name: series.name,
    ...(isSideways ? { xAxisIndex: series.axis } : { yAxisIndex: series.axis }),
    ...(stacking !== 'none' && canStack(series.type) && { stack: stackOf(series) }),
  }
  if (series.candles) return { ...common, ...candleOption(series, color, context) }
  if (series.type === 'bars') return { ...common, ...barOption(series, color, context) }
  return { ...common, ...lineOption(series, at, color, context) }
}

const valuesOf = ({ shares, data }: PlannedSeries, isLog: boolean): (number | null)[] =>
  (shares ?? data).map((value) => (isLog && value !== null && value <= 0 ? null : value))

function barOption(series: PlannedSeries, color: string, { marks, isLog, isSideways, stacking }: SeriesContext) {
  return {
    type: 'bar',
    barMaxWidth: 42,
    barMinHeight: 1,
    itemStyle: {
      color,
      ...(stacking === 'none' && { borderRadius: isSideways ? [0, 3, 3, 0] : [3, 3, 0, 0] }),
    },
    data: valuesOf(series, isLog).map((value, at) => dimmed(value, series.keys[at] ?? [], marks)),
  }
}

/** A value, dimmed where others were chosen. */
const dimmed = <T>(value: T, keys: Keys, marks: Marks) =>
  marks.areAny ? { value, itemStyle: { opacity: marks.opacityOf(keys) } } : value

function candleOption({ candles, keys }: PlannedSeries, color: string, { looks, marks }: SeriesContext) {
  return {
    type: 'candlestick',
    // Rising candles are filled, falling ones are hollow.
    itemStyle: { color, color0: looks.surface, borderColor: color, borderColor0: color },
    data: (candles ?? []).map((candle, at) =>
      dimmed(candle ? [candle.open, candle.close, candle.low, candle.high] : '-', keys[at] ?? [], marks),
    ),
  }
}

function lineOption(series: PlannedSeries, at: number, color: string, context: SeriesContext) {
  const { options, marks, isLog, hasPatterns } = context
  const { own, keys, type } = series
  const data = valuesOf(series, isLog)
  const pointSize = own.pointSize ?? options.pointSize ?? 0
  const arePointsVisible = options.pointsVisible ?? pointSize > 0
  const isAnyMarked = marks.isMarked(allKeysOf(series))
  const strength = !marks.areAny ? 1 : isAnyMarked ? 0.6 : faint
  const isAlone = (index: number): boolean => (data[index - 1] ?? null) === null && (data[index + 1] ?? null) === null
  const hasAlone = data.some((value, index) => value !== null && isAlone(index))
  const isShown = (index: number): boolean =>
    arePointsVisible || isAlone(index) || (marks.areAny && marks.isMarked(keys[index] ?? []))
  const showsSome = !arePointsVisible && (hasAlone || isAnyMarked)
  const size = pointSize > 0 ? pointSize : usualPointSize
  return {
    type: 'line',
    triggerEvent: true,
    symbol: symbols[own.pointShape ?? options.pointShape ?? 'circle'] ?? 'circle',
    symbolSize: size,
    showSymbol: arePointsVisible || showsSome,
    showAllSymbol: arePointsVisible || showsSome,
    itemStyle: { color },
    lineStyle: {
      color,
      width: own.lineWidth ?? options.lineWidth ?? 2,
      opacity: strength,
      ...(hasPatterns && { type: dashes[at % dashes.length] }),
    },
    smooth: (own.curveType ?? options.curveType) === 'function' ? 0.35 : false,
    ...(type === 'steppedArea' && { step: 'middle' }),
    ...(type !== 'line' && { areaStyle: { color, opacity: 0.32 * strength } }),
    data: data.map((value, index) => ({
      value,
      ...(showsSome && !isShown(index) && { symbolSize: 0 }),
      ...(marks.areAny && { itemStyle: { opacity: marks.opacityOf(keys[index] ?? []) } }),
    })),
  }
}
