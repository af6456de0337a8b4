import { expect, test } from 'vitest'
import { aRun } from '#test/schedules.ts'
import {
  daysOfMonth,
  daysOfRuns,
  hoursOf,
  pageInWords,
  type Shown,
  shownDays,
  shownMoments,
  turned,
} from './calendar-days.ts'

const shown: Shown = { type: 'week', day: '2026-11-25', state: '', weekdays: 'all week', hours: '0-24' }

/** A moment in this machine's local time. */
const at = (text: string): string => new Date(text).toISOString()

test('a month shows its whole weeks, a week begins on Monday', () => {
  expect(shownDays({ type: 'month', day: '2026-11-25' })).toEqual({ from: '2026-10-26', to: '2026-12-06' })
  expect(shownDays({ type: 'month', day: '2027-02-10' })).toEqual({ from: '2027-02-01', to: '2027-02-28' })
  expect(shownDays(shown)).toEqual({ from: '2026-11-23', to: '2026-11-29' })
  expect(shownDays({ type: 'day', day: '2026-11-25' })).toEqual({ from: '2026-11-25', to: '2026-11-25' })
})

test('paging moves by a month, a week or a day', () => {
  expect(turned({ type: 'month', day: '2026-12-31' }, 1)).toBe('2027-01-01')
  expect(turned({ type: 'month', day: '2026-03-31' }, -1)).toBe('2026-02-01')
  expect(turned(shown, -1)).toBe('2026-11-18')
  expect(turned({ type: 'day', day: '2026-12-31' }, 1)).toBe('2027-01-01')
})

test('the title of a page', () => {
  expect(pageInWords({ type: 'month', day: '2026-11-25' })).toBe('November 2026')
  expect(pageInWords(shown)).toBe('Nov 23 – Nov 29, 2026')
  expect(pageInWords({ type: 'day', day: '2026-11-25' })).toBe('Wednesday, November 25, 2026')
})

test('hours are read as a start and a length', () => {
  expect(hoursOf('18-6')).toEqual({ first: 18, end: 24 })
  expect(hoursOf('6-6')).toEqual({ first: 6, end: 12 })
  expect(hoursOf('0-24')).toEqual({ first: 0, end: 24 })
})

test('runs are listed per day in order of time, limited to the shown weekdays and hours', () => {
  const runs = [
    aRun({ _id: 'late', scheduleDate: at('2026-11-25T17:59:00') }),
    aRun({ _id: 'early', scheduleDate: at('2026-11-25T12:00:00') }),
    aRun({ _id: 'evening', scheduleDate: at('2026-11-25T18:00:00') }),
    aRun({ _id: 'saturday', scheduleDate: at('2026-11-28T13:00:00') }),
  ]
  const days = daysOfRuns(runs, { ...shown, weekdays: 'Mon-Fri', hours: '12-6' })
  expect(days.map(({ day }) => day)).toHaveLength(5)
  expect(days[2]).toMatchObject({ day: '2026-11-25', total: 2 })
  expect(days[2]?.runs.map(({ _id }) => _id)).toEqual(['early', 'late'])
})

test('a day requests only its hours, other views request whole days', () => {
  const of = (type: Shown['type'], hours: Shown['hours']) => shownMoments({ ...shown, type, day: '2026-11-25', hours })
  expect(of('day', '6-6')).toEqual({ from: at('2026-11-25T06:00:00'), to: at('2026-11-25T12:00:00') })
  expect(of('day', '12-12')).toEqual({ from: at('2026-11-25T12:00:00'), to: at('2026-11-26T00:00:00') })
  expect(of('week', '6-6')).toEqual({ from: at('2026-11-23T00:00:00'), to: at('2026-11-30T00:00:00') })
})

test('a day of a month shows the total of its runs', () => {
  const runs = [aRun()]
  const days = daysOfMonth([{ day: '2026-11-25', counts: { completed: 190, terminated: 10 }, runs }], {
    ...shown,
    type: 'month',
  })
  expect(days).toHaveLength(42)
  expect(days.find(({ day }) => day === '2026-11-25')).toEqual({ day: '2026-11-25', runs, total: 200 })
})
