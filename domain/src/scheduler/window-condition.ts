import type { DayRange } from '../days.ts'

/** The days of data that a run covers. `windowCondition` applies them to a date. */
export type OffsetWindow = DayRange & {
  /** The first moment, and the one after the last, in ms. */
  start: number
  end: number
  /** The window includes the due day, and ends at the due moment instead of at the end of a day. */
  endsWhenDue: boolean
}

/** Values of dates: days without a time, or moments. */
export type DatedType = 'day' | 'date'

/**
 * Returns the condition of a window on a date: for days, the days themselves, which no time zone moves; for moments,
 * the bounds in the zone of the window. If the window includes the due day, days include all of it.
 */
export function windowCondition({ from, to, start, end }: OffsetWindow, type: DatedType): Record<string, string> {
  if (type === 'day') return { $gte: from, $lte: to }
  return { $gte: new Date(start).toISOString(), $lt: new Date(end).toISOString() }
}
