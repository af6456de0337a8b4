import type { ChartLooks } from '#ui/chart-looks.ts'
import { formatNumber } from '#lib/formats.ts'
import { type GroupKey, type Grouping, keyText, type Row } from './group.ts'

/** So many columns of a kind stand beside each other; more are put on top of each other. */
const besideEachOther = 4

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

/** The different values of a key: dates and their parts in their own order, all else as the results have it. */
type Value = NonNullable<unknown> | null

function categoriesOf(rows: readonly Row[], key: GroupKey): Value[] {
  const all = [...new Set<Value>(rows.map((row) => row[key.name] ?? null))]
  if (key.type !== 'date') return all
  return all.toSorted((one, other) => {
    if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1
    return one < other ? -1 : 1
  })
}

type Series = { name: string; data: (number | null)[] }

function seriesOf({ keys: [first, second], values }: Grouping, rows: readonly Row[]): Series[] {
  if (!first) return []
  const categories = categoriesOf(rows, first)
  if (!second) {
    const at = new Map(rows.map((row) => [row[first.name] ?? null, row]))
    return values.map((name) => ({ name, data: categories.map((category) => numberOf(at.get(category)?.[name])) }))
  }
  const [value = ''] = values
  const place = (row: Row): string => JSON.stringify([row[first.name] ?? null, row[second.name] ?? null])
  const at = new Map(rows.map((row) => [place(row), row[value]]))
  return categoriesOf(rows, second).map((kind) => ({
    name: keyText(kind, second),
    data: categories.map((category) => numberOf(at.get(JSON.stringify([category, kind])))),
  }))
}

const numberOf = (value: unknown): number | null => (isNumber(value) ? value : null)

/** Columns for each group: those of the second key, or of each computed value, in colours of their own. */
export function groupChart(grouping: Grouping, rows: readonly Row[]) {
  const [first] = grouping.keys
  const series = seriesOf({ ...grouping, values: drawable(grouping, rows) }, rows)
  const isStacked = grouping.keys.length > 1 && series.length > besideEachOther
  const categories = first ? categoriesOf(rows, first).map((value) => keyText(value, first)) : []
  const hasLegend = series.length > 1
  return (looks: ChartLooks) => ({
    color: looks.colors,
    textStyle: { fontFamily: looks.font, color: looks.text },
    tooltip: tooltip(looks),
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
      axisLabel: { ...small(looks), hideOverlap: true, overflow: 'truncate', width: 110 },
    },
    yAxis: {
      type: 'value',
      splitLine: { lineStyle: { color: looks.line } },
      axisLabel: { ...small(looks), formatter: (value: number) => formatNumber(rounded(value)) },
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

const small = ({ dimmed }: ChartLooks) => ({ color: dimmed, fontSize: 11 })

const tooltip = ({ surface, line, text }: ChartLooks) => ({
  trigger: 'axis',
  axisPointer: { type: 'shadow' },
  confine: true,
  backgroundColor: surface,
  borderColor: line,
  textStyle: { color: text, fontSize: 12 },
  valueFormatter: (value: unknown) => (isNumber(value) ? formatNumber(rounded(value)) : '–'),
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
