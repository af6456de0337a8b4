import { expect, test } from 'vitest'
import { datePattern } from './date-format.ts'
import { numberFormat } from './number-format.ts'

test.each([
  [undefined, 1234.5678, '1,234.5678'],
  ['', 1234, '1,234'],
  ['none', 1234.5, '1234.5'],
  ['decimal', 1234.5, '1,234.5'],
  ['scientific', 12345, '1.23E4'],
  ['currency', 1234.5, '$1,234.50'],
  ['currency', 1200, '$1,200'],
  ['percent', 0.256, '25.6%'],
  ['short', 12_345, '12.3K'],
  ['long', 12_345, '12.3 thousand'],
  ['#,##0.00', 1234.5, '1,234.50'],
  ['#,###', 1234.5, '1,235'],
  ['0.##', 1.5, '1.5'],
  ['000', 7, '007'],
  ['#.00', 0.5, '.50'],
  ['$#,##0', 1234, '$1,234'],
  ['¤#,##0', 1234, '$1,234'],
  ['#%', 0.25, '25%'],
  ['0.0‰', 0.25, '250.0‰'],
  ['0.0E0', 12345, '1.2E4'],
  ["#,##0 'items'", 5, '5 items'],
  ['#,##0;(#,##0)', -1234, '(1,234)'],
  ['#,##0', -1234, '-1,234'],
  ['no pattern', 5, '5'],
])('the number format %j formats %d as %j', (format, value, text) => {
  expect(numberFormat(format)(value)).toBe(text)
})

const moment = Date.UTC(2026, 0, 31, 22, 5, 9)

test.each([
  ['M/d/yyyy', 'UTC', '1/31/2026'],
  ['MMM d, yy', 'UTC', 'Jan 31, 26'],
  ['EEEE d MMMM', 'UTC', 'Saturday 31 January'],
  ['yyyy-MM-dd HH:mm:ss', 'UTC', '2026-01-31 22:05:09'],
  ['h:mm a', 'UTC', '10:05 PM'],
  ["d 'of' MMM", 'UTC', '31 of Jan'],
  ["d 'of MMM", 'UTC', '31 of MMM'],
  ['d MMM', 'Asia/Tokyo', '1 Feb'],
])('the date pattern %j in %s gives %j', (pattern, zone, text) => {
  expect(datePattern(pattern, zone)?.(moment)).toBe(text)
})

test('a pattern with other letters is not a date pattern', () => {
  expect(datePattern('QQ yyyy', 'UTC')).toBeNull()
  expect(datePattern('#,##0', 'UTC')).toBeNull()
})
