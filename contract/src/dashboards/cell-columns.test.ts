import { expect, test } from 'vitest'
import type { CellChart } from './cell-chart.ts'
import { columnsOfRows } from './cell-columns.ts'

const fields = [
  { name: 'City', type: 'string' as const },
  { name: 'Score', type: 'number' as const },
]
const byCity = { $group: { _id: { City: '$City' }, sum: { $sum: '$Score' }, n: { $sum: 1 } } }
const columnsOf = (...standard: Record<string, unknown>[]): string[] =>
  columnsOfRows({ type: 'Table', filter: { standard } } as unknown as CellChart, { rows: [], fields }).map(
    ({ name }) => name,
  )

test('columns computed from groups by later stages are listed, even without rows', () => {
  expect(columnsOf(byCity)).toEqual(['City', 'sum', 'n'])
  expect(columnsOf(byCity, { $addFields: { mean: { $divide: ['$sum', '$n'] } } })).toEqual(['City', 'sum', 'n', 'mean'])
})

test('groups by computed keys list their columns without rows', () => {
  const key = { Both: { $concat: ['$City', '!'] } }
  expect(columnsOf({ $group: { _id: key, n: { $sum: 1 } } })).toEqual(['Both', 'n'])
})
