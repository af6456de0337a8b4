import { timingMarks } from '@portico/domain/scheduler/timing-marks'
import { expect, test } from 'vitest'
import { timed } from '#test/kit/timed.ts'
import { dueTimesAfter, dueTimesUntil, timesOfNewCron } from './cron-timing.ts'

const kept = {
  expression: '0 9 * * *',
  zone: 'Europe/Zurich',
  starts: '2026-12-01',
  ends: '2026-12-03',
  repeats: null,
  // As if computed with other time zone rules: an hour earlier.
  last_due_at: new Date('2026-12-03T07:00:00Z'),
}
const times = ['2026-12-01T08:00:00Z', '2026-12-02T08:00:00Z', '2026-12-03T08:00:00Z'].map((text) => Date.parse(text))

test('the last run before an end is kept when the rules of its time zone change', () => {
  expect(dueTimesAfter(kept, 0, 10)).toEqual(times)
})

test('a number of repeats ends with the last repeat', () => {
  const timing = { cron: kept.expression, cronTZ: kept.zone, cronStart: kept.starts, cronRepeat: 2 }
  const { first, last } = timesOfNewCron(timing, Date.parse('2026-11-24T10:00:00Z'))
  expect([first, last]).toEqual(times.slice(0, 2))
  const repeated = { ...kept, ends: null, repeats: 2, last_due_at: new Date(last ?? 0) }
  expect(dueTimesAfter(repeated, 0, 10)).toEqual(times.slice(0, 2))
  expect(dueTimesUntil(repeated, times[0] ?? 0, times[2] ?? 0, 10)).toEqual({ times: [times[1]], next: null })
})

test('the last run is computed quickly, for any end and any number of repeats', () => {
  const now = Date.parse('2026-11-24T10:00:00Z')
  timed(() => {
    for (const cron of ['*/5 * * * *', '0 9 * * *', '0 9 29 2 *', '0 9 31 12 1']) {
      for (const end of [{ cronEnd: '9999-12-31' }, { cronRepeat: 10_000 }]) {
        const timing = { cron, cronTZ: kept.zone, cronStart: kept.starts, ...end }
        expect(timesOfNewCron(timing, now).last).toBeGreaterThan(Date.parse('2027-01-01T00:00:00Z'))
        timingMarks(timing, now)
      }
    }
  })
})
