import { expect, test } from 'vitest'
import { readGrouping } from '../pipeline/grouping.ts'
import { parsePipeline } from '../pipeline/pipeline-json.ts'
import { addRunning, refuseRunning, runValues } from './running-values.ts'

const fields = [
  { name: 'Joined', type: 'date' as const },
  { name: 'Born', type: 'day' as const },
  { name: 'City', type: 'string' as const },
  { name: 'Score', type: 'number' as const },
]
const month = { $dateTrunc: { date: '$Joined', unit: 'month' } }

function grouped(keys: object, ...later: Record<string, unknown>[]) {
  const values = { n: { $count: {} }, mean: { $avg: '$Score' } }
  const grouping = readGrouping(parsePipeline([{ $group: { _id: keys, ...values } }, ...later]), fields)
  if (!grouping) throw new Error('no grouping')
  return grouping
}

const average = (points: number) => ({ kind: 'average', points }) as const
const cumulative = { kind: 'cumulative' } as const

test('totals go on over what has no value, and sum decimals as people do', () => {
  expect(runValues([null, 0.1, null, 0.2, -1], cumulative)).toEqual([null, 0.1, 0.1, 0.3, -0.7])
})

test.each([
  [2, [1, 3, 5, 8], [null, 2, 4, 6.5]],
  [3, [0.1, 0.2, 0.3, 0.4], [null, null, 0.2, 0.3]],
  [2, [1, null, 3, 5], [null, null, null, 4]],
  [5, [1, 2], [null, null]],
])('a moving average of %i points', (points, values, expected) => {
  expect(runValues(values, average(points))).toEqual(expected)
})

test('rows get the running values of their own series, counting months that no group has', () => {
  const rows = [
    { M: '2026-04-01', City: 'Oslo', n: 3, mean: 1 },
    { M: '2026-01-01', City: 'Oslo', n: 4, mean: 1 },
    { M: '2026-02-01', City: 'Rome', n: 9, mean: 1 },
    { M: null, City: 'Oslo', n: 7, mean: 1 },
  ]
  const grouping = grouped({ M: month, City: '$City' })
  const made = addRunning(grouping, { rows, isCut: false }, { n: average(2), mean: cumulative })
  expect(made.columns).toEqual([{ name: 'n (moving average of 2)', of: 'n' }])
  expect(made.grouping.values).toEqual(['n', 'n (moving average of 2)', 'mean'])
  expect(made.rows.map((row) => row['n (moving average of 2)'])).toEqual([1.5, null, 4.5, null])
  // A value of the filter may have this very name.
  const named = { ...grouping, values: ['n', 'n (cumulative)'] }
  expect(addRunning(named, { rows, isCut: false }, { n: cumulative }).columns).toEqual([
    { name: 'n (cumulative) …', of: 'n' },
  ])
})

const far = [{ M: '1950-01-01' }, { M: '2026-01-01' }]
test.each([
  ['by month', { M: month }, [], [], /^possible$/],
  ['by month of the year', { M: { $month: '$Joined' } }, [], [], /^possible$/],
  ['by city', { M: '$City' }, [], [], /by date/],
  ['by score', { M: '$Score' }, [], [], /by date/],
  ['by moment', { M: '$Joined' }, [], [], /needs periods/],
  ['by days that are far apart', { M: '$Born' }, [], far, /too far apart/],
  ['of the largest months', { M: month }, [{ $sort: { n: -1 } }, { $limit: 2 }], far, /leave groups out/],
  ['of the last months', { M: month }, [{ $sort: { M: -1 } }, { $limit: 2 }], far, /^possible$/],
])('a moving average %s is possible, or says why not', (_what, keys, later, rows, reason) => {
  const refusal = refuseRunning(grouped(keys, ...later), 'n', average(7), { rows, isCut: false })
  expect(refusal ?? 'possible').toMatch(reason)
})

test('only sums and counts are added up, also over moments', () => {
  expect(refuseRunning(grouped({ M: '$Joined' }), 'n', cumulative, { rows: [], isCut: false })).toBeNull()
  const largest = grouped({ M: '$Joined' }, { $sort: { n: -1 } }, { $limit: 2 })
  expect(refuseRunning(largest, 'n', cumulative, { rows: far, isCut: false })).toMatch(/leave groups out/)
  expect(refuseRunning(grouped({ M: month }), 'mean', cumulative)).toBe('mean cannot be added up.')
})
