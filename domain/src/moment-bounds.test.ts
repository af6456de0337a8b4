import { expect, test } from 'vitest'
import { momentNearBounds } from './moment-bounds.ts'
import { isInMomentYears } from './moment-years.ts'

test.each([
  ['1000-01-01T00:00Z', 'UTC', true],
  ['1000-01-01T00:30:00+02:00', 'UTC', false],
  ['1000-01-01 02:00+0200', 'UTC', true],
  ['9999-12-31T23:59:59.999499Z', 'UTC', true],
  ['9999-12-31T23:59:59.9995Z', 'UTC', false],
  ['1000-01-01T01:59:59.9996+02:00', 'UTC', true],
  ['1000-01-01T01:59:59.9995+02:00', 'UTC', false],
  ['9999-12-31T23:30-02:00', 'UTC', false],
  ['9999-12-31T23:30', 'UTC', true],
  ['9999-12-31T18:59:59.999', 'America/New_York', true],
  ['9999-12-31 19:00', 'America/New_York', false],
  ['12/31/9999 6:59 PM', 'America/New_York', true],
  ['12/31/9999 7:00pm', 'America/New_York', false],
  ['12/31/9999 12:00 AM', 'America/New_York', true],
  ['9999-12-31', 'America/New_York', true],
  ['9999-12-31T23:59', 'Pacific/Kiritimati', true],
  ['1000-01-01', 'America/New_York', true],
  ['1000-01-01', 'Asia/Tokyo', false],
  ['1/1/1000', 'Asia/Tokyo', false],
  ['1/1/1000 9:19', 'Asia/Tokyo', true],
])('%s in %s is a moment of the years 1000 to 9999: %s', (text, timeZone, isIn) => {
  expect(isInMomentYears(momentNearBounds(text, timeZone))).toBe(isIn)
})

test.each(['', 'today', '2026-01', '31/31/2026', '2026-01-31T25:00Z'])('"%s" is not a moment', (text) => {
  expect(momentNearBounds(text, 'UTC')).toBeNaN()
})
