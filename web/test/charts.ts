import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'

/** Colors and fonts that tests recognize. */
export const looks: ChartLooks = {
  scheme: 'light',
  text: 'text',
  dimmed: 'dimmed',
  line: 'line',
  surface: '#ffffff',
  land: 'land',
  colors: ['#111111', '#222222', '#333333'],
  font: 'font',
}

/** Sums by month and city. */
export const byMonth: Grouping = {
  keys: [
    { name: 'M', field: 'Joined', part: 'month', type: 'date' },
    { name: 'City', field: 'City', part: null, type: 'string' },
  ],
  values: ['n'],
  sums: ['n'],
}
export const monthRows = [
  { M: 2, City: 'Oslo', n: 30 },
  { M: 1, City: 'Rome', n: 10 },
  { M: 1, City: 'Oslo', n: 40 },
]
/** Four values by city. */
export const byCity: Grouping = {
  keys: [{ name: 'City', field: 'City', part: null, type: 'string' }],
  values: ['low', 'open', 'close', 'high'],
  sums: ['low'],
}
export const cityRows = [
  { City: 'Oslo', low: 1, open: 2, close: 3, high: 4 },
  { City: null, low: 5, open: 7, close: 6, high: 8 },
]
