import type { CellAnswer } from '@portico/contract/dashboards'
import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { aChart, groupedByCity } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { CalculatedTable } from './calculated-table.tsx'
import { GroupTable } from './group-table.tsx'
import { PivotTable } from './pivot-table.tsx'
import type { AnsweredProps, CellRow } from './cell-props.ts'

const fields: CellAnswer['fields'] = [
  { name: 'City', type: 'string' },
  { name: 'Code', type: 'string' },
]

function propsOf(part: object, answer: Partial<CellAnswer>): AnsweredProps {
  const chart = aChart({ options: {}, ...part })
  const asOf = '2026-03-01T10:00:00.000Z'
  return {
    cell: { id: 't', cols: 12, chart },
    source: { kind: 'edited', chart },
    choosing: null,
    shows: 'table',
    answer: { rows: [], total: 0, fields, asOf, ...answer },
  }
}

const textsOf = (row: HTMLElement | undefined): string[] =>
  row ? [...row.querySelectorAll('th, td')].map(({ textContent }) => textContent ?? '') : []

test('calculated columns have their position and fixed text, and are computed from the totals', () => {
  const calculatedColumns = [
    { name: 'Each', expression: 'round({{Total}} / {{count}}, 1)', fix: 'pre::$', position: 'b::count' },
    { name: 'Share', expression: '{{count}} / 0', fix: 'post::%', position: 'e' },
  ]
  const rows = [
    { City: 'Denver', count: 2, Total: 15 },
    { City: null, count: 1, Total: 1000 },
  ]
  const group = { _id: { City: '$City' }, count: { $count: {} }, Total: { $sum: '$Score' } }
  const chart = { type: 'CalculatedTable', filter: { standard: [{ $group: group }] }, calculatedColumns }
  renderApp(<CalculatedTable {...propsOf(chart, { rows, totals: { count: 3, Total: 1015 } })} />)
  expect(screen.getAllByRole('row').map(textsOf)).toEqual([
    ['City', 'Each', 'count', 'Total', 'Share'],
    ['Denver', '$7.5', '2', '15', ''],
    ['(no value)', '$1,000', '1', '1,000', ''],
    ['Total', '$338.3', '3', '1,015', ''],
  ])
})

test('figures have two decimals, small ones three digits, all digits in the tooltip; rounded columns keep theirs', () => {
  const column = (name: string, expression: string) => ({ name, expression, fix: 'pre::$', position: 'e' })
  const calculatedColumns = [
    column('Each', '{{Total}} / {{count}}'),
    column('Rounded', 'round({{Total}} / {{count}}, 4)'),
    column('Rest', 'round({{count}}) / 9'),
    column('Small', '{{count}} / 70000'),
  ]
  const group = { _id: { City: '$City' }, count: { $count: {} }, Total: { $sum: '$Score' } }
  const chart = { type: 'CalculatedTable', filter: { standard: [{ $group: group }] }, calculatedColumns }
  const rows = [{ City: 'Denver', count: 7, Total: 9042.98477777 }]
  renderApp(<CalculatedTable {...propsOf(chart, { rows })} />)
  expect(screen.getAllByRole('row').map(textsOf)[1]).toEqual([
    'Denver',
    '7',
    '9,042.98',
    '$1,291.85',
    '$1,291.855',
    '$0.778',
    '$0.0001',
  ])
  expect(screen.getByText('$1,291.85')).toHaveAttribute('title', '1,291.85496825')
  expect(screen.getByText('9,042.98')).toHaveAttribute('title', '9,042.98477777')
  expect(screen.getByText('7')).not.toHaveAttribute('title')
})

test('figures of groups are rounded, values of contacts are not', () => {
  const rows = [{ City: 'Denver', n: 39.739235999 }]
  const group = { _id: { City: '$City' }, n: { $avg: '$Score' } }
  renderApp(<GroupTable {...propsOf({ type: 'Table', filter: { standard: [{ $group: group }] } }, { rows })} />)
  expect(screen.getByRole('cell', { name: '39.74' })).toHaveAttribute('title', '39.739235999')
  const columns = ['City', 'n']
  renderApp(<GroupTable {...propsOf({ type: 'Table', filter: { standard: [], columns } }, { rows })} />)
  expect(screen.getByText('39.739235999')).toBeVisible()
})

const crossed = {
  type: 'Pivot',
  filter: { standard: [{ $group: { _id: { City: '$City', Code: '$Code' }, n: { $count: {} } } }] },
}

test('two grouping levels are rows and columns with totals, and each number opens its events', async () => {
  const onOpenRow = vi.fn<(row: CellRow) => void>()
  const answer = {
    rows: [
      { City: 'Oslo', Code: 'a', n: 1 },
      { City: 'Oslo', Code: null, n: 2 },
      { City: 'Rome', Code: 'a', n: 4 },
    ],
    rowTotals: [
      { City: 'Oslo', n: 3 },
      { City: 'Rome', n: 4 },
    ],
    columnTotals: [
      { Code: 'a', n: 5 },
      { Code: null, n: 2 },
    ],
    totals: { n: 7 },
  }
  const { user } = renderApp(<PivotTable {...propsOf(crossed, answer)} onOpenRow={onOpenRow} />)
  expect(screen.getAllByRole('row').map(textsOf)).toEqual([
    ['City / Code', 'a', '(no value)', 'Total'],
    ['Oslo', '1', '2', '3'],
    ['Rome', '4', '', '4'],
    ['Total', '5', '2', '7'],
  ])
  await user.click(within(screen.getByRole('row', { name: /^Oslo/ })).getByRole('button', { name: '2' }))
  expect(onOpenRow).toHaveBeenLastCalledWith({ City: 'Oslo', Code: null })
  await user.click(screen.getByRole('button', { name: '5' }))
  expect(onOpenRow).toHaveBeenLastCalledWith({ Code: 'a' })
})

test('a pivot table has at most 100 columns, and says how many there are', () => {
  const rows = Array.from({ length: 120 }, (_, at) => ({ City: 'Oslo', Code: `c${at}`, n: 1 }))
  renderApp(<PivotTable {...propsOf(crossed, { rows })} />)
  expect(screen.getAllByRole('columnheader')).toHaveLength(102)
  expect(screen.getByText('First 100 of 120 columns')).toBeVisible()
})

test('a pivot table with one key shows what is missing', () => {
  renderApp(<PivotTable {...propsOf({ type: 'Pivot', filter: groupedByCity }, {})} />)
  expect(screen.getByText('The keys of this table are computed.')).toBeVisible()
})

test('columns of a cell have formats of their own, with all digits in the tooltip', () => {
  const formats = {
    Total: { style: 'currency', decimals: 1, currency: 'EUR', isShort: true },
    Each: { style: 'decimal', decimals: 2, currency: null, suffix: ' pts' },
  }
  const group = { _id: { City: '$City' }, Total: { $sum: '$Score' } }
  const chart = {
    type: 'CalculatedTable',
    filter: { standard: [{ $group: group }] },
    calculatedColumns: [{ name: 'Each', expression: '{{Total}} / 4' }],
    portico: { formats },
  }
  const rows = [{ City: 'Oslo', Total: 12_345.5 }]
  renderApp(<CalculatedTable {...propsOf(chart, { rows, totals: { Total: 12_345.5 } })} />)
  expect(screen.getAllByRole('row').slice(1).map(textsOf)).toEqual([
    ['Oslo', '€12.3K', '3,086.38 pts'],
    ['Total', '€12.3K', '3,086.38 pts'],
  ])
  expect(screen.getAllByText('€12.3K')[0]).toHaveAttribute('title', '€12,345.50')
})

test('keys and values of tables and pivot tables use the format of their field', () => {
  const formatted: CellAnswer['fields'] = [
    { name: 'Year', type: 'number', format: { style: 'plain', decimals: null, currency: null } },
    { name: 'Paid', type: 'number', format: { style: 'currency', decimals: 0, currency: 'EUR' } },
    { name: 'City', type: 'string' },
  ]
  const group = { _id: { Year: '$Year', City: '$City' }, Total: { $sum: '$Paid' } }
  const rows = [{ Year: 2022, City: 'Oslo', Total: 1234.5 }]
  const chart = { type: 'Table', filter: { standard: [{ $group: group }] } }
  renderApp(<GroupTable {...propsOf(chart, { rows, fields: formatted })} />)
  expect(screen.getAllByRole('row').map(textsOf)[1]).toEqual(['2022', 'Oslo', '€1,235'])
  renderApp(
    <PivotTable {...propsOf({ ...chart, type: 'Pivot' }, { rows, fields: formatted, totals: { Total: 2000 } })} />,
  )
  const pivot = screen.getAllByRole('table').at(-1)
  expect(
    within(pivot ?? document.body)
      .getAllByRole('row')
      .map(textsOf)
      .slice(1),
  ).toEqual([
    ['2022', '€1,235', ''],
    ['Total', '', '€2,000'],
  ])
})
