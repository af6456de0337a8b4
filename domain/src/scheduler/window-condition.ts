import type { DayRange } from '../days.ts'

/** The days of data that a run takes. `windowCondition` applies them to a date. */
export type OffsetWindow = DayRange & {
  /** The first moment, and the one after the last, in ms. */
  start: number
  end: number
  /** The window reaches into the due day, and ends at the due moment rather than with a day. */
  endsWhenDue: boolean
}

/** Values of dates: days without a time, or moments. */
export type DatedType = 'day' | 'date'

/**
 * The condition on a date that a window makes: on days the days themselves, which no time zone moves, and on moments their
 * bounds in the zone of the window. Days that reach into the due day include it whole.
 */
export function windowCondition({ from, to, start, end }: OffsetWindow, type: DatedType): Record<string, string> {
  if (type === 'day') return { $gte: from, $lte: to }
  return { $gte: new Date(start).toISOString(), $lt: new Date(end).toISOString() }
}
