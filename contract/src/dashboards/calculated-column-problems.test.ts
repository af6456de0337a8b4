import { expect, test } from 'vitest'
import { CalculatedColumn } from './calculated-column.ts'
import { columnProblems } from './calculated-column-problems.ts'

const column = (name: string, part: object = {}): CalculatedColumn =>
  CalculatedColumn.parse({ name, expression: '{{count}} * 2', ...part })
const problemsOf = (...columns: CalculatedColumn[]): string[] =>
  columnProblems(columns, ['City', 'count']).map(({ index, key, message }) => `${index} ${key}: ${message}`)

test('names are used once, whatever their letter case', () => {
  expect(problemsOf(column('A'), column(' a'), column('CITY'))).toEqual([
    '1 name: Value is duplicate!',
    '2 name: Value is duplicate!',
  ])
})

test('an expression has at least one column, which is there', () => {
  expect(problemsOf(column('A', { expression: '1 + 2' }))).toEqual(['0 expression: Value is invalid!'])
  expect(problemsOf(column('A', { expression: '{{Gone}}' }))).toEqual(['0 expression: There is no column {{gone}}.'])
  expect(problemsOf(column('A', { expression: '{{B}}' }), column('B', { expression: '{{A}}' }))).toEqual([
    '0 expression: {{b}} is calculated after this column. Use columns that come before it.',
  ])
})

test('a text before or after, and a place beside a column, say which', () => {
  expect(problemsOf(column('A', { fix: 'pre::', position: 'b::' }))).toEqual([
    '0 fix: Value is required!',
    '0 position: Value is required!',
  ])
  expect(problemsOf(column('A', { fix: 'x', position: 'y' }))).toEqual([
    '0 fix: Value is invalid!',
    '0 position: Value is invalid!',
  ])
})
