/** The start of a `YYYY-MM-DD` day in the browser's time zone. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00`)
}

/** The `YYYY-MM-DD` day of a moment in the browser's time zone. */
export function dayOf(instant: string): string {
  const date = new Date(instant)
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}
