import { expect, test } from 'vitest'
import { abbreviated } from './numbers.ts'

test.each([
  [0, '0'],
  [999.94, '999.9'],
  [1000, '1,000'],
  [1001, '1.0K'],
  [-1500, '-1.5K'],
  [999_949, '999.9K'],
  [999_950, '1.0M'],
  [1_000_000, '1.0M'],
  [1_250_000, '1.3M'],
])('%d is %s', (value, text) => expect(abbreviated(value)).toBe(text))
