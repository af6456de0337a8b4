import type { GroupKey } from '@portico/domain/pipeline/grouping'
import { expect, test } from 'vitest'
import { rowsCsv } from './rows-csv.ts'

const keys: GroupKey[] = [
  { name: '_id', field: 'City', part: null, type: 'string' },
  { name: 'Month', field: 'Joined', part: 'month', type: 'date' },
]
const columns = [
  { name: '_id', label: 'City' },
  { name: 'Month', label: 'Month' },
  { name: 'count', label: 'count' },
]
const csvOf = (city: unknown, guardFormulas?: boolean): string | undefined =>
  rowsCsv({
    columns,
    keys,
    rows: [{ _id: city, Month: 5, count: 1 }],
    ...(guardFormulas !== undefined && { guardFormulas }),
  })
    .split('\r\n')
    .at(1)

test('columns have their labels, and parts of dates are written as they read', () => {
  expect(
    rowsCsv({
      columns,
      keys,
      rows: [
        { _id: 'Oslo', Month: 5, count: 1234.5 },
        { count: 1e21, Month: null, _id: null },
      ],
    }),
  ).toBe('City,Month,count\r\nOslo,May,1234.5\r\n,,1000000000000000000000\r\n')
})

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+cmd|x', "'+cmd|x"],
  ['-2+3', "'-2+3"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['+41791234567', '+41791234567'],
  ['-12.5', '-12.5'],
  ['a"b', '"a""b"'],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
  [' a', '" a"'],
  [-5, '-5'],
  [1.5e-21, '0.0000000000000000000015'],
  [true, 'true'],
])('%j is written as %j', (value, text) => {
  expect(csvOf(value)).toBe(`${text},May,1`)
})

test('accounts without the guard get texts as they are', () => {
  expect(csvOf('=1+1', false)).toBe('=1+1,May,1')
})
