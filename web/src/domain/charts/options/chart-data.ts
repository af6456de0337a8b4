import { knowsEmptyPeriods, placesOf, toPlace, withEmptyPeriods } from '@portico/domain/dashboards/time-places'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import { keyText } from '../key-text.ts'
import type { ChartData, ChartInput, ChartSeries, Keys } from './chart-input.ts'

export const toNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** The values of a row's keys, as a click on its group names them. */
export const keysOf = ({ keys }: Grouping, row: Row): GroupValue[] => keys.map(({ name }) => toPlace(row[name]))

/**
 * Texts as they are drawn. Braces have a meaning in the texts of the engine, so others that look like them are drawn;
 * a number tells equal texts apart.
 */
export function drawnNames(texts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return texts.map((text) => {
    const clean = text
      .replaceAll('{', '❴')
      .replaceAll('}', '❵')
      .replaceAll(/\p{Cc}+/gu, ' ')
    const short = clean.length > 120 ? `${clean.slice(0, 119)}…` : clean
    const count = (counts.get(short) ?? 0) + 1
    counts.set(short, count)
    return count === 1 ? short : `${short} (${count})`
  })
}

type Kind = { name: string; rows: readonly Row[]; value: string; isOfKey: boolean }

/** The series: each value, of each kind that the keys after the first make. */
function kindsOf({ keys: [, ...others], values }: Grouping, rows: readonly Row[]): Kind[] {
  const numbers = values.filter((value) => rows.some((row) => toNumber(row[value]) !== null))
  const drawn = numbers.length > 0 ? numbers : values.slice(0, 1)
  if (others.length === 0) return drawn.map((value) => ({ name: value, rows, value, isOfKey: false }))
  const places = others.map((key) => new Map(placesOf(rows, key).map((value, at) => [value, at])))
  const orderOf = (row: Row | undefined): number[] =>
    others.map(({ name }, at) => places[at]?.get(toPlace(row?.[name])) ?? 0)
  const ofKind = [...Map.groupBy(rows, (row) => JSON.stringify(orderOf(row))).values()].toSorted(([one], [other]) => {
    const wanted = orderOf(other)
    const differences = orderOf(one).map((place, at) => place - (wanted[at] ?? 0))
    return differences.find((difference) => difference !== 0) ?? 0
  })
  return ofKind.flatMap((own) => {
    const text = others.map((key) => keyText(own[0]?.[key.name] ?? null, key)).join(' · ')
    return drawn.map((value) => ({
      name: drawn.length > 1 ? `${text} · ${value}` : text,
      rows: own,
      value,
      isOfKey: true,
    }))
  })
}

/** The groups as they are drawn. */
export function shapedData({ grouping, rows, shape }: ChartInput): ChartData {
  const data = chartDataOf(grouping, rows)
  return shape ? shape(data) : data
}

/** The rows of a grouping as categories of its first key, and series of the other keys or of each value. */
export function chartDataOf(grouping: Grouping, rows: readonly Row[]): ChartData {
  const [first] = grouping.keys
  if (!first) return withoutKeys(grouping, rows)
  const hasEmpty = knowsEmptyPeriods(grouping, rows)
  const values = hasEmpty ? withEmptyPeriods(placesOf(rows, first), first) : placesOf(rows, first)
  const places = new Map(values.map((value, at) => [value, at]))
  const placeOf = (row: Row): number => places.get(toPlace(row[first.name])) ?? -1
  const categoryKeys: Keys[] = values.map(() => [])
  for (const row of rows) categoryKeys[placeOf(row)]?.push(keysOf(grouping, row))
  const kinds = kindsOf(grouping, rows)
  const names = drawnNames(kinds.map(({ name }) => name))
  const series = kinds.map((kind, at): ChartSeries => {
    const canSum = grouping.sums.includes(kind.value)
    const made: ChartSeries = {
      name: names[at] ?? kind.name,
      value: kind.value,
      canSum,
      // No one counted is zero; an average of no one is none.
      data: values.map((value) => (hasEmpty && value !== null && canSum ? 0 : null)),
      keys: values.map(() => []),
      format: grouping.formats?.[kind.value],
      legendKeys: kind.isOfKey ? kind.rows.map((row) => keysOf(grouping, row)) : null,
    }
    for (const row of kind.rows) {
      const place = placeOf(row)
      made.data[place] = toNumber(row[kind.value])
      made.keys[place] = [keysOf(grouping, row)]
    }
    return made
  })
  const categories = drawnNames(values.map((value) => keyText(value, first)))
  return { categoryKey: first, categoryValues: values, categories, categoryKeys, series }
}

/** One group of all contacts: each value is a series of its own, and none can be chosen. */
function withoutKeys({ values, formats }: Grouping, [row = {}]: readonly Row[]): ChartData {
  const series = drawnNames(values).map((name, at) => ({
    name,
    data: [toNumber(row[values[at] ?? ''])],
    keys: [[]],
    legendKeys: null,
    format: formats?.[values[at] ?? ''],
  }))
  return { categoryKey: null, categoryValues: [null], categories: ['All'], categoryKeys: [[]], series }
}
