import { expect, test } from 'vitest'
import { cellIdLength, problemText, readDefinition } from './definition.ts'

const grouped = { standard: [{ $group: { _id: '$City', count: { $count: {} } } }] }
const bar = { type: 'Bar', filter: grouped, options: { colors: ['#1971c2'] } }
const read = (...cells: object[]) => readDefinition(JSON.stringify({ layout: [cells] }))
const problemsOf = (...cells: object[]) => read(...cells).problems.map(problemText)

test('chart data is dropped, and original filters are restored', () => {
  const cell = { cols: '6', chartData: [[1]], chart: { ...bar, filter: {} }, originalFilter: JSON.stringify(grouped) }
  const { definition } = readDefinition(
    JSON.stringify({ layout: [[cell]], originalFiltersSaved: true, resetFilters: true }),
  )
  expect(definition).toMatchObject({
    layout: [[{ id: '', cols: 6, chart: { type: 'Bar', filter: grouped } }]],
    originalFiltersSaved: false,
    resetFilters: false,
  })
  expect(JSON.stringify(definition)).not.toContain('chartData')
})

test.each<[object, string]>([
  [{ cols: 3 }, 'Row 1, cell 1, cols: Enter a number from 4 to 12.'],
  [{ cols: 12, chart: { ...bar, type: 'Radar' } }, 'Row 1, cell 1, type: '],
  [{ cols: 12, chart: { ...bar, filter: { standard: [] } } }, 'Row 1, cell 1, filter: Filter should have GroupBy!'],
  [{ cols: 12, chart: { ...bar, options: {} } }, 'Row 1, cell 1, options.colors: Value is required!'],
  [{ cols: 12, chart: { ...bar, options: { colors: ['#000'], pieHole: 1 } } }, 'greater than 0 and less than 1!'],
  [{ cols: 12, chart: { ...bar, filter: '"text"' } }, 'Row 1, cell 1, filter: Value is invalid!'],
  [{ cols: 12, chart: { type: 'PaginaTable', filter: {} } }, 'filter.columns: should have some columns!'],
  [{ cols: 12, chart: { ...bar, type: 'CalculatedTable' } }, 'Calculated Columns cannot be empty!'],
  [{ cols: 12, chart: { type: 'DatePicker' } }, 'datePickerType: Value is required!'],
  [
    { cols: 12, chart: { type: 'DatePicker', datePickerType: 'month', defaultId: 6, maxRange: 30 } },
    'maxRange: Value is invalid!',
  ],
  [
    { cols: 12, chart: { type: 'DatePicker', datePickerType: 'day', defaultId: 'ALL' } },
    'defaultId: Value is invalid!',
  ],
  [{ cols: 12, chart: { ...bar, filter2: {} } }, 'Row 1, cell 1, filter2: Only a KPI tile'],
])('%j is refused', (cell, text) => {
  expect(problemsOf(cell)).toHaveLength(1)
  expect(problemsOf(cell)[0]).toContain(text)
})

test('every problem names its cell', () => {
  expect(
    problemsOf({ cols: 12, chart: bar }, { cols: 2 }, { cols: 12, chart: { type: 'Dropdown', filter: {} } }),
  ).toEqual(['Row 1, cell 2, cols: Enter a number from 4 to 12.', 'Row 1, cell 3, filter: Filter should have GroupBy!'])
})

test('sizes are limited', () => {
  expect(problemsOf(...Array.from({ length: 61 }, () => ({ cols: 12 })))).toEqual([
    'Layout: A dashboard has at most 60 cells; this one has 61.',
  ])
  const long = {
    cols: 12,
    chart: { ...bar, filter: { ...grouped, columns: Array.from({ length: 1000 }, () => 'é'.repeat(99)) } },
  }
  expect(problemsOf(long)).toEqual([
    'Definition: A dashboard takes at most 200 kB; this one takes 202 kB. Keep a long list of values in a saved filter.',
  ])
  expect(readDefinition('{').problems[0]?.key).toBe('definition')
})

test('ids are kept if valid and unique', () => {
  const ids = ['c7f3', 'c7f3', '', 'a b', 7, undefined, 'x'.repeat(41), 'other']
  const { definition } = read(...ids.map((id) => ({ id, cols: 12 })))
  expect(definition?.layout[0]?.map(({ id }) => id)).toEqual(['c7f3', '', '', '', '', '', '', 'other'])
})

test('ids that have yet to be generated count toward the size', () => {
  const fill = 200_000 - JSON.stringify(read({ id: 'c', cols: 12, chart: filled('') }).definition).length
  const sizeProblems = (id: string, length: number) =>
    problemsOf({ id, cols: 12, chart: filled('x'.repeat(length)) }).map((text) => text.replace(/.*: /, ''))
  expect(sizeProblems('c', fill)).toEqual([])
  expect(sizeProblems('c', fill + 1)).toHaveLength(1)
  expect(sizeProblems('', fill - cellIdLength + 1)).toEqual([])
  expect(sizeProblems('', fill - cellIdLength + 2)).toHaveLength(1)
})

const filled = (text: string) => ({ ...bar, filter: { standard: [{ $match: { City: text } }, ...grouped.standard] } })

test('values nested too deeply are refused', () => {
  const deep = `${'['.repeat(90_000)}${']'.repeat(90_000)}`
  const text = `{"layout":[[{"cols":12,"chart":{"type":"Table","filter":{"standard":[{"$match":{"a":${deep}}}]}}}]]}`
  expect(readDefinition(text).problems.map(problemText)).toEqual(['Definition: Nest values at most 200 levels deep.'])
})
