import { expect, test } from 'vitest'
import { describeDays, describeHours } from './access-times.ts'

test('days and hours are put into words, with consecutive hours as one span', () => {
  expect(describeDays([], null)).toBe('Any day')
  expect(describeDays(['fri', 'mon'], 'in')).toBe('Only Mon, Fri')
  expect(describeDays(['sun'], 'nin')).toBe('Not on Sun')
  expect(describeHours([], null)).toBe('Any hour')
  expect(describeHours([9, 10, 11, 14], 'in')).toBe('Only 9:00–12:00, 14:00–15:00')
  expect(describeHours([22, 23, 0, 1], 'nin')).toBe('Not 22:00–2:00')
  expect(describeHours([23], 'in')).toBe('Only 23:00–24:00')
  expect(
    describeHours(
      Array.from({ length: 24 }, (_, hour) => hour),
      'in',
    ),
  ).toBe('Only 0:00–24:00')
})
