const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October']
const monthNames = [...months, 'November', 'December']
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Formats a part of a date: months and days of the week by name, hours as 9:00, others unchanged. */
export function datePartText(value: number, part: string): string {
  if (part === 'month') return monthNames[value - 1] ?? String(value)
  if (part === 'dayOfWeek') return dayNames[value - 1] ?? String(value)
  return part === 'hour' ? `${value}:00` : String(value)
}
