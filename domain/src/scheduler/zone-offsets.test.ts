import { expect, test } from 'vitest'
import { isTimeZone, spansFrom, winterOffset } from './zone-offsets.ts'

test.each([
  ['UTC', 0],
  ['Europe/London', 0],
  ['Europe/Zurich', 1],
  // Winter is in July.
  ['Australia/Sydney', 10],
  ['America/St_Johns', -3.5],
  ['Asia/Kolkata', 5.5],
])('in winter the clocks of %s are %d hours ahead of UTC', (zone, hours) => {
  expect(winterOffset(zone, 2026)).toBe(hours * 3_600_000)
})

test('spellings of a zone share one cache entry, and unknown names are refused', () => {
  const spansOf = (zone: string) => spansFrom(zone, Date.UTC(2026, 6, 1)).next().value
  const known = spansOf('Europe/Zurich')
  for (const zone of ['europe/zurich', 'EUROPE/ZURICH', 'eUrOpE/zUrIcH']) expect(spansOf(zone)).toBe(known)
  for (const zone of ['Europe/Zürich', 'Europe/Zurich ', '+02:00', '', 'A'.repeat(100_000)]) {
    expect(isTimeZone(zone)).toBe(false)
    expect(() => spansOf(zone)).toThrow(RangeError)
  }
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 9e15])('the moment %d is refused', (moment) => {
  expect(() => spansFrom('UTC', moment).next()).toThrow(RangeError)
})
