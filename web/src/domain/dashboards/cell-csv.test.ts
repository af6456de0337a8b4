import { CellChart } from '@portico/contract/dashboards/cell-chart'
import { expect, test } from 'vitest'
import { csvOf } from './cell-csv.ts'

test('calculated columns stand at their place, with all their digits', () => {
  const chart = CellChart.parse({
    type: 'CalculatedTable',
    filter: { standard: [{ $group: { _id: { City: '$City' }, total: { $sum: '$Age' } } }] },
    calculatedColumns: [
      { name: 'Third', expression: '{{total}} / 3', fix: 'none', position: 'b::total' },
      { name: 'Price', expression: '{{Third}} * 2', fix: 'pre::$', position: 'e' },
      { name: 'Lost', expression: '{{gone}} * 2', fix: 'pre::$', position: 'e' },
    ],
  })
  const fields = [{ name: 'City', type: 'string' as const }]
  expect(csvOf(chart, { rows: [{ City: 'Oslo', total: 10 }], total: 1, fields, asOf: '' })).toBe(
    'City,Third,total,Price,Lost\r\nOslo,3.3333333333333335,10,$6.666666666666667,\r\n',
  )
})

test('rows are quoted where needed, and no text is read as a formula', () => {
  const chart = CellChart.parse({
    type: 'Table',
    filter: { standard: [{ $group: { _id: { City: '$City' }, total: { $sum: '$Age' } } }] },
  })
  const rows = [
    { City: 'Oslo, "north"', total: -5 },
    { City: '=1+1', total: 2.5 },
    { City: null, total: null },
  ]
  const fields = [{ name: 'City', type: 'string' as const }]
  expect(csvOf(chart, { rows, total: 3, fields, asOf: '' })).toBe(
    'City,total\r\n"Oslo, ""north""",-5\r\n\'=1+1,2.5\r\n,\r\n',
  )
})
