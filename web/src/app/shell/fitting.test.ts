import { expect, test } from 'vitest'
import { fittingCount } from './fitting.ts'

const widths = [50, 90, 80, 60]

test('all entries are in the row when they and the gaps between them fit', () => {
  expect(fittingCount(widths, 286)).toBe(4)
  expect(fittingCount([], 0)).toBe(0)
})

test('with less room the first entries are in the row, with space for the button for the rest', () => {
  expect(fittingCount(widths, 285)).toBe(2)
  expect(fittingCount(widths, 222)).toBe(2)
  expect(fittingCount(widths, 221)).toBe(1)
  expect(fittingCount(widths, 129)).toBe(0)
})
