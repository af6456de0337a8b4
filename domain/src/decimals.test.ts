import { expect, test } from 'vitest'
import { addDecimals, shownNumber, withoutNoise } from './decimals.ts'

test.each([
  [[0.1, 0.2], 0.3],
  [[40.4, 40.4, 40.4], 121.2],
  [[1.1, 2.2, 4887.3], 4890.6],
  [Array<number>(1000).fill(0.01), 10],
])('%j add up to %d', (numbers, sum) => {
  expect(numbers.reduce(addDecimals, 0)).toBe(sum)
})

test.each([1 / 3, 2 / 3, 0.1, -2.5, 1e-7, 123_456_789.123_456_7, 9_007_199_254_740_991, 1_234_567_890_123_401, 1e300])(
  '%d is unchanged',
  (value) => {
    expect(withoutNoise(value)).toBe(value)
  },
)

test.each([
  [0.1 + 0.2, 0.3],
  [1 / 3, 0.333333333333333],
  [-10 / 3, -3.33333333333333],
  [1.1 * 1.1, 1.21],
  [1e-7, 1e-7],
  [0, 0],
  [9_007_199_254_740_991, 9_007_199_254_740_991],
  [4_155_550_134_000_001, 4_155_550_134_000_001],
  [1e300, 1e300],
])('%d is shown as %d', (value, shown) => {
  expect(shownNumber(value)).toBe(shown)
})
