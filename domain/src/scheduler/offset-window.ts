import { addDays, type Day, type DayRange } from '../days.ts'
import { clockTimeInWords } from './time-words.ts'
import type { DatedType, OffsetWindow } from './window-condition.ts'
import { momentOf, wallTimeOf } from './zone-offsets.ts'

/** The dialog's choices, by their value on the wire (specification 4 §9). */
export const offsetChoices = {
  '0': 'Schedule day',
  '1': '1 day before',
  '2': '2 days before',
  '3': '3 days before',
  '7': '7 days before',
  '15': '15 days before',
  '30': '30 days before',
  LW: 'Last week',
  LM: 'Last month',
  LQ: 'Last quarter',
  TW: 'Current week',
  TM: 'Current month',
  TQ: 'Current quarter',
} as const

/** Days of a custom offset. */
export const customOffset = { least: 4, most: 93 } as const

/** Returns whether the text is an offset: one of the choices, or a custom number of days. */
export const isOffset = (text: string): boolean =>
  Object.hasOwn(offsetChoices, text) || (isWholeNumber(text) && isWithinCustom(Number(text)))

const isWholeNumber = (text: string): boolean => /^[1-9]\d{0,3}$/.test(text)
const isWithinCustom = (days: number): boolean => days >= customOffset.least && days <= customOffset.most

/**
 * Returns the window of an offset: whole days of the zone, counted from the day of the due time (ms), so a late run has
 * the same window. Weeks begin on Monday. Throws a RangeError for an invalid offset.
 */
export function offsetWindow(offset: string, dueTime: number, zone: string): OffsetWindow {
  const wallTime = wallTimeOf(zone, dueTime)
  const { from, to } = daysOf(offset, new Date(wallTime).toISOString().slice(0, 10))
  const endsWhenDue = to === dayText(wallTime)
  return {
    from,
    to,
    start: momentOf(zone, dayStart(from)),
    end: endsWhenDue ? dueTime : momentOf(zone, dayStart(addDays(to, 1))),
    endsWhenDue,
  }
}

/** 'A run on Dec 1 takes Nov 1 to Nov 30.' `types`: those of the dates that the window applies to. */
export function describeWindow(
  offset: string,
  dueTime: number,
  zone: string,
  types: readonly DatedType[] = ['date'],
): string {
  const { from, to, endsWhenDue } = offsetWindow(offset, dueTime, zone)
  const wallTime = wallTimeOf(zone, dueTime)
  const run = dayInWords(dayText(wallTime))
  const days = from === to ? dayInWords(from) : `${dayInWords(from)} to ${dayInWords(to)}`
  if (!endsWhenDue || !types.includes('date'))
    return `A run on ${run} takes ${endsWhenDue && from === to ? 'that day' : days}.`
  const time = clockTimeInWords(wallTime)
  // Days have no time at which they could end.
  if (types.includes('day')) return `A run on ${run} takes ${from === to ? 'that day' : days} (times up to ${time}).`
  return from === to ? `A run on ${run} takes that day up to ${time}.` : `A run on ${run} takes ${days}, ${time}.`
}

const dayStart = (day: Day): number => Date.parse(`${day}T00:00:00Z`)
const dayText = (wallTime: number): Day => new Date(wallTime).toISOString().slice(0, 10)
const dayInWords = (day: Day): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short', day: 'numeric' }).format(dayStart(day))

function daysOf(offset: string, dueDay: Day): DayRange {
  if (!isOffset(offset)) throw new RangeError(`${offset} is not an offset.`)
  const due = new Date(dayStart(dueDay))
  const [year, month] = [due.getUTCFullYear(), due.getUTCMonth()]
  const monday = addDays(dueDay, -((due.getUTCDay() + 6) % 7))
  const first = (ofMonth: number): Day => dayText(Date.UTC(year, ofMonth, 1))
  const quarter = month - (month % 3)
  switch (offset) {
    case '0':
      return { from: dueDay, to: dueDay }
    case 'TW':
      return { from: monday, to: dueDay }
    case 'TM':
      return { from: first(month), to: dueDay }
    case 'TQ':
      return { from: first(quarter), to: dueDay }
    case 'LW':
      return { from: addDays(monday, -7), to: addDays(monday, -1) }
    case 'LM':
      return { from: first(month - 1), to: addDays(first(month), -1) }
    case 'LQ':
      return { from: first(quarter - 3), to: addDays(first(quarter), -1) }
    default:
      return { from: addDays(dueDay, -Number(offset)), to: addDays(dueDay, -1) }
  }
}
