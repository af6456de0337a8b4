import { type CronFields, isEveryHour, parseCron } from './cron-fields.ts'
import { type CronTiming, isDayText } from './cron-times.ts'
import { dateInWords, timeInWords } from './time-words.ts'
import { isTimeZone, wallTimeOf } from './zone-offsets.ts'

export const periods = ['Once', 'Daily', 'Weekly', 'Monthly'] as const
export type Period = (typeof periods)[number]

/** The minutes that the dialog offers. */
export const minuteChoices = [0, 15, 30, 45] as const

/** The shortcut 'Mon - Fri' of the dialog. */
export const workdays = [1, 2, 3, 4, 5] as const

/** An expression as the dialog shows it. */
export type CronParts = {
  period: Period
  /** For Weekly: 1 for Monday to 7 for Sunday. */
  weekdays: number[]
  /** For Monthly: days of the month. */
  days: number[]
  hour: number
  minute: number
}

/** Returns the expression of the dialog's choices. `day`: the day of the single run of Once, as `2026-12-31`. */
export function expressionOf({ period, weekdays, days, hour, minute }: CronParts, day: string): string {
  const time = `${minute} ${hour}`
  if (period === 'Daily') return `${time} * * *`
  if (period === 'Weekly') return `${time} * * ${inRanges(weekdays)}`
  if (period === 'Monthly') return `${time} ${inRanges(days)} * *`
  const [, month, date] = day.split('-').map(Number)
  return `${time} ${date} ${month} *`
}

/** Returns the dialog's choices for a cron; null for a timing that the dialog cannot express. */
export function partsOf(timing: CronTiming): CronParts | null {
  const fields = parseCron(timing.cron)
  const [hour, ...otherHours] = fields?.hours ?? []
  const [minute, ...otherMinutes] = fields?.minutes ?? []
  if (!fields || hour === undefined || minute === undefined) return null
  if (otherHours.length > 0 || otherMinutes.length > 0) return null
  const parts = { weekdays: fields.weekdays ?? [], days: fields.days ?? [], hour, minute }
  if (fields.days && fields.weekdays) return null
  if (fields.months) return isOnItsDate(timing, fields) ? { ...parts, period: 'Once' } : null
  return { ...parts, period: fields.days ? 'Monthly' : fields.weekdays ? 'Weekly' : 'Daily' }
}

/** Returns whether it means a single run, on the day on which the cron starts. */
function isOnItsDate({ cronStart, cronTZ, cronRepeat }: CronTiming, { months, days }: CronFields): boolean {
  if (cronRepeat !== 1 || isDayText(cronStart) || Number.isNaN(Date.parse(cronStart)) || !isTimeZone(cronTZ))
    return false
  const start = new Date(wallTimeOf(cronTZ, Date.parse(cronStart)))
  const isMonth = months?.length === 1 && months[0] === start.getUTCMonth() + 1
  return isMonth && days?.length === 1 && days[0] === start.getUTCDate()
}

/** Writes 1, 2, 3, 4, 5 and 7 as `1-5,7`. */
function inRanges(values: readonly number[]): string {
  return rangesOf(values)
    .flatMap(([from, to]) => (to - from > 1 ? `${from}-${to}` : from === to ? `${from}` : [`${from}`, `${to}`]))
    .join(',')
}

/** Returns the first and last value of each consecutive run. */
function rangesOf(values: readonly number[]): [number, number][] {
  const ranges: [number, number][] = []
  for (const value of [...new Set(values)].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && value === last[1] + 1) last[1] = value
    else ranges.push([value, value])
  }
  return ranges
}

/**
 * Describes a cron's timing in a sentence: 'Every Monday to Friday at 9:30 AM, Europe/Zurich time'. An invalid
 * expression is returned unchanged.
 */
export function describeCron(timing: CronTiming): string {
  const { cron, cronTZ, cronStart } = timing
  const fields = parseCron(cron)
  if (!fields) return cron
  const once = partsOf(timing)?.period === 'Once'
  const days = once ? `Once on ${dateInWords(wallTimeOf(cronTZ, Date.parse(cronStart)))}` : daysInWords(fields)
  return `${days} ${timesInWords(fields)}, ${cronTZ} time`
}

const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Maximum times of a day that are listed. */
const maxListedTimes = 6

function daysInWords({ days, months, weekdays }: CronFields): string {
  const week = weekdays && `every ${inWords(weekdays, (value) => weekdayNames[value - 1] ?? '')}`
  const dates = days && `the ${inWords(days, ordinal)}`
  const everyMonth = months ? `of ${inWords(months, (value) => monthNames[value - 1] ?? '')}` : 'of every month'
  const inMonths = months ? ` in ${inWords(months, (value) => monthNames[value - 1] ?? '')}` : ''
  if (dates && week) return `On ${dates} ${everyMonth}, and ${week}${inMonths},`
  if (dates) return `On ${dates} ${everyMonth}`
  return week ? `${capitalised(week)}${inMonths}` : `Every day${inMonths}`
}

function timesInWords(fields: CronFields): string {
  const { hours, minutes } = fields
  if (hours.length * minutes.length <= maxListedTimes) {
    const times = hours.flatMap((hour) => minutes.map((minute) => timeInWords(hour * 60 + minute)))
    return `at ${listed(times)}`
  }
  const step = stepOf(minutes)
  const past = step === null ? `at ${inWords(minutes, String)} minutes past` : `every ${step} minutes of`
  const hour = isEveryHour(fields) ? 'every hour' : `the hours ${inWords(hours, (value) => timeInWords(value * 60))}`
  return minutes.length === 1 && minutes[0] === 0 ? `at the start of ${hour}` : `${past} ${hour}`
}

/** Returns the step of minutes that divide an hour evenly; otherwise null. */
function stepOf(minutes: readonly number[]): number | null {
  const step = 60 / minutes.length
  return minutes.length > 1 && minutes.every((minute, index) => minute === index * step) ? step : null
}

/** Lists values in words: 'Monday to Friday and Sunday'. */
const inWords = (values: readonly number[], name: (value: number) => string): string =>
  listed(
    rangesOf(values).flatMap(([from, to]) =>
      to - from > 1 ? `${name(from)} to ${name(to)}` : from === to ? name(from) : [name(from), name(to)],
    ),
  )

const listed = (texts: string[]): string => new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(texts)

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** '1st', '22nd', '13th'. */
export function ordinal(value: number): string {
  const isTeen = Math.floor(value / 10) === 1
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
  return `${value}${ending}`
}
