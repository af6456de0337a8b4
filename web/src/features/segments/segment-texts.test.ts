import type { SegmentNight } from '@portico/contract/segments'
import { expect, test } from 'vitest'
import { latestCount, signed, trendText, usesText, weekChange } from './segment-texts.ts'

const nights = (...counts: (number | null)[]): SegmentNight[] =>
  counts.map((contacts, at) => ({
    night: `2026-05-${String(at + 1).padStart(2, '0')}`,
    contacts,
    reason: contacts === null ? 'It failed.' : null,
  }))

test('the change since last week compares with the count of seven nights before, or the first one since', () => {
  expect(weekChange(nights(1, 2, 3, 4, 5, 6, 7, 8, 90))).toBe(88)
  expect(weekChange(nights(10, null, 7))).toBe(-3)
  expect(weekChange(nights(1, null, null, null, null, null, null, null, 5))).toBeNull()
  expect(weekChange(nights(5))).toBeNull()
  expect(weekChange(nights(5, 5, null))).toBe(0)
  expect(weekChange([])).toBeNull()
  expect(weekChange(null)).toBeNull()
  expect([12, -1234, 0].map(signed)).toEqual(['+12', '−1,234', '0'])
})

test('the latest count is that of the last night that could be counted', () => {
  expect(latestCount(nights(1, 2, null))).toBe(2)
  expect(latestCount(nights(null))).toBeUndefined()
  expect(trendText(nights(1000, null, 2000))).toBe('2 nights: from 1,000 to 2,000 contacts')
  expect(trendText(nights(null))).toBe('No nightly counts yet')
})

test('uses are shown by their kind and number', () => {
  expect(usesText([])).toBe('')
  expect(
    usesText([
      { kind: 'export', items: 2 },
      { kind: 'dashboard', items: 1 },
    ]),
  ).toBe('2 exports, 1 dashboard')
})
