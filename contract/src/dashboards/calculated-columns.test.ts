import { expect, test } from 'vitest'
import { CalculatedColumn } from './calculated-column.ts'
import { calculateTable, columnProblems, placeColumns, readFix, readPosition, withFix } from './calculated-columns.ts'

const column = (name: string, part: object = {}): CalculatedColumn =>
  CalculatedColumn.parse({ name, expression: '{{count}} * 2', ...part })
const problemsOf = (...columns: CalculatedColumn[]): string[] =>
  columnProblems(columns, ['City', 'count']).map(({ index, key, message }) => `${index} ${key}: ${message}`)

test.each([
  ['none', { kind: 'none' }],
  ['pre::$', { kind: 'pre', text: '$' }],
  ['post::::%', { kind: 'post', text: '::%' }],
  ['pre::', null],
  ['$', null],
])('the fixed text %s', (text, fix) => {
  expect(readFix(text)).toEqual(fix)
})

test.each([
  ['s', { kind: 's' }],
  ['e', { kind: 'e' }],
  ['b::City', { kind: 'b', column: 'City' }],
  ['a::a::b', { kind: 'a', column: 'a::b' }],
  ['b::', null],
  ['middle', null],
])('the position %s', (text, position) => {
  expect(readPosition(text)).toEqual(position)
})

test('a fixed text is not written where there is no value', () => {
  expect(withFix('5', { kind: 'pre', text: '$' })).toBe('$5')
  expect(withFix('5', { kind: 'post', text: '%' })).toBe('5%')
  expect(withFix('', { kind: 'pre', text: '$' })).toBe('')
})

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

test('columns stand at the start, at the end, or beside another; one beside a lost column at the end', () => {
  const columns = [
    column('First', { position: 's' }),
    column('Second', { position: 's' }),
    column('Before', { position: 'b::count' }),
    column('After', { position: 'a::city' }),
    column('Lost', { position: 'b::gone' }),
  ]
  expect(placeColumns(['City', 'count'], columns).map(({ name }) => name)).toEqual([
    'First',
    'Second',
    'City',
    'After',
    'Before',
    'count',
    'Lost',
  ])
})

test('a column uses those before it; a division by zero and a missing value give none', () => {
  const columns = [column('Twice'), column('Share', { expression: '{{n}} / {{Twice}}' })]
  const { rows } = calculateTable(['count', 'n'], [{ count: 2, n: 8 }, { count: 0, n: 8 }, { n: 8 }], columns)
  expect(rows.map((row) => [row.get('twice'), row.get('share')])).toEqual([
    [4, 2],
    [0, null],
    [null, null],
  ])
})
