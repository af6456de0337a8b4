import { expect, test } from 'vitest'
import { CalculatedColumn } from './calculated-column.ts'
import { columnProblems } from './calculated-column-problems.ts'

const column = (name: string, part: object = {}): CalculatedColumn =>
  CalculatedColumn.parse({ name, expression: '{{count}} * 2', ...part })
const problemsOf = (...columns: CalculatedColumn[]): string[] =>
  columnProblems(columns, ['City', 'count']).map(({ index, key, message }) => `${index} ${key}: ${message}`)

test('a duplicate name is refused in any letter case', () => {
  expect(problemsOf(column('A'), column(' a'), column('CITY'))).toEqual([
    '1 name: Value is duplicate!',
    '2 name: Value is duplicate!',
  ])
})

test('an expression needs at least one column, and only existing ones', () => {
  expect(problemsOf(column('A', { expression: '1 + 2' }))).toEqual(['0 expression: Value is invalid!'])
  expect(problemsOf(column('A', { expression: '{{Gone}}' }))).toEqual(['0 expression: There is no column {{gone}}.'])
  expect(problemsOf(column('A', { expression: '{{B}}' }), column('B', { expression: '{{A}}' }))).toEqual([
    '0 expression: {{b}} is calculated after this column. Use columns that come before it.',
  ])
})

test('a fixed text needs its text, and a position beside a column needs the column', () => {
  expect(problemsOf(column('A', { fix: 'pre::', position: 'b::' }))).toEqual([
    '0 fix: Value is required!',
    '0 position: Value is required!',
  ])
  expect(problemsOf(column('A', { fix: 'x', position: 'y' }))).toEqual([
    '0 fix: Value is invalid!',
    '0 position: Value is invalid!',
  ])
})
