import { expect, test } from 'vitest'
import { type Grouping, readGrouping } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { looks } from '#test/charts.ts'
import { axisChart } from './axis-chart.ts'
import { chartDataOf } from './chart-data.ts'

const fields = [
  { name: 'Joined', type: 'date' as const },
  { name: 'Born', type: 'day' as const },
  { name: 'Score', type: 'number' as const },
]

const grouped = (key: unknown, value: object, ...later: Record<string, unknown>[]): Grouping => {
  const grouping = readGrouping(parsePipeline([{ $group: { _id: { K: key }, n: value } }, ...later]), fields)
  if (!grouping) throw new Error('no grouping')
  return grouping
}

const drawn = (grouping: Grouping, rows: Record<string, unknown>[]) => {
  const { categories, series } = chartDataOf(grouping, rows)
  return { categories, data: series[0]?.data, keys: series[0]?.keys }
}

const months = [
  { K: 1, n: 4 },
  { K: 4, n: 2 },
]

test('months without contacts appear between the others as zero, and cannot be selected', () => {
  const year = { $sort: { K: 1 } }
  expect(drawn(grouped({ $month: '$Joined' }, { $count: {} }, year), months)).toEqual({
    categories: ['January', 'February', 'March', 'April'],
    data: [4, 0, 0, 2],
    keys: [[[1]], [], [], [[4]]],
  })
})

test.each(['avg', 'min', 'max'])('$%s of a month without contacts is null', (name) => {
  expect(drawn(grouped({ $month: '$Joined' }, { [`$${name}`]: '$Score' }), months).data).toEqual([4, null, null, 2])
})

test('days without contacts appear between the others, and contacts without a day come last', () => {
  const rows = [
    { K: null, n: 7 },
    { K: '2024-03-01', n: 1 },
    { K: '2024-02-27', n: 3 },
  ]
  expect(drawn(grouped('$Born', { $count: {} }), rows)).toMatchObject({
    categories: ['2/27/2024', '2/28/2024', '2/29/2024', '3/1/2024', '(no value)'],
    data: [3, 0, 0, 1, 7],
  })
})

test.each([
  ['the limit is reached', [{ $sort: { n: -1 } }, { $limit: 2 }]],
  ['groups are chosen by their values', [{ $match: { n: { $gt: 1 } } }]],
  ['the largest are skipped', [{ $sort: { n: -1 } }, { $skip: 1 }]],
])('no months are filled in where %s: there may be contacts', (_when, later) => {
  const { categories } = drawn(grouped({ $month: '$Joined' }, { $count: {} }, ...later), months)
  expect(categories).toEqual(['January', 'April'])
})

test('empty months are filled in if the limit is not reached', () => {
  expect(drawn(grouped({ $month: '$Joined' }, { $count: {} }, { $limit: 3 }), months).data).toEqual([4, 0, 0, 2])
})

test('distant days, moments and numbers are not filled in', () => {
  const far = [
    { K: '1950-01-01', n: 1 },
    { K: '2024-01-01', n: 1 },
  ]
  expect(drawn(grouped('$Born', { $count: {} }), far).data).toEqual([1, 1])
  expect(drawn(grouped('$Score', { $count: {} }), months).data).toEqual([4, 2])
  const moments = [
    { K: '2024-01-01T00:00:00Z', n: 1 },
    { K: '2024-01-03T00:00:00Z', n: 1 },
  ]
  expect(drawn(grouped('$Joined', { $count: {} }), moments).data).toEqual([1, 1])
})

const cut = (unit: string) => ({ $dateTrunc: { date: '$Joined', unit } })

test.each([
  ['day', '2025-12-30', '2026-01-01', ['Dec 30, 2025', 'Dec 31, 2025', 'Jan 1, 2026']],
  ['week', '2026-10-05', '2026-10-19', ['Week of Oct 5, 2026', 'Week of Oct 12, 2026', 'Week of Oct 19, 2026']],
  ['month', '2025-11-01', '2026-02-01', ['Nov 2025', 'Dec 2025', 'Jan 2026', 'Feb 2026']],
  ['quarter', '2025-07-01', '2026-01-01', ['Q3 2025', 'Q4 2025', 'Q1 2026']],
  ['year', '2024-01-01', '2026-01-01', ['2024', '2025', '2026']],
])('each %s between the first and the last has a place, whatever comes first', (unit, first, last, categories) => {
  const rows = [
    { K: last, n: 2 },
    { K: first, n: 4 },
  ]
  const empty = categories.slice(2)
  expect(drawn(grouped(cut(unit), { $count: {} }), rows)).toEqual({
    categories,
    data: [4, ...empty.map(() => 0), 2],
    keys: [[[first]], ...empty.map(() => []), [[last]]],
  })
  const average = grouped(cut(unit), { $avg: '$Score' })
  expect(drawn(average, rows).data).toEqual([4, ...empty.map(() => null), 2])
})

test('the first of many periods in order stand with the empty ones between them; the largest do not', () => {
  const rows = [
    { K: '2026-01-01', n: 4 },
    { K: '2026-03-01', n: 2 },
  ]
  const first = grouped(cut('month'), { $count: {} }, { $sort: { K: -1 } }, { $limit: 2 })
  expect(drawn(first, rows).data).toEqual([4, 0, 2])
  const largest = grouped(cut('month'), { $count: {} }, { $sort: { n: -1 } }, { $limit: 2 })
  expect(drawn(largest, rows).data).toEqual([4, 2])
})

test('periods that are too far apart stand as they are', () => {
  const rows = [
    { K: '0203-01-01', n: 1 },
    { K: '2026-01-01', n: 1 },
  ]
  expect(drawn(grouped(cut('day'), { $count: {} }), rows).data).toEqual([1, 1])
})

const lineOf = (grouping: Grouping, rows: Record<string, unknown>[], options = {}) =>
  axisChart({ kind: 'Line', options, grouping, rows }, 'Asia/Tokyo').options(looks, {
    width: 470,
    height: 270,
  }) as unknown as {
    xAxis: { data: string[]; axisLabel: { formatter: (place: string) => string } }
    series: { data: { value: number | null }[] }[]
  }

test('no line joins the last period and those without one', () => {
  const rows = [
    { K: '2026-01-01', n: 4 },
    { K: '2026-02-01', n: 2 },
    { K: null, n: 9 },
  ]
  const { xAxis, series } = lineOf(grouped(cut('month'), { $count: {} }), rows)
  expect(xAxis.data.map(xAxis.axisLabel.formatter)).toEqual(['Jan 2026', 'Feb 2026', '', '(no value)'])
  expect(series[0]?.data.map(({ value }) => value)).toEqual([4, 2, null, 9])
  // Cities have no order of time.
  const cities = lineOf(grouped('$Score', { $count: {} }), [
    { K: 1, n: 4 },
    { K: null, n: 9 },
  ])
  expect(cities.series[0]?.data.map(({ value }) => value)).toEqual([4, 9])
})

test('the format of an axis writes the first day of a period, in no time zone', () => {
  const rows = [{ K: '2026-01-01', n: 4 }]
  const { xAxis } = lineOf(grouped(cut('month'), { $count: {} }), rows, { hAxis: { format: 'MM/yy' } })
  expect(xAxis.data.map(xAxis.axisLabel.formatter)).toEqual(['01/26'])
})
