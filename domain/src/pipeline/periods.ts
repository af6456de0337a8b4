import { addDays, type Day, type DayRange, isDay } from '../days.ts'
import type { Period } from './pipeline.ts'

/** A day of a month from 1 to 12; day 0 is the last one of the month before. */
export function dayText(year: number, month: number, day: number): Day {
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  return date.toISOString().slice(0, 10)
}

/** The last day that has four digits of a year. */
const lastDay: Day = '9999-12-31'

/** The period that a day is in: its first and its last day. */
export function periodOf(day: Day, period: Period): DayRange {
  const [year = 0, month = 0] = day.split('-').map(Number)
  const months = (from: number, count: number): DayRange => ({
    from: dayText(year, from, 1),
    to: dayText(year, from + count, 0),
  })
  switch (period) {
    case 'by day':
      return { from: day, to: day }
    case 'by week': {
      const from = addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
      const to = addDays(from, 6)
      return { from, to: isDay(to) ? to : lastDay }
    }
    case 'by month':
      return months(month, 1)
    case 'by quarter':
      return months(month - ((month - 1) % 3), 3)
    case 'by year':
      return months(1, 12)
  }
}

/** The first days of all periods from that of one day to that of another; null for more than `most`. */
export function periodsFrom(first: Day, last: Day, period: Period, most: number): Day[] | null {
  const found: Day[] = []
  for (let each = periodOf(first, period); ; each = periodOf(addDays(each.to, 1), period)) {
    if (found.length === most) return null
    found.push(each.from)
    if (each.to >= last) return found
  }
}

/** The ranges that periods cover, in order: those next to each other are one. */
export function rangesOf(days: readonly Day[], period: Period): DayRange[] {
  const ranges: DayRange[] = []
  for (const { from, to } of days.map((day) => periodOf(day, period)).toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = ranges.at(-1)
    if (last && from <= addDays(last.to, 1)) last.to = to
    else ranges.push({ from, to })
  }
  return ranges
}
