import { expect, test } from 'vitest'
import { type Grouping, readGrouping } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
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
  ['groups are skipped', [{ $skip: 1 }]],
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
