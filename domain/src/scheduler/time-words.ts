import { wallTimeOf } from './zone-offsets.ts'

const msPerDay = 86_400_000

/** Formats a clock time (ms since 1970 as if UTC) as 'Dec 1, 2026'. */
export const dateInWords = (wallTime: number): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'medium' }).format(wallTime)

/** Formats a minute of the day as '9:30 AM'. */
export function timeInWords(minuteOfDay: number): string {
  const hour = Math.floor(minuteOfDay / 60)
  const minute = String(minuteOfDay % 60).padStart(2, '0')
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`
}

/** Formats a clock time (ms since 1970 as if UTC) as '9:30 AM'. */
export const clockTimeInWords = (wallTime: number): string => timeInWords(Math.floor((wallTime % msPerDay) / 60_000))

/** Formats a moment (ms) in a zone as 'Dec 1, 2026, 9:30 AM'. */
export function momentInWords(zone: string, time: number): string {
  const wallTime = wallTimeOf(zone, time)
  return `${dateInWords(wallTime)}, ${clockTimeInWords(wallTime)}`
}
