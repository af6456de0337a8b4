import { expect, test } from 'vitest'
import { seriesNamesOf } from './series-names.ts'

const grouping = {
  keys: [
    { name: 'Year', field: 'Joined', part: 'year' as const, type: 'date' as const },
    { name: 'City', field: 'City', part: null, type: 'string' as const },
  ],
  values: ['count'],
  sums: ['count'],
}
const rows = [
  { Year: 2025, City: 'Oslo', count: 3 },
  { Year: 2026, City: 'Bern', count: 5 },
]

test('the series names of a chart are its legend, of a pie its slices, and of a map none', () => {
  expect(seriesNamesOf('Column', {}, grouping, rows)).toEqual(['Oslo', 'Bern'])
  const cities = { ...grouping, keys: grouping.keys.slice(1) }
  expect(seriesNamesOf('Pie', {}, cities, rows)).toEqual(['Oslo', 'Bern'])
  expect(seriesNamesOf('Geo', {}, cities, rows)).toEqual([])
})
