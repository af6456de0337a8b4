import { expect, test } from 'vitest'
import { fittingCount } from './fitting.ts'

const widths = [50, 90, 80, 60]

test('all entries stand in the row when they fit, with the gaps between them', () => {
  expect(fittingCount(widths, 286)).toBe(4)
  expect(fittingCount([], 0)).toBe(0)
})

test('with less room the first ones stand there, and the button for the rest has its place', () => {
  expect(fittingCount(widths, 285)).toBe(2)
  expect(fittingCount(widths, 222)).toBe(2)
  expect(fittingCount(widths, 221)).toBe(1)
  expect(fittingCount(widths, 129)).toBe(0)
})
