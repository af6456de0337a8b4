import { expect, test } from 'vitest'
import { type FieldFormat, plainFormat, writeNumber, writeShortNumber } from './field-format.ts'

const format = (style: FieldFormat['style'], decimals: number | null = null, currency: string | null = null) => ({
  style,
  decimals,
  currency,
})

test('a plain number has the digits of the file and no separators', () => {
  expect([2022, 80202, 4155550134, -12345.678, 1e21].map((value) => writeNumber(value, plainFormat))).toEqual([
    '2022',
    '80202',
    '4155550134',
    '-12345.678',
    '1000000000000000000000',
  ])
})

test('other formats have separators, signs and decimals', () => {
  expect(writeNumber(1234567.891, format('decimal'))).toBe('1,234,567.891')
  expect(writeNumber(1234.5, format('decimal', 2))).toBe('1,234.50')
  expect(writeNumber(0.1234, format('percent'))).toBe('12.34%')
  expect(writeNumber(0.1234, format('percent', 0))).toBe('12%')
  expect(writeNumber(1234.5, format('currency'))).toBe('$1,234.50')
  expect(writeNumber(1234, format('currency'))).toBe('$1,234')
  expect(writeNumber(1234, format('currency', 2, 'EUR'))).toBe('€1,234.00')
  expect(writeNumber(-5, format('currency', 0, 'GBP'))).toBe('-£5')
})

test('a computed value has fewer decimals unless its format sets them', () => {
  expect(writeNumber(2008.123456, plainFormat, 2)).toBe('2008.12')
  expect(writeNumber(10 / 3, format('currency'), 2)).toBe('$3.33')
  expect(writeNumber(10 / 3, format('decimal', 4), 2)).toBe('3.3333')
})

test('columns have texts around their numbers, and are abbreviated', () => {
  const around = { ...format('decimal', 1), prefix: '~', suffix: ' km' }
  expect(writeNumber(1234.56, around)).toBe('~1,234.6 km')
  expect(writeNumber(-2, around)).toBe('-~2.0 km')
  expect(writeNumber(1_234_567, { ...around, isShort: true })).toBe('~1.2M km')
  expect(writeNumber(1_234_567, { ...format('currency', 2, 'EUR'), isShort: true })).toBe('€1.23M')
  expect(writeShortNumber(12_500, around)).toBe('~12.5K km')
})

test('axis ticks are abbreviated', () => {
  expect(writeShortNumber(1_234_567, format('currency'))).toBe('$1.2M')
  expect(writeShortNumber(12_500, format('decimal', 2))).toBe('12.5K')
  expect(writeShortNumber(2022, plainFormat)).toBe('2022')
  expect(writeShortNumber(0.25, format('percent'))).toBe('25%')
})
