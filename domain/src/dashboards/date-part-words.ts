const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
const monthNames = [...months, 'November', 'December']
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** A part of a date as people read it: months and days of the week by name, hours as 9:00, others as they are. */
export function datePartText(value: number, part: string): string {
  if (part === 'month') return monthNames[value - 1] ?? String(value)
  if (part === 'dayOfWeek') return dayNames[value - 1] ?? String(value)
  return part === 'hour' ? `${value}:00` : String(value)
}
