import type { CronFields } from './cron-fields.ts'

const msPerMinute = 60_000
const msPerDay = 86_400_000
const minutesPerDay = 24 * 60

/** The next day that an expression allows is within eight years: February 29 around 2100. */
const mostDays = 9 * 366

/**
 * Returns the first clock time after another that the fields allow; null if there is none. Both in ms since 1970 as if
 * UTC. Takes about a microsecond: a cron of thousands of runs is counted within a few milliseconds.
 */
export function nextClockTime(fields: CronFields, after: number): number | null {
  const from = Math.floor(after / msPerMinute) + 1
  const firstDay = Math.floor(from / minutesPerDay)
  const today = isAllowed(fields, firstDay) ? timeOfDay(fields, from - firstDay * minutesPerDay) : null
  if (today !== null) return firstDay * msPerDay + today * msPerMinute
  for (let day = firstDay + 1; day <= firstDay + mostDays; day++) {
    if (isAllowed(fields, day)) return day * msPerDay + (timeOfDay(fields, 0) ?? 0) * msPerMinute
  }
  return null
}

/** Days are counted from 1970. */
function isAllowed({ days, months, weekdays }: CronFields, day: number): boolean {
  const date = new Date(day * msPerDay)
  if (months !== null && !months.includes(date.getUTCMonth() + 1)) return false
  if (days === null && weekdays === null) return true
  // If both days and weekdays are given, either is enough.
  return days?.includes(date.getUTCDate()) === true || weekdays?.includes(date.getUTCDay() || 7) === true
}

/** Returns the first allowed time of a day from a given minute on, in minutes. */
function timeOfDay({ hours, minutes }: CronFields, from: number): number | null {
  const hour = Math.floor(from / 60)
  const minute = hours.includes(hour) ? minutes.find((each) => each >= from % 60) : undefined
  if (minute !== undefined) return hour * 60 + minute
  const later = hours.find((each) => each > hour)
  return later === undefined ? null : later * 60 + (minutes[0] ?? 0)
}
