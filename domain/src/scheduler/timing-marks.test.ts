import { expect, test } from 'vitest'
import { timingMarks } from './timing-marks.ts'

const now = Date.parse('2026-11-23T12:00:00Z')
const marks = (cron: string, more = {}): string[] =>
  timingMarks({ cron, cronTZ: 'Europe/Zurich', cronStart: '2026-11-23', ...more }, now).map(({ text }) => text)

test('days that some months lack are marked', () => {
  expect(marks('0 9 31 * *')).toEqual([
    'No run on the 31st in February, April, June, September and November, which do not have it.',
  ])
  expect(marks('0 9 30 * *')).toEqual(['No run on the 30th in February, which does not have it.'])
  expect(marks('0 9 29 * *')).toEqual(['February has a 29th in leap years only; in other years there is no run on it.'])
  expect(marks('0 9 31 1 *')).toEqual([])
  expect(marks('0 9 28 * *')).toEqual([])
})

test('skipped and repeated times are marked', () => {
  expect(marks('30 2 * * *')).toEqual([
    'On Mar 28, 2027 the clocks go forward: 2:30 AM does not exist, so it runs at 3:00 AM instead.',
    'On Oct 31, 2027 the clocks go back: 2:30 AM occurs twice; it runs the first time.',
  ])
  expect(marks('0,30 2 * * *')).toEqual([
    'On Mar 28, 2027 the clocks go forward: 2:00 AM and 2:30 AM do not exist, so it runs at 3:00 AM instead.',
    'On Oct 31, 2027 the clocks go back: 2:00 AM and 2:30 AM occur twice; it runs the first time.',
  ])
  expect(marks('15 * * * *')).toEqual([
    'On Mar 28, 2027 the clocks go forward: 2:15 AM does not exist, so there is no run then.',
    'On Oct 31, 2027 the clocks go back: 2:15 AM occurs twice; it runs both times.',
  ])
})

test('there is no mark if the cron does not run on that day or in that hour', () => {
  expect(marks('0 9 * * *')).toEqual([])
  expect(marks('30 2 * * 1-5')).toEqual([])
  expect(marks('30 2 * * *', { cronEnd: '2026-12-31' })).toEqual([])
  expect(marks('30 2 * * *', { cronTZ: 'Asia/Tokyo' })).toEqual([])
})
