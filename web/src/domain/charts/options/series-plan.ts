import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { ChartData, ChartSeries } from './chart-input.ts'
import type { AxisKind, Keys } from './chart-input.ts'

export type SeriesType = 'area' | 'bars' | 'candlesticks' | 'line' | 'steppedArea'

type SeriesOptions = {
  type?: SeriesType | undefined
  color?: string | undefined
  lineWidth?: number | undefined
  pointSize?: number | undefined
  pointShape?: string | undefined
  curveType?: string | undefined
  targetAxisIndex?: number | undefined
}

/** Low, open, close and high of one category. */
type Candle = { low: number; open: number; close: number; high: number }

/** `shares` are the values as they are stacked: from 0 to 1 where they add up to all. */
export type PlannedSeries = ChartSeries & {
  type: SeriesType
  own: SeriesOptions
  axis: 0 | 1
  shares: (number | null)[] | null
  candles: (Candle | null)[] | null
}

export type Stacking = 'none' | 'percent' | 'relative' | 'sum'

export function stackingOf({ isStacked }: ChartOptions): Stacking {
  if (isStacked === true || isStacked === 'true') return 'sum'
  return isStacked === 'percent' || isStacked === 'relative' ? isStacked : 'none'
}

/** An entry of a list that Google writes as a list, or as an object by number. */
export function entryOf<T>(list: readonly T[] | Record<string, T> | undefined, at: number): T | undefined {
  if (list === undefined) return undefined
  return isList(list) ? list[at] : list[String(at)]
}

const isList = <T>(list: readonly T[] | Record<string, T>): list is readonly T[] => Array.isArray(list)

const usualTypes: Record<AxisKind, SeriesType> = {
  Area: 'area',
  Bar: 'bars',
  Column: 'bars',
  Combo: 'bars',
  Line: 'line',
}

function typeOf(kind: AxisKind, options: ChartOptions, own: SeriesOptions, at: number): SeriesType {
  if (own.type) return own.type
  if (kind !== 'Combo') return usualTypes[kind]
  // A combination that names no types shows the first value as bars, and the others as lines.
  return options.seriesType ?? (at === 0 ? 'bars' : 'line')
}

/** Only what has the same shape can be stacked. */
export const canStack = (type: SeriesType): boolean => type === 'bars' || type === 'area' || type === 'steppedArea'

export const stackOf = ({ type, axis }: Pick<PlannedSeries, 'axis' | 'type'>): string =>
  `${type === 'bars' ? 'bars' : 'areas'} ${axis}`

/** The series of a chart with axes: four values in a row make one of candles. */
export function planSeries(kind: AxisKind, options: ChartOptions, { series }: ChartData): PlannedSeries[] {
  const planned: PlannedSeries[] = []
  for (let at = 0; at < series.length; at++) {
    const one = series[at]
    if (!one) break
    const own: SeriesOptions = entryOf<SeriesOptions>(options.series, planned.length) ?? {}
    const wanted = typeOf(kind, options, own, planned.length)
    const four = series.slice(at, at + 4)
    const candles = wanted === 'candlesticks' && four.length === 4 ? candlesOf(four) : null
    const type = wanted === 'candlesticks' && !candles ? 'bars' : wanted
    if (candles) at += 3
    const name = candles ? `${one.name} – ${four[3]?.name ?? ''}` : one.name
    planned.push({ ...one, name, type, own, axis: own.targetAxisIndex === 1 ? 1 : 0, shares: null, candles })
  }
  return withShares(planned, stackingOf(options))
}

function candlesOf([low, open, close, high]: ChartSeries[]): (Candle | null)[] | null {
  if (!low || !open || !close || !high) return null
  return low.data.map((_, at) => {
    const candle = { low: low.data[at], open: open.data[at], close: close.data[at], high: high.data[at] }
    return isWhole(candle) ? candle : null
  })
}

const isWhole = (candle: Record<keyof Candle, number | null | undefined>): candle is Candle =>
  Object.values(candle).every((value) => typeof value === 'number')

function withShares(planned: PlannedSeries[], stacking: Stacking): PlannedSeries[] {
  if (stacking === 'none' || stacking === 'sum') return planned
  const stacks = Map.groupBy(
    planned.filter(({ type }) => canStack(type)),
    stackOf,
  )
  const sums = new Map([...stacks].map(([name, ofStack]) => [name, sumsOf(ofStack)]))
  return planned.map((one) => {
    const sum = canStack(one.type) ? sums.get(stackOf(one)) : undefined
    if (!sum) return one
    return { ...one, shares: one.data.map((value, at) => (value === null || !sum[at] ? null : value / sum[at])) }
  })
}

const sumsOf = (series: readonly ChartSeries[]): number[] =>
  (series[0]?.data ?? []).map((_, at) => series.reduce((sum, { data }) => sum + Math.abs(data[at] ?? 0), 0))

/** All groups that a series stands for. */
export const allKeysOf = ({ keys }: Pick<ChartSeries, 'keys'>): Keys => keys.flat()
