import type { Stages } from '@portico/contract/filter'
import { expect, test } from 'vitest'
import { looks } from '#test/charts.ts'
import { groupChart, hasChart, leftOutNote } from './search-chart.ts'
import { type Grouping, readShownGrouping } from '@portico/domain/pipeline/grouping'
import type { DatePart } from '@portico/domain/pipeline/pipeline'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { keyText } from './key-text.ts'

const size = { width: 900 }
const fields = [
  { name: 'City', type: 'string' as const, isIndexed: true },
  { name: 'Score', type: 'number' as const, isIndexed: true },
  { name: 'Joined', type: 'date' as const, isIndexed: true },
]

/** The grouping of a `$group`; fails for one that is not understood. */
function grouped(group: Record<string, unknown>, before: Stages = []): { stages: Stages; grouping: Grouping } {
  const stages = [...before, { $group: group }]
  const grouping = readShownGrouping(parsePipeline(stages), fields)
  if (!grouping) throw new Error('no grouping')
  return { stages, grouping }
}

test('months and days of the week have names, years have no thousands separator', () => {
  const key = (part: DatePart | null) => ({ name: 'k', field: 'Joined', part, type: 'date' as const })
  expect(keyText(12, key('month'))).toBe('December')
  expect(keyText(1, key('dayOfWeek'))).toBe('Sunday')
  expect(keyText(2024, key('year'))).toBe('2024')
  expect(keyText(9, key('hour'))).toBe('9:00')
  expect(keyText(null, key(null))).toBe('(no value)')
})

test('one key needs more than two groups for a chart, and every chart needs numbers', () => {
  const { grouping } = grouped({ _id: { City: '$City' }, count: { $count: {} } })
  const row = (city: string, count: unknown) => ({ City: city, count })
  expect(hasChart(grouping, [row('a', 1), row('b', 2)])).toBe(false)
  expect(hasChart(grouping, [row('a', 1), row('b', 2), row('c', 3)])).toBe(true)
  expect(hasChart(grouping, [row('a', 'x'), row('b', 'x'), row('c', 'x')])).toBe(false)
  const two = grouped({ _id: { City: '$City', Score: '$Score' }, count: { $count: {} } }).grouping
  expect(hasChart(two, [{ City: 'a', Score: 1, count: 1 }])).toBe(true)
})

test('dates are in order, and months without contacts are zero', () => {
  const { grouping } = grouped({ _id: { M: { $month: '$Joined' }, City: '$City' }, count: { $count: {} } })
  const rows = [
    { M: 5, City: 'Oslo', count: 3 },
    { M: 2, City: 'Bern', count: 5 },
    { M: null, City: 'Oslo', count: 1 },
  ]
  const { xAxis, series, tooltip } = groupChart(grouping, rows)(looks, size)
  expect(tooltip.renderMode).toBe('richText')
  expect(xAxis.data).toEqual(['February', 'March', 'April', 'May', '', '(no value)'])
  expect(series.map(({ name, data }) => [name, data])).toEqual([
    ['Oslo', [0, 0, 0, 3, null, 1]],
    ['Bern', [5, 0, 0, 0, null, null]],
  ])
})

/** Groups of `count` cities in two months. The value is the city's number, and ten times that in the second month. */
const manyCities = (count: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, city) => [
    { M: 1, City: `City ${city}`, value: city },
    { M: 2, City: `City ${city}`, value: 10 * city },
  ]).flat()

const byMonthAndCity = (value: Record<string, unknown>): Grouping =>
  grouped({ _id: { M: { $month: '$Joined' }, City: '$City' }, value }).grouping

test.each([{ $sum: '$Score' }, { $count: {} }])(
  'of %j the groups after the first six are summed as Other, and stacked',
  (sum) => {
    const grouping = byMonthAndCity(sum)
    const { series } = groupChart(grouping, manyCities(9))(looks, size)
    expect(series.map(({ name }) => name)).toEqual([...Array.from({ length: 6 }, (_, at) => `City ${at}`), 'Other'])
    expect(series.at(-1)?.data).toEqual([6 + 7 + 8, 60 + 70 + 80])
    expect(series.every((one) => 'stack' in one)).toBe(true)
    expect(leftOutNote(grouping, manyCities(9))).toBeNull()
    expect(groupChart(grouping, manyCities(6))(looks, size).series).toHaveLength(6)
  },
)

test.each(['avg', 'min', 'max'])(
  '$%s is never stacked or summed: the first six are drawn, and a note mentions the rest',
  (name) => {
    const grouping = byMonthAndCity({ [`$${name}`]: '$Score' })
    const { series } = groupChart(grouping, manyCities(9))(looks, size)
    expect(series.map((one) => one.name)).toEqual(Array.from({ length: 6 }, (_, at) => `City ${at}`))
    expect(series.some((one) => 'stack' in one)).toBe(false)
    expect(leftOutNote(grouping, manyCities(9))).toBe('The chart shows the first 6 of 9; the table shows all of them.')
    expect(leftOutNote(grouping, manyCities(6))).toBeNull()
  },
)

test('values of different kinds are drawn side by side', () => {
  const { grouping } = grouped({ _id: '$City', total: { $sum: '$Score' }, mean: { $avg: '$Score' }, n: { $count: {} } })
  const { series } = groupChart(grouping, [{ _id: 'Oslo', total: 6, mean: 2, n: 3 }])(looks, size)
  expect(series.map((one) => [one.name, one.data, 'stack' in one])).toEqual([
    ['total', [6], false],
    ['mean', [2], false],
    ['n', [3], false],
  ])
})

test('each value of a third key is a series of its own', () => {
  const { grouping } = grouped({ _id: { City: '$City', Y: { $year: '$Joined' }, S: '$Score' }, n: { $count: {} } })
  const rows = [
    { City: 'Oslo', Y: 2025, S: 1, n: 4 },
    { City: 'Oslo', Y: 2024, S: 1, n: 5 },
    { City: 'Oslo', Y: 2024, S: 2, n: 6 },
  ]
  expect(groupChart(grouping, rows)(looks, size).series.map((one) => [one.name, one.data])).toEqual([
    ['2024 · 1', [5]],
    ['2024 · 2', [6]],
    ['2025 · 1', [4]],
  ])
})
