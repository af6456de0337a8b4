import { expect, test } from 'vitest'
import { calculateTable, placeColumns, readFix, readPosition, withFix } from './calculated-columns.ts'

const column = (name: string, part: object = {}) => ({
  name,
  expression: '{{count}} * 2',
  fix: 'none',
  position: 'e',
  ...part,
})

test.each([
  ['none', { kind: 'none' }],
  ['pre::$', { kind: 'pre', text: '$' }],
  ['post::::%', { kind: 'post', text: '::%' }],
  ['pre::', null],
  ['$', null],
])('the fixed text %s is parsed', (text, fix) => {
  expect(readFix(text)).toEqual(fix)
})

test.each([
  ['s', { kind: 's' }],
  ['e', { kind: 'e' }],
  ['b::City', { kind: 'b', column: 'City' }],
  ['a::a::b', { kind: 'a', column: 'a::b' }],
  ['b::', null],
  ['middle', null],
])('the position %s is parsed', (text, position) => {
  expect(readPosition(text)).toEqual(position)
})

test('an empty value gets no fixed text', () => {
  expect(withFix('5', { kind: 'pre', text: '$' })).toBe('$5')
  expect(withFix('5', { kind: 'post', text: '%' })).toBe('5%')
  expect(withFix('', { kind: 'pre', text: '$' })).toBe('')
})

test('columns are placed at the start, at the end or beside another; without that other, at the end', () => {
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

test('a column can use earlier ones; division by zero and missing values give an empty value', () => {
  const columns = [column('Twice'), column('Share', { expression: '{{n}} / {{Twice}}' })]
  const { rows } = calculateTable(['count', 'n'], [{ count: 2, n: 8 }, { count: 0, n: 8 }, { n: 8 }], columns)
  expect(rows.map((row) => [row.get('twice'), row.get('share')])).toEqual([
    [4, 2],
    [0, null],
    [null, null],
  ])
})
