import { isPeriod, type KeyPart, type Period } from '../pipeline/pipeline.ts'

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
const monthNames = [...months, 'November', 'December']
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/**
 * A part of a date as people read it: months and days of the week by name, hours as 9:00, others as they are. A period, by its
 * first day `2026-10-05`: Oct 5, 2026; Week of Oct 5, 2026; Oct 2026; Q4 2026; 2026.
 */
export function datePartText(value: number | string, part: KeyPart): string {
  if (typeof value === 'string') return isPeriod(part) ? periodText(value, part) : value
  if (part === 'month') return monthNames[value - 1] ?? String(value)
  if (part === 'dayOfWeek') return dayNames[value - 1] ?? String(value)
  return part === 'hour' ? `${value}:00` : String(value)
}

function periodText(day: string, period: Period): string {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return day
  const name = monthNames[Number(month) - 1]?.slice(0, 3) ?? ''
  const text = `${name} ${Number(date)}, ${year}`
  return {
    'by day': text,
    'by week': `Week of ${text}`,
    'by month': `${name} ${year}`,
    'by quarter': `Q${Math.ceil(Number(month) / 3)} ${year}`,
    'by year': year,
  }[period]
}
