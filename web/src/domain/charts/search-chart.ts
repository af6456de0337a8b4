import { addDecimals } from '@portico/domain/decimals'
import type { FieldFormat } from '@portico/domain/field-format'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { formatNumber } from '#lib/formats.ts'
import { formatComputed, formatShort } from './field-value.ts'
import type { ChartData, ChartSeries } from './options/chart-input.ts'
import { chartDataOf } from './options/chart-data.ts'
import { layOutLabels } from './options/category-labels.ts'
import { tooltipOf } from './options/frame.ts'
import { withNoValueApart } from './options/no-value-apart.ts'

/** Limit of columns side by side. More are stacked where their sum has a meaning. */
const besideEachOther = 4
/** More colours than these are not told apart. */
const mostSeries = 6

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Columns of numbers that can be drawn. */
const drawable = ({ values }: Grouping, rows: readonly Row[]): string[] =>
  values.filter((name) => rows.some((row) => isNumber(row[name])))

/**
 * Whether a chart says more than the table: with more than two keys in the results (specification 4 §2), be it columns
 * or groups. Without numbers there is nothing to draw.
 */
export function hasChart(grouping: Grouping, rows: readonly Row[]): boolean {
  const [first] = grouping.keys
  if (!first || drawable(grouping, rows).length === 0) return false
  const groups = new Set(rows.map((row) => row[first.name]))
  return groups.size > 2 || grouping.keys.length + grouping.values.length > 2
}

type Series = Pick<ChartSeries, 'data' | 'name'>

/** All that could be drawn: one for each value, or of the first value one for each kind that the other keys make. */
function dataOf(grouping: Grouping, rows: readonly Row[]): ChartData {
  const values = drawable(grouping, rows)
  const drawn = grouping.keys.length > 1 ? values.slice(0, 1) : values
  return withNoValueApart(chartDataOf({ ...grouping, values: drawn }, rows))
}

/** The series to draw: the first ones, and the sum of the rest where a sum has a meaning. */
function drawnOf(
  grouping: Grouping,
  rows: readonly Row[],
): { categories: string[]; series: Series[]; leftOut: number; canSum: boolean } {
  const [value = ''] = drawable(grouping, rows)
  const { categories, series: all } = dataOf(grouping, rows)
  // Series side by side are kinds of one value, or values of different meaning, which have no sum.
  const canSum = grouping.keys.length > 1 && grouping.sums.includes(value)
  if (all.length <= mostSeries) return { categories, series: all, leftOut: 0, canSum }
  const rest = all.slice(mostSeries)
  const first = all.slice(0, mostSeries)
  if (!canSum) return { categories, series: first, leftOut: rest.length, canSum }
  return { categories, series: [...first, { name: 'Other', data: sumOf(rest) }], leftOut: 0, canSum }
}

function sumOf(series: Series[]): Series['data'] {
  const [one] = series
  return (one?.data ?? []).map((_, at) => {
    const numbers = series.map(({ data }) => data[at] ?? null).filter((value) => value !== null)
    return numbers.length === 0 ? null : numbers.reduce(addDecimals, 0)
  })
}

/** Note on the data that a chart leaves out; null when it shows everything. */
export function leftOutNote(grouping: Grouping, rows: readonly Row[]): string | null {
  const { series, leftOut } = drawnOf(grouping, rows)
  if (leftOut === 0) return null
  return `The chart shows the first ${series.length} of ${formatNumber(series.length + leftOut)}; the table shows all of them.`
}

/** Columns for each group: those of the second key, or of each computed value, in colours of their own. */
export function groupChart(grouping: Grouping, rows: readonly Row[]) {
  const { categories, series, canSum } = drawnOf(grouping, rows)
  const isStacked = canSum && series.length > besideEachOther
  const hasLegend = series.length > 1
  const format = sharedFormat(grouping, rows)
  return (looks: ChartLooks, { width }: { width: number }) => ({
    color: [...looks.colors],
    textStyle: { fontFamily: looks.font, color: looks.text },
    tooltip: tooltip(looks, format),
    legend: { show: hasLegend, ...legend(looks) },
    grid: {
      left: 4,
      right: 8,
      top: hasLegend ? 36 : 12,
      bottom: 4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'all',
    },
    xAxis: {
      type: 'category',
      data: categories,
      axisTick: { show: false },
      axisLine: { lineStyle: { color: looks.line } },
      axisLabel: { ...small(looks), hideOverlap: true, overflow: 'truncate', ...layOutLabels(categories, width - 70) },
    },
    yAxis: {
      type: 'value',
      ...(series.every(isWhole) && { minInterval: 1 }),
      splitLine: { lineStyle: { color: looks.line } },
      axisLabel: {
        ...small(looks),
        formatter: (value: number) => (format ? formatShort(value, format) : formatNumber(rounded(value))),
      },
    },
    series: series.map(({ name, data }) => ({
      type: 'bar',
      name,
      data,
      barMaxWidth: 36,
      ...(isStacked ? { stack: 'all' } : { itemStyle: { borderRadius: [3, 3, 0, 0] } }),
    })),
  })
}

/** The format that all drawn values have in common. */
function sharedFormat(grouping: Grouping, rows: readonly Row[]): FieldFormat | undefined {
  const [first, ...others] = drawable(grouping, rows).map((name) => grouping.formats?.[name])
  return others.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : undefined
}

const isWhole = ({ data }: Series): boolean => data.every((value) => value === null || Number.isInteger(value))

const small = ({ dimmed }: ChartLooks) => ({ color: dimmed, fontSize: 11 })

const tooltip = (looks: ChartLooks, format: FieldFormat | undefined) => ({
  ...tooltipOf(looks),
  trigger: 'axis',
  axisPointer: { type: 'shadow' },
  valueFormatter: (value: unknown) =>
    !isNumber(value) ? '–' : format ? formatComputed(value, format) : formatNumber(rounded(value)),
})

const legend = ({ text, line }: ChartLooks) => ({
  type: 'scroll',
  top: 0,
  textStyle: { color: text, fontSize: 12 },
  icon: 'roundRect',
  itemWidth: 12,
  itemHeight: 8,
  pageTextStyle: { color: text },
  pageIconColor: text,
  pageIconInactiveColor: line,
})

const rounded = (value: number): number => Number(value.toPrecision(10))
