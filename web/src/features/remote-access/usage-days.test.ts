import type { RemoteAccessDay } from '@portico/contract/remote-access'
import { expect, test } from 'vitest'
import { totalOf, withGaps } from './usage-days.ts'

const aDay = (day: string, served: number): RemoteAccessDay => ({
  day,
  served,
  notFound: 0,
  several: 0,
  refused: 0,
  limited: 0,
  events: 0,
  dropped: 0,
})

test('days without calls are filled in with zero', () => {
  const days = [aDay('2026-02-27', 3), aDay('2026-03-02', 4)]
  expect(withGaps(days).map(({ day, served }) => [day, served])).toEqual([
    ['2026-02-27', 3],
    ['2026-02-28', 0],
    ['2026-03-01', 0],
    ['2026-03-02', 4],
  ])
  expect(totalOf(days, 'served')).toBe(7)
})

test('days too far apart for a chart are not filled in, and no days stay empty', () => {
  const days = [aDay('2026-01-01', 3), aDay('2026-03-02', 4)]
  expect(withGaps(days)).toEqual(days)
  expect(withGaps([])).toEqual([])
})
