import { expect, test } from 'vitest'
import { areCodes } from './code-numbers.ts'

test.each([
  ['Customer No', [1002345, 1002346, 1002347]],
  ['customerId', [1, 2, 30]],
  ['Zip', [80202, 90210, 10001]],
  ['ZIP Code', [501]],
  ['Phone (home)', [4155550134]],
  ['Year', [2022, 2023]],
  ['Donor Since', [2008, 2011, 1999]],
  ['Reference', [4155550134, 2125550199, 3035550111, 3125550122]],
])('numbers of %s are treated as codes', (name, values) => {
  expect(areCodes(name, values)).toBe(true)
})

test.each([
  ['Revenue', [12500.5, 99000, 1234567]],
  ['Revenue', [12500, 99000, 1234567]],
  ['Budget', [1000000, 2500000, 4000000]],
  ['Year', [2022.5, 2023]],
  ['Number of Orders', [12, 1400]],
  ['Phone Calls', [12, 1400]],
  ['Paid', [12, 1400]],
  ['Balance No', [-1002345]],
  ['Id', []],
])('numbers of %s are not treated as codes', (name, values) => {
  expect(areCodes(name, values)).toBe(false)
})
