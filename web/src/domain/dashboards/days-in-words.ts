import type { Day, DayRange } from '@portico/domain/days'

const formats = [{}, { year: 'numeric' as const }].map(
  (year) => new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC', ...year }),
)

/** Days in short: 'Oct 26 – Nov 25', with the year unless all are of the year of `today`. */
export function daysInWords({ from, to }: DayRange, today: Day): string {
  const isOfToday = [from, to].every((day) => day.slice(0, 4) === today.slice(0, 4))
  const text = formats[isOfToday ? 0 : 1]?.formatRange(Date.parse(from), Date.parse(to)) ?? ''
  // Between them are thin spaces, and breaks between words.
  return text.replaceAll(/\s/g, ' ')
}
