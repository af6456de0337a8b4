import { expect, test } from 'vitest'
import {
  type CronTiming,
  dueTimesBetween,
  everRuns,
  lastDueTime,
  nextDueTimes,
  runsTooOften,
  TooManyDueTimes,
} from './cron-times.ts'

const zurich = (cron: string, more: Partial<CronTiming> = {}): CronTiming => ({
  cron,
  cronTZ: 'Europe/Zurich',
  cronStart: '2026-01-01',
  ...more,
})
const at = (text: string): number => Date.parse(text)
const texts = (times: number[]): string[] => times.map((time) => new Date(time).toISOString().slice(0, 16))
const between = (timing: CronTiming, from: string, to: string): string[] =>
  texts(dueTimesBetween(timing, at(from), at(to)))

// In Zurich clocks go from 2:00 to 3:00 on 2026-03-29 at 01:00 UTC, and from 3:00 to 2:00 on 2026-10-25 at 01:00 UTC.
const spring = ['2026-03-29T00:00Z', '2026-03-29T03:00Z'] as const
const autumn = ['2026-10-24T23:00Z', '2026-10-25T03:00Z'] as const

test('a skipped time runs right after the gap', () => {
  expect(between(zurich('30 2 * * *'), ...spring)).toEqual(['2026-03-29T01:00'])
})

test('several skipped times run once, together with a run at the end of the gap', () => {
  expect(between(zurich('15,45 2 * * *'), ...spring)).toEqual(['2026-03-29T01:00'])
  expect(between(zurich('0,30 2,3 * * *'), ...spring)).toEqual(['2026-03-29T01:00', '2026-03-29T01:30'])
})

test('a time that occurs twice runs the first time', () => {
  expect(between(zurich('*/30 2 * * *'), ...autumn)).toEqual(['2026-10-25T00:00', '2026-10-25T00:30'])
  expect(between(zurich('0 */2 * * *'), ...autumn)).toEqual(['2026-10-25T00:00'])
})

test('every hour means every elapsed hour', () => {
  expect(between(zurich('15 * * * *'), ...spring)).toEqual(['2026-03-29T00:15', '2026-03-29T01:15', '2026-03-29T02:15'])
  expect(between(zurich('15 * * * *'), ...autumn)).toEqual([
    '2026-10-24T23:15',
    '2026-10-25T00:15',
    '2026-10-25T01:15',
    '2026-10-25T02:15',
  ])
  expect(between(zurich('15 0-23 * * *'), ...autumn)).toHaveLength(4)
})

test('runs of the first pass of a repeated hour are not due again in the second', () => {
  expect(texts(nextDueTimes(zurich('30 2 * * *'), at('2026-10-25T01:10Z'), 1))).toEqual(['2026-10-26T01:30'])
})

test('the next run from just before the gap is the skipped one', () => {
  expect(texts(nextDueTimes(zurich('30 2 * * *'), at('2026-03-29T00:50Z'), 1))).toEqual(['2026-03-29T01:00'])
  expect(texts(nextDueTimes(zurich('30 2 * * *'), at('2026-03-29T01:00Z'), 1))).toEqual(['2026-03-30T00:30'])
})

test('a day of the month and a weekday are alternatives', () => {
  expect(between(zurich('0 9 1 * 1'), '2026-11-23T00:00Z', '2026-12-08T00:00Z')).toEqual([
    '2026-11-23T08:00',
    '2026-11-30T08:00',
    '2026-12-01T08:00',
    '2026-12-07T08:00',
  ])
})

test('a month without the given day has no run', () => {
  expect(between(zurich('0 9 31 * *'), '2026-01-01T00:00Z', '2026-06-01T00:00Z')).toEqual([
    '2026-01-31T08:00',
    '2026-03-31T07:00',
    '2026-05-31T07:00',
  ])
  expect(texts(nextDueTimes(zurich('0 9 29 2 *'), at('2026-01-01T00:00Z'), 2))).toEqual([
    '2028-02-29T08:00',
    '2032-02-29T08:00',
  ])
})

test('the first and the last day are whole days in the time zone', () => {
  const timing = zurich('0 0,23 * * *', { cronStart: '2026-12-01', cronEnd: '2026-12-03' })
  const all = [
    '2026-11-30T23:00',
    '2026-12-01T22:00',
    '2026-12-01T23:00',
    '2026-12-02T22:00',
    '2026-12-02T23:00',
    '2026-12-03T22:00',
  ]
  expect(between(timing, '2026-01-01T00:00Z', '2027-01-01T00:00Z')).toEqual(all)
  expect(texts([lastDueTime(timing) ?? 0])).toEqual(['2026-12-03T22:00'])
})

test('a time skipped just before midnight belongs to its original day', () => {
  // In Nuuk clocks go from 23:00 on March 25 to 0:00 on March 26, 2028.
  const timing = { cron: '45 23 * * *', cronTZ: 'America/Nuuk', cronStart: '2028-03-25', cronRepeat: 2 }
  const [first = 0, second = 0] = nextDueTimes(timing, 0, 2)
  expect(texts([first, second])).toEqual(['2028-03-26T01:00', '2028-03-27T00:45'])
  expect(nextDueTimes({ ...timing, cronStart: '2028-03-26' }, 0, 1)).toEqual([second])
  expect(lastDueTime({ ...timing, cronRepeat: null, cronEnd: '2028-03-25' })).toBe(first)
})

test('an end given as a moment means its day in the time zone', () => {
  const timing = zurich('0 9 * * *', { cronStart: '2026-12-01', cronEnd: '2026-12-02T23:00:00.000Z' })
  expect(texts([lastDueTime(timing) ?? 0])).toEqual(['2026-12-03T08:00'])
})

test('a start given as a moment excludes earlier runs', () => {
  const timing = zurich('0 9 * * *', { cronStart: '2026-12-01T09:00:00.000Z' })
  expect(texts(nextDueTimes(timing, 0, 1))).toEqual(['2026-12-02T08:00'])
})

test('repeats are counted from the start, regardless of the requested range', () => {
  const timing = zurich('0 9 * * *', { cronStart: '2026-12-01', cronRepeat: 3 })
  expect(texts(nextDueTimes(timing, 0, 10))).toEqual(['2026-12-01T08:00', '2026-12-02T08:00', '2026-12-03T08:00'])
  expect(texts(nextDueTimes(timing, at('2026-12-02T08:00Z'), 10))).toEqual(['2026-12-03T08:00'])
  expect(between(timing, '2026-12-03T08:00Z', '2026-12-31T00:00Z')).toEqual(['2026-12-03T08:00'])
})

test('a single run at a repeated time is the first occurrence, whichever moment was sent', () => {
  for (const cronStart of ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']) {
    expect(texts(nextDueTimes(zurich('30 2 25 10 *', { cronStart, cronRepeat: 1 }), 0, 5))).toEqual([
      '2026-10-25T00:30',
    ])
  }
})

test('runs on a day that a zone skips happen at the beginning of the next', () => {
  const samoa = { cron: '0 8,9 * * *', cronTZ: 'Pacific/Apia', cronStart: '2011-12-01' }
  // December 30 did not exist there.
  expect(between(samoa, '2011-12-29T12:00Z', '2011-12-31T00:00Z')).toEqual([
    '2011-12-29T18:00',
    '2011-12-29T19:00',
    '2011-12-30T10:00',
    '2011-12-30T18:00',
    '2011-12-30T19:00',
  ])
})

test.each(['*/5 * * * *', '30 2 * * 7', '0 9 29 2 *', '45 23 31 12 *', '0 0 1 1 1'])(
  'the last due time of %s is the last one before the end',
  (cron) => {
    for (const cronEnd of ['2026-01-03', '2026-01-31', '2026-03-29', '2026-10-25', '2028-02-28', '2028-03-01']) {
      const timing = zurich(cron, { cronEnd })
      const months = Array.from({ length: 28 }, (_, index) =>
        dueTimesBetween(timing, Date.UTC(2026, index, 1), Date.UTC(2026, index + 1, 1)),
      )
      const before = dueTimesBetween(timing, at('2025-12-31T00:00Z'), at('2026-01-01T00:00Z'))
      expect(lastDueTime(timing)).toBe([before, ...months].flat().at(-1) ?? null)
    }
  },
)

test('a cron without an end has no last due time', () => {
  expect(lastDueTime(zurich('0 9 * * *'))).toBeNull()
})

test('at most 10,000 due times are returned', () => {
  const timing = zurich('*/5 * * * *')
  expect(nextDueTimes(timing, 0, 10_000)).toHaveLength(10_000)
  expect(() => nextDueTimes(timing, 0, 10_001)).toThrow(TooManyDueTimes)
  const start = at('2026-01-01T00:00Z')
  expect(dueTimesBetween(timing, start, start + 10_000 * 300_000)).toHaveLength(10_000)
  expect(() => dueTimesBetween(timing, start, start + 10_000 * 300_000 + 1)).toThrow(
    'More than 10,000 runs. Choose a shorter time.',
  )
})

test.each([
  ['*/5 * * * *', false],
  ['*/4 * * * *', true],
  ['*/7 * * * *', true],
  ['0,58 * * * *', true],
  ['0,58 9,11 * * *', false],
  ['0,4 9 1 1 *', true],
  ['0,58 0,23 * * *', true],
  ['0,58 0,23 1 * *', false],
  ['0,58 0,23 1,2 * *', true],
  ['0,58 0,23 * * 1,3', false],
  ['0,58 0,23 1 * 1', true],
  ['0 9 * * *', false],
])('%s runs too often: %s', (expression, isTooOften) => {
  expect(runsTooOften(expression)).toBe(isTooOften)
})

test.each([
  ['0 9 30 2 *', false],
  ['0 9 31 2,4,6,9,11 *', false],
  ['0 9 29 2 *', true],
  ['0 9 30 2 1', true],
])('%s has any runs: %s', (expression, runs) => {
  expect(everRuns(expression)).toBe(runs)
})

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '@daily',
  '0 9 ? * *',
  '0 9 L * *',
  '0 9 1W * *',
  '0 9 * * 1#2',
  '0 9 * * +1',
])('"%s" is refused', (cron) => {
  expect(() => nextDueTimes(zurich(cron), 0, 1)).toThrow(RangeError)
})

test('an unknown zone and an invalid start are refused', () => {
  expect(() => nextDueTimes({ ...zurich('0 9 * * *'), cronTZ: 'Europe/Nowhere' }, 0, 1)).toThrow(RangeError)
  expect(() => nextDueTimes({ ...zurich('0 9 * * *'), cronTZ: '+02:00' }, 0, 1)).toThrow(RangeError)
  expect(() => nextDueTimes(zurich('0 9 * * *', { cronStart: 'soon' }), 0, 1)).toThrow(RangeError)
})

test('repeats on the first day are counted from when the cron was saved', () => {
  const timing = { cron: '0 9,15 * * *', cronTZ: 'UTC', cronStart: '2026-12-01', cronRepeat: 2 }
  const savedAt = Date.UTC(2026, 11, 1, 12)
  const inText = (times: number[]) => times.map((time) => new Date(time).toISOString().slice(0, 13))
  expect(inText(nextDueTimes({ ...timing, savedAt }, 0, 9))).toEqual(['2026-12-01T15', '2026-12-02T09'])
  expect(inText(nextDueTimes(timing, 0, 9))).toEqual(['2026-12-01T09', '2026-12-01T15'])
  expect(lastDueTime({ ...timing, savedAt })).toBe(Date.UTC(2026, 11, 2, 9))
})
