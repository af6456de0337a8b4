import { addDays, type Day } from '@portico/domain/days'
import type { CalendarDay, hourFilters, RunState, Schedule } from '@portico/contract/scheduler/schedules'
import { type weekdayFilterNames, weekdayFilters } from '@portico/contract/scheduler/schedules'

export const calendarTypes = ['month', 'week', 'day'] as const
export type CalendarType = (typeof calendarTypes)[number]

/** The choices that decide which runs the calendar shows. An empty state means all. */
export type Shown = {
  type: CalendarType
  day: Day
  state: RunState | ''
  weekdays: (typeof weekdayFilterNames)[number]
  hours: (typeof hourFilters)[number]
}

/** A day with its runs by due time. `total` includes runs that are left out. */
export type DayOfRuns = { day: Day; runs: Schedule[]; total: number }

const utc = (day: Day): Date => new Date(`${day}T00:00:00Z`)

/** 1 for Monday to 7 for Sunday. */
const weekdayOf = (day: Day): number => utc(day).getUTCDay() || 7

const mondayOf = (day: Day): Day => addDays(day, 1 - weekdayOf(day))

/** The first and the last day shown: of a month, its whole weeks. */
export function shownDays({ type, day }: Pick<Shown, 'type' | 'day'>): { from: Day; to: Day } {
  if (type === 'day') return { from: day, to: day }
  if (type === 'week') return { from: mondayOf(day), to: addDays(mondayOf(day), 6) }
  return { from: mondayOf(`${day.slice(0, 8)}01`), to: addDays(mondayOf(lastOfMonth(day)), 6) }
}

const lastOfMonth = (day: Day): Day => addDays(monthAfter(day, 1), -1)

/** The first day of the month that is this many months later. */
function monthAfter(day: Day, months: number): Day {
  const date = utc(day)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)).toISOString().slice(0, 10)
}

/** The day to show when turning to the next page, or to the previous one (`step` -1). */
export function turned({ type, day }: Pick<Shown, 'type' | 'day'>, step: 1 | -1): Day {
  if (type === 'month') return monthAfter(day, step)
  return addDays(day, type === 'week' ? 7 * step : step)
}

const inWords = (day: Day, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options }).format(utc(day))

export const dayInWords = (day: Day): string =>
  inWords(day, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })

/** 'November 2026', 'Nov 23 – Nov 29, 2026', 'Monday, November 23, 2026'. */
export function pageInWords(shown: Pick<Shown, 'type' | 'day'>): string {
  if (shown.type === 'day') return dayInWords(shown.day)
  if (shown.type === 'month') return inWords(shown.day, { year: 'numeric', month: 'long' })
  const { from, to } = shownDays(shown)
  const [first, last] = [from, to].map((day) => inWords(day, { month: 'short', day: 'numeric' }))
  return `${first} – ${last}, ${to.slice(0, 4)}`
}

/** A moment in the browser's local time: `2026-11-23 09:30:00`. */
export function localText(moment: string | number): string {
  const date = new Date(moment)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * The first moment shown, and the one after the last, as ISO text. A single day is narrowed to its hours, because it
 * may have more runs than can be loaded at once.
 */
export function shownMoments(shown: Shown): { from: string; to: string } {
  const { from, to } = shownDays(shown)
  const { first, end } = shown.type === 'day' ? hoursOf(shown.hours) : { first: 0, end: 24 }
  return { from: momentAt(from, first), to: end === 24 ? momentAt(addDays(to, 1), 0) : momentAt(to, end) }
}

/** An hour of a day in the browser's local time. */
const momentAt = (day: Day, hour: number): string =>
  new Date(`${day}T${String(hour).padStart(2, '0')}:00:00`).toISOString()

export const today = (): Day => localText(Date.now()).slice(0, 10)

/** '9:30 AM' in the browser's local time. */
export const timeOf = (moment: string): string => timeFormat.format(new Date(moment))

const timeFormat = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' })

/** First hour of a filter, and the one after its last. */
export function hoursOf(hours: Shown['hours']): { first: number; end: number } {
  const [first = 0, count = 24] = hours.split('-').map(Number)
  return { first, end: Math.min(24, first + count) }
}

/** The days of a range whose weekdays are shown, each with its runs at the hours shown. */
export function daysOfRuns(runs: readonly Schedule[], shown: Shown): DayOfRuns[] {
  const { first, end } = hoursOf(shown.hours)
  const byDay = new Map<Day, Schedule[]>(visibleDays(shown).map((day) => [day, []]))
  const inOrder = runs.toSorted((one, other) => Date.parse(one.scheduleDate) - Date.parse(other.scheduleDate))
  for (const run of inOrder) {
    const text = localText(run.scheduleDate)
    const hour = Number(text.slice(11, 13))
    if (hour >= first && hour < end) byDay.get(text.slice(0, 10))?.push(run)
  }
  return [...byDay].map(([day, itsRuns]) => ({ day, runs: itsRuns, total: itsRuns.length }))
}

/** The same for the response for a month, which contains only its first runs. */
export function daysOfMonth(days: readonly CalendarDay[], shown: Shown): DayOfRuns[] {
  const known = new Map(days.map((day) => [day.day, day]))
  return visibleDays(shown).map((day) => {
    const { runs = [], counts = {} } = known.get(day) ?? {}
    return { day, runs, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
  })
}

function visibleDays(shown: Shown): Day[] {
  const { from, to } = shownDays(shown)
  const some: readonly number[] = weekdayFilters[shown.weekdays]
  const days: Day[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) {
    // A single day was chosen explicitly.
    if (shown.type === 'day' || some.includes(weekdayOf(day))) days.push(day)
  }
  return days
}
