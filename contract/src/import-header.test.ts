import { expect, test } from 'vitest'
import { findUnnamed, withNames } from './import-header.ts'

const named = (names: string[]): string[] => withNames(names, findUnnamed(names))

test.each([
  [
    ['Phone', 'phone', 'PHONE'],
    ['Phone', 'phone (2)', 'PHONE (3)'],
  ],
  // A column cannot take the name of another one.
  [
    ['Phone', 'Phone', 'Phone (2)', 'Phone'],
    ['Phone', 'Phone (3)', 'Phone (2)', 'Phone (4)'],
  ],
  [
    ['Email', '', 'Column 4', ''],
    ['Email', 'Column 2', 'Column 4', 'Column 4 (2)'],
  ],
  [
    ['Gift\r\nTotal', 'Gift Total', '\u0007', 'A\tB'],
    ['Gift Total (2)', 'Gift Total', 'Column 3', 'A B'],
  ],
  [
    ['x'.repeat(250), 'x'.repeat(300), 'y'],
    ['x'.repeat(200), `${'x'.repeat(196)} (2)`, 'y'],
  ],
])('unnamed columns get a name: %j', (names, expected) => {
  expect(named(names)).toEqual(expected)
  expect(findUnnamed(named(names))).toEqual([])
})

test('each problem with a name is described', () => {
  expect(findUnnamed(['A', 'a', '', 'B\nC'])).toEqual([
    { column: 2, name: 'a', problem: 'repeated', of: 1, becomes: 'a (2)' },
    { column: 3, name: '', problem: 'blank', of: null, becomes: 'Column 3' },
    { column: 4, name: 'B\nC', problem: 'unfit', of: null, becomes: 'B C' },
  ])
})

test('a thousand columns with the same long name get different names', () => {
  const names = Array.from({ length: 1000 }, () => 'Ü'.repeat(200))
  expect(new Set(named(names)).size).toBe(1000)
})
