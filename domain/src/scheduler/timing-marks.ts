import { isEveryHour, parseCron } from './cron-fields.ts'
import { ordinal } from './cron-parts.ts'
import { clockTimeInWords, dateInWords } from './time-words.ts'
import { type CronTiming, clockTimesBetween, hasEnd, lastDueTime, startOf } from './cron-times.ts'
import { clockChanges } from './zone-offsets.ts'

/** A sentence for the dialog about a timing that may be surprising. */
export type TimingMark = {
  kind: 'missing-day' | 'skipped-time' | 'repeated-time'
  text: string
}

const msPerYear = 366 * 86_400_000
const msPerDay = 86_400_000

/**
 * Returns the marks of a timing: days that some months lack, and the clock changes of its first year after `now` (ms)
 * on whose day it runs in the skipped or repeated time.
 */
export function timingMarks(timing: CronTiming, now: number): TimingMark[] {
  const from = Math.max(now, startOf(timing))
  const end = hasEnd(timing) ? (lastDueTime(timing) ?? from) + msPerDay : Number.POSITIVE_INFINITY
  const changes = clockChanges(timing.cronTZ, from, Math.min(from + msPerYear, end))
  return [...missingDays(timing), ...changes.flatMap((change) => changeMark(timing, change))]
}

/** Days that are not in every month; none if it only runs on one date. */
function missingDays({ cron }: CronTiming): TimingMark[] {
  const fields = parseCron(cron)
  const months = fields?.months ?? Array.from({ length: 12 }, (_, index) => index + 1)
  return (fields?.days ?? []).flatMap((day) => {
    const lacking = months.filter((month) => day > daysOf(month))
    const leaping = day === 29 && months.includes(2)
    if (lacking.length === 0 && !leaping) return []
    const names = lacking.map((month) => monthName(month))
    const text = leaping
      ? 'February has a 29th in leap years only; in other years there is no run on it.'
      : `No run on the ${ordinal(day)} in ${listed(names)}, which ${names.length === 1 ? 'does' : 'do'} not have it.`
    return [{ kind: 'missing-day' as const, text }]
  })
}

/** For a leap year, as February is handled separately. */
const daysOf = (month: number): number => new Date(Date.UTC(2028, month, 0)).getUTCDate()
const monthName = (month: number): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'long' }).format(Date.UTC(2028, month - 1, 1))
const listed = (texts: string[]): string => new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(texts)

function changeMark({ cron }: CronTiming, { before, after }: { before: number; after: number }): TimingMark[] {
  const fields = parseCron(cron)
  const times = clockTimesBetween(cron, Math.min(before, after), Math.max(before, after))
  const [first] = times
  if (!fields || first === undefined) return []
  const names = listed([...new Set(times.map(clockTimeInWords))].slice(0, 3))
  const isOne = times.length === 1
  const day = dateInWords(first)
  const named = times.length > 3 ? 'the times of this cron in that hour' : names
  if (after > before) {
    const when = isEveryHour(fields) ? 'there is no run then' : `it runs at ${clockTimeInWords(after)} instead`
    const text = `On ${day} the clocks go forward: ${named} ${isOne ? 'does' : 'do'} not exist, so ${when}.`
    return [{ kind: 'skipped-time', text }]
  }
  const when = isEveryHour(fields) ? 'it runs both times' : 'it runs the first time'
  const text = `On ${day} the clocks go back: ${named} ${isOne ? 'occurs' : 'occur'} twice; ${when}.`
  return [{ kind: 'repeated-time', text }]
}
