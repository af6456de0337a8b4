import type { GroupKey, Grouping, Row } from '@portico/contract/dashboards/groups'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import { keyText } from '../group.ts'

/** Keys of the groups that one drawn value stands for. */
export type Keys = GroupValue[][]

export type ChartSeries = {
  name: string
  data: (number | null)[]
  /** By category: the groups that the value stands for; none where there is no group. */
  keys: Keys[]
  /** The groups that a click on the legend narrows to; null where the series is a computed value. */
  legendKeys: Keys | null
}

/** The parts of a chart: categories of the first key, and series of the second key or of each computed value. */
export type ChartData = { categories: string[]; categoryKeys: Keys[]; series: ChartSeries[] }

const toValue = (value: unknown): GroupValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)

/** The different values of a key: dates and their parts in their own order, all else as the rows come. */
function valuesOf(rows: readonly Row[], { name, type }: GroupKey): GroupValue[] {
  const all = [...new Set(rows.map((row) => toValue(row[name])))]
  if (type !== 'date') return all
  return all.toSorted((one, other) => (one === null ? 1 : other === null ? -1 : one < other ? -1 : one > other ? 1 : 0))
}

const placeOf = (values: readonly GroupValue[]): Map<GroupValue, number> =>
  new Map(values.map((value, at) => [value, at]))

/** The rows of a grouping with one or two keys as series. */
export function chartDataOf({ keys, values }: Grouping, rows: readonly Row[]): ChartData {
  const [first, second] = keys
  if (!first) return { categories: [], categoryKeys: [], series: [] }
  const categories = valuesOf(rows, first)
  const places = placeOf(categories)
  const keysByCategory: Keys[] = categories.map(() => [])
  for (const row of rows) {
    const at = places.get(toValue(row[first.name]))
    if (at !== undefined) keysByCategory[at]?.push(keys.map(({ name }) => toValue(row[name])))
  }
  const texts = categories.map((value) => keyText(value, first))
  const empty = (name: string, legendKeys: Keys | null): ChartSeries => ({
    name,
    data: categories.map(() => null),
    keys: categories.map(() => []),
    legendKeys,
  })
  const put = (series: ChartSeries, row: Row, value: string | undefined): void => {
    const at = places.get(toValue(row[first.name]))
    if (at === undefined || value === undefined) return
    series.data[at] = numberOf(row[value])
    series.keys[at] = [keys.map(({ name }) => toValue(row[name]))]
  }
  if (!second) {
    const series = values.map((value) => {
      const made = empty(value, null)
      for (const row of rows) put(made, row, value)
      return made
    })
    return { categories: texts, categoryKeys: keysByCategory, series }
  }
  const kinds = valuesOf(rows, second)
  const series = kinds.map((kind) => {
    const own = rows.filter((row) => toValue(row[second.name]) === kind)
    const made = empty(
      keyText(kind, second),
      own.map((row) => keys.map(({ name }) => toValue(row[name]))),
    )
    for (const row of own) put(made, row, values[0])
    return made
  })
  return { categories: texts, categoryKeys: keysByCategory, series }
}
