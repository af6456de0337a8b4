import { addDecimals, withoutNoise } from '../decimals.ts'
import { isDateType } from '../field-types.ts'
import { isSameName } from '../names.ts'
import type { Grouping } from '../pipeline/grouping.ts'
import type { Row } from '../pipeline/pipeline.ts'
import {
  fillPeriods,
  keepsAllBetween,
  knowsEmptyPeriods,
  type PlaceValue,
  placesOf,
  toPlace,
  withEmptyPeriods,
} from './time-places.ts'

/** How a chart shows a value over time: added up from the first period on, or as the mean of the last periods. */
export type Running = { kind: 'cumulative' } | { kind: 'average'; points: number }

/** The name of a value that is shown so. */
export const runningName = (value: string, running: Running): string =>
  running.kind === 'cumulative' ? `${value} (cumulative)` : `${value} (moving average of ${running.points})`

/**
 * Returns the running values of a course of time, each at its place. A total goes on where there is no value; an average
 * has none until there are as many values as it takes, and where one of them is missing.
 */
export const runValues = (values: readonly (number | null)[], running: Running): (number | null)[] =>
  running.kind === 'cumulative' ? addUp(values) : average(values, running.points)

function addUp(values: readonly (number | null)[]): (number | null)[] {
  let total: number | null = null
  return values.map((value) => {
    if (value !== null) total = addDecimals(total ?? 0, value)
    return total
  })
}

function average(values: readonly (number | null)[], points: number): (number | null)[] {
  return values.map((_, at) => {
    const last = values.slice(Math.max(0, at + 1 - points), at + 1).filter((value) => value !== null)
    return last.length < points ? null : withoutNoise(last.reduce(addDecimals, 0) / points)
  })
}

/** Rows of a grouping. `isCut`: there are more of them. */
export type RunningRows = { rows: readonly Row[]; isCut: boolean }

/**
 * Returns the reason why a value cannot be shown as a running one; null if it can. Without `read`, by what the grouping
 * alone says.
 */
export function refuseRunning(grouping: Grouping, value: string, running: Running, read?: RunningRows): string | null {
  const [key] = grouping.keys
  if (!key || !isDateType(key.type)) return 'Only groups by date have an order in which their values follow each other.'
  if (running.kind === 'cumulative' && !grouping.sums.includes(value)) return `${value} cannot be added up.`
  const isMoment = key.part === null && key.type === 'date'
  if (running.kind === 'average' && isMoment)
    return 'An average needs periods: group by day, week, month, quarter or year.'
  if (!read) return null
  if (read.isCut) return 'Not all groups were read: group by longer periods.'
  if (!keepsAllBetween(grouping, read.rows)) return "The filter's stages after the group leave groups out."
  if (running.kind === 'cumulative' || isMoment) return null
  const places = placesOf(read.rows, key).filter((value) => value !== null)
  const isFilled = places.length === 0 || fillPeriods(places, key) !== null
  return isFilled ? null : 'The dates are too far apart: group by longer periods.'
}

/** Why a chart without an axis has no running values. */
export const noAxis = 'The slices of a pie do not follow each other.'

/** The rows with the running values of their places after the values themselves, and the columns that they add. */
export type WithRunning = { grouping: Grouping; rows: readonly Row[]; columns: { name: string; of: string }[] }

/** Adds the running values of a chart to its rows, for tables and files. Those that are refused are left out. */
export function addRunning(
  grouping: Grouping,
  read: RunningRows,
  running: Readonly<Record<string, Running>> = {},
): WithRunning {
  const taken = [...grouping.keys.map(({ name }) => name), ...grouping.values]
  let made: WithRunning = { grouping, rows: read.rows, columns: [] }
  for (const of of grouping.values) {
    const own = running[of]
    if (!own || refuseRunning(grouping, of, own, read) !== null) continue
    const name = nameBeside(runningName(of, own), taken)
    taken.push(name)
    made = withColumn(made, { name, of, running: own })
  }
  return made
}

function nameBeside(name: string, taken: readonly string[]): string {
  let free = name
  while (taken.some((each) => isSameName(each, free))) free += ' …'
  return free
}

function withColumn(
  { grouping, rows, columns }: WithRunning,
  { name, of, running }: { name: string; of: string; running: Running },
): WithRunning {
  const found = readRunning(grouping, rows, of, running)
  const format = grouping.formats?.[of]
  return {
    grouping: {
      ...grouping,
      values: grouping.values.flatMap((value) => (value === of ? [of, name] : [value])),
      ...(format && { formats: { ...grouping.formats, [name]: format } }),
    },
    rows: rows.map((row, at) => ({ ...row, [name]: found[at] ?? null })),
    columns: [...columns, { name, of }],
  }
}

/** The running value of each row, in the series that the keys after the first make. */
function readRunning(grouping: Grouping, rows: readonly Row[], of: string, running: Running): (number | null)[] {
  const [key, ...others] = grouping.keys
  if (!key) return []
  const places = withEmptyPeriods(placesOf(rows, key), key).filter((value) => value !== null)
  const placeOf = new Map<PlaceValue, number>(places.map((value, at) => [value, at]))
  const isZero = knowsEmptyPeriods(grouping, rows) && grouping.sums.includes(of)
  const found: (number | null)[] = []
  const kinds = Map.groupBy(rows.keys(), (at) => JSON.stringify(others.map(({ name }) => toPlace(rows[at]?.[name]))))
  for (const own of kinds.values()) {
    const values = places.map((): number | null => (isZero ? 0 : null))
    const known = own.flatMap((at) => {
      const place = placeOf.get(toPlace(rows[at]?.[key.name]))
      return place === undefined ? [] : [{ at, place }]
    })
    for (const { at, place } of known) {
      const value = rows[at]?.[of]
      values[place] = typeof value === 'number' && Number.isFinite(value) ? value : null
    }
    const run = runValues(values, running)
    for (const { at, place } of known) found[at] = run[place] ?? null
  }
  return found
}
