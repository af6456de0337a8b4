import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import { addDecimals } from '@portico/domain/decimals'
import { isDateType } from '@portico/domain/field-types'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import { formatNumber } from '#lib/formats.ts'
import type { ChartData, ChartSeries } from '../options/chart-input.ts'

const otherName = 'Other'

/** The groups in another order, or the largest of them with the rest as one. `notes` say what is not shown. */
export type Shaped = { shape: (data: ChartData) => ChartData; notes: (data: ChartData) => string[] }

/** Returns how a chart shows its groups. Dates stay in their order, each with its place. */
export function shapeOf({ top, order }: ChartDisplay, grouping: Grouping): Shaped {
  const [key] = grouping.keys
  if (!key || (!top && !order)) return { shape: (data) => data, notes: () => [] }
  if (isDateType(key.type)) {
    return { shape: (data) => data, notes: () => ['A course of time shows all of its groups, in their order.'] }
  }
  const isCut = (data: ChartData): boolean => top !== undefined && data.categories.length > top.groups
  return {
    shape: (data) => {
      const places = placesOf(data, order)
      if (!top || !isCut(data)) return pick(data, places)
      const largest = new Set(byValue(data).slice(0, top.groups))
      const shown = pick(
        data,
        places.filter((at) => largest.has(at)),
      )
      return top.hasOther
        ? withOther(
            shown,
            data,
            places.filter((at) => !largest.has(at)),
          )
        : shown
    },
    notes: (data) => (isCut(data) && top ? notesOf(data, top, grouping) : []),
  }
}

/** The places of the groups in the order in which they are shown. */
function placesOf(data: ChartData, order: ChartDisplay['order']): number[] {
  if (order === 'value') return byValue(data)
  const places = data.categories.map((_, at) => at)
  if (order === undefined) return places
  // '(no value)' is no label.
  const isNone = (at: number): number => (data.categoryValues[at] === null ? 1 : 0)
  return places.toSorted(
    (one, other) =>
      isNone(one) - isNone(other) || collator.compare(data.categories[one] ?? '', data.categories[other] ?? ''),
  )
}

const collator = new Intl.Collator('en', { numeric: true })

/** The places of the groups, the largest first: by the sum of those series that may be added up, else by the first one. */
function byValue({ categories, series }: ChartData): number[] {
  const first = series.slice(0, 1)
  const drawn = series.every(({ legendKeys, canSum }) => legendKeys !== null && canSum) ? series : first
  const sums = categories.map((_, at) => sumOf(drawn.map(({ data }) => data[at] ?? null)) ?? -Infinity)
  return categories.map((_, at) => at).toSorted((one, other) => (sums[other] ?? 0) - (sums[one] ?? 0))
}

function sumOf(values: readonly (number | null)[]): number | null {
  const numbers = values.filter((value) => value !== null)
  return numbers.length === 0 ? null : numbers.reduce(addDecimals, 0)
}

function pick(data: ChartData, places: readonly number[]): ChartData {
  const take = <T>(list: readonly T[]): T[] => places.flatMap((at) => list.slice(at, at + 1))
  return {
    ...data,
    categories: take(data.categories),
    categoryValues: take(data.categoryValues),
    categoryKeys: take(data.categoryKeys),
    series: data.series.map((one) => ({ ...one, data: take(one.data), keys: take(one.keys) })),
  }
}

/** Adds the other groups as one, which has a value where values may be added up. */
function withOther(shown: ChartData, data: ChartData, rest: readonly number[]): ChartData {
  const taken = new Set(shown.categories)
  let name = otherName
  while (taken.has(name)) name += ' …'
  const series = shown.series.map((one, at): ChartSeries => {
    const { data: values = [], keys = [] } = data.series[at] ?? {}
    return {
      ...one,
      data: [...one.data, one.canSum ? sumOf(rest.map((place) => values[place] ?? null)) : null],
      keys: [...one.keys, rest.flatMap((place) => keys[place] ?? [])],
    }
  })
  return {
    ...shown,
    categories: [...shown.categories, name],
    // A text, so that it does not stand apart as no value does.
    categoryValues: [...shown.categoryValues, name],
    categoryKeys: [...shown.categoryKeys, rest.flatMap((place) => data.categoryKeys[place] ?? [])],
    series,
  }
}

function notesOf(
  { categories, series }: ChartData,
  top: NonNullable<ChartDisplay['top']>,
  { most }: Grouping,
): string[] {
  if (!top.hasOther) return [`The largest ${formatNumber(top.groups)} of ${formatNumber(categories.length)} groups.`]
  const unsummed = series.filter(({ canSum }) => !canSum).map(({ name }) => name)
  const limited = most !== undefined && categories.length >= most
  return [
    ...(unsummed.length > 0 ? [`'Other' has no ${unsummed[0]}, which cannot be added up.`] : []),
    ...(limited ? [`'Other' lacks the groups that the filter's limit of ${formatNumber(most)} leaves out.`] : []),
  ]
}
