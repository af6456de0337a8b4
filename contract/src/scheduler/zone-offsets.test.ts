import { expect, test } from 'vitest'
import { winterOffset } from './zone-offsets.ts'

test.each([
  ['UTC', 0],
  ['Europe/London', 0],
  ['Europe/Zurich', 1],
  // Its winter is in July.
  ['Australia/Sydney', 10],
  ['America/St_Johns', -3.5],
  ['Asia/Kolkata', 5.5],
])('in winter the clocks of %s are %d hours ahead of UTC', (zone, hours) => {
  expect(winterOffset(zone, 2026)).toBe(hours * 3_600_000)
})
