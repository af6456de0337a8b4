import { expect, test } from 'vitest'
import { type CronParts, describeCron, expressionOf, partsOf } from './cron-parts.ts'
import { momentInWords } from './time-words.ts'

const zone = 'Europe/Zurich'
const timing = (cron: string) => ({ cron, cronTZ: zone, cronStart: '2026-12-01' })
const parts = (more: Partial<CronParts>): CronParts => ({
  period: 'Daily',
  weekdays: [],
  days: [],
  hour: 9,
  minute: 30,
  ...more,
})

test.each([
  [parts({}), '30 9 * * *'],
  [parts({ period: 'Weekly', weekdays: [1, 2, 3, 4, 5] }), '30 9 * * 1-5'],
  [parts({ period: 'Weekly', weekdays: [7, 1, 2] }), '30 9 * * 1,2,7'],
  [parts({ period: 'Weekly', weekdays: [1, 2, 3, 4, 5, 6, 7] }), '30 9 * * 1-7'],
  [parts({ period: 'Monthly', days: [1, 15, 31] }), '30 9 1,15,31 * *'],
  [parts({ period: 'Monthly', days: Array.from({ length: 31 }, (_, index) => index + 1) }), '30 9 1-31 * *'],
])('%o makes %s and is read back from it', (choice, expression) => {
  expect(expressionOf(choice, '2026-12-01')).toBe(expression)
  const sorted = { weekdays: choice.weekdays.toSorted((a, b) => a - b) }
  expect(partsOf(timing(expression))).toEqual({ ...choice, ...sorted })
})

test('Once is one run on the day of the start', () => {
  const once = { cron: '30 9 5 12 *', cronTZ: zone, cronStart: '2026-12-05T08:30:00.000Z', cronRepeat: 1 }
  expect(expressionOf(parts({ period: 'Once' }), '2026-12-05')).toBe(once.cron)
  expect(partsOf(once)).toEqual(parts({ period: 'Once', days: [5] }))
  expect(partsOf({ ...once, cronRepeat: 2 })).toBeNull()
  expect(partsOf({ ...once, cronStart: '2026-12-05' })).toBeNull()
  expect(partsOf({ ...once, cronStart: '2026-11-05T08:30:00.000Z' })).toBeNull()
})

test.each(['*/15 9 * * *', '0 9,12 * * *', '0 9 1 * 1', '0 9 1 1 *', 'x'])(
  '%s cannot be shown in the dialog',
  (cron) => {
    expect(partsOf(timing(cron))).toBeNull()
  },
)

test.each([
  ['30 9 * * *', 'Every day at 9:30 AM'],
  ['0 0 * * *', 'Every day at 12:00 AM'],
  ['0 12 * * 1-5', 'Every Monday to Friday at 12:00 PM'],
  ['0 12 * * 1,3', 'Every Monday and Wednesday at 12:00 PM'],
  ['15 14 1,15,22,31 * *', 'On the 1st, 15th, 22nd and 31st of every month at 2:15 PM'],
  ['0 9 11-13 1,2 *', 'On the 11th to 13th of January and February at 9:00 AM'],
  ['0 9 1 * 1', 'On the 1st of every month, and every Monday, at 9:00 AM'],
  ['0 9 * 6-8 *', 'Every day in June to August at 9:00 AM'],
  ['0,30 9,17 * * *', 'Every day at 9:00 AM, 9:30 AM, 5:00 PM and 5:30 PM'],
  ['*/15 * * * *', 'Every day every 15 minutes of every hour'],
  ['0 * * * *', 'Every day at the start of every hour'],
  ['5 8-18 * * *', 'Every day at 5 minutes past the hours 8:00 AM to 6:00 PM'],
])('%s is described as %s', (cron, sentence) => {
  expect(describeCron(timing(cron))).toBe(`${sentence}, Europe/Zurich time`)
})

test('Once is described with its date', () => {
  const once = { cron: '30 9 5 12 *', cronTZ: zone, cronStart: '2026-12-05T08:30:00.000Z', cronRepeat: 1 }
  expect(describeCron(once)).toBe('Once on Dec 5, 2026 at 9:30 AM, Europe/Zurich time')
})

test('a moment is displayed in the local time of its zone', () => {
  expect(momentInWords(zone, Date.parse('2026-12-05T08:30:00Z'))).toBe('Dec 5, 2026, 9:30 AM')
  // The same clock time twice, as the clocks go back, and a day that begins earlier than in UTC.
  expect(momentInWords(zone, Date.parse('2026-10-25T00:30:00Z'))).toBe('Oct 25, 2026, 2:30 AM')
  expect(momentInWords(zone, Date.parse('2026-10-25T01:30:00Z'))).toBe('Oct 25, 2026, 2:30 AM')
  expect(momentInWords('America/New_York', Date.parse('2027-01-01T04:59:00Z'))).toBe('Dec 31, 2026, 11:59 PM')
})
