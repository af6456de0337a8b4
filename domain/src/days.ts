/** Days as `2026-01-31`. All of them are days of the account's time zone. */
export type Day = string

/** A range of whole days, both ends included. */
export type DayRange = { from: Day; to: Day }

/** The first day that date ranges offer (specification 4 §2). */
export const earliestDay: Day = '2012-02-01'

/** Maximum days of a range, unless a tile sets its own (specification 4 §9). */
export const usualRangeDays = 30

/**
 * Presets of ranges, by their value on the wire (specification 4 §9): the last 7, 14 and 30 days, the current month,
 * the last month; and single days, today and yesterday.
 */
export const rangePresets = {
  '6': 'Last 7 days',
  '13': 'Last 14 days',
  '29': 'Last 30 days',
  TM: 'Current Month',
  LM: 'Last Month',
} as const
export const dayPresets = { T: 'Today', Y: 'Yesterday' } as const
export type RangePreset = keyof typeof rangePresets
export type DayPreset = keyof typeof dayPresets
export type Preset = RangePreset | DayPreset

/** The choice of a date picker that narrows nothing, by its value on the wire; a date picker offers it where its author says so. */
export const allTime = 'ALL'
export const allTimeName = 'All time'

export const isPreset = (value: string): value is Preset =>
  Object.hasOwn(rangePresets, value) || Object.hasOwn(dayPresets, value)

const msPerDay = 86_400_000
const toTime = (day: Day): number => Date.parse(`${day}T00:00:00Z`)
const toDay = (time: number): Day => new Date(time).toISOString().slice(0, 10)

/** Returns whether the text is a day that exists. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(toTime(text)) && toDay(toTime(text)) === text

export const addDays = (day: Day, days: number): Day => toDay(toTime(day) + days * msPerDay)

/** Returns the number of days, both ends included. */
export const dayCount = ({ from, to }: DayRange): number => Math.round((toTime(to) - toTime(from)) / msPerDay) + 1

/** Returns the days of a preset. `today` is the account's day. */
export function rangeOf(preset: Preset, today: Day): DayRange {
  const firstOfMonth = `${today.slice(0, 8)}01`
  switch (preset) {
    case 'TM':
      return { from: firstOfMonth, to: today }
    case 'LM': {
      const to = addDays(firstOfMonth, -1)
      return { from: `${to.slice(0, 8)}01`, to }
    }
    case 'T':
      return { from: today, to: today }
    case 'Y':
      return { from: addDays(today, -1), to: addDays(today, -1) }
    case '6':
    case '13':
    case '29':
      return { from: addDays(today, -Number(preset)), to: today }
  }
}

/** Returns the preceding period of the same length. */
export function periodBefore(range: DayRange): DayRange {
  return { from: addDays(range.from, -dayCount(range)), to: addDays(range.from, -1) }
}

/** Returns today in a time zone (IANA name). */
export function todayIn(timeZone: string, now = new Date()): Day {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now)
}
