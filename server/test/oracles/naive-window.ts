// The days of a window, found by walking through a calendar day by day, and the day of a moment as Intl shows it.
// Shares no code with the portal, so tests can compare both.

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the day that clocks of a zone show at a moment. */
export function dayIn(zone: string, moment: number): string {
  const parts = { timeZone: zone, day: '2-digit', month: '2-digit', year: 'numeric' } as const
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', parts)
  formats.set(zone, format)
  return format.format(moment).split('/').toReversed().join('-')
}

/** Returns a day this many days after another. */
const shifted = (day: string, days: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date + days)).toISOString().slice(0, 10)
}

const weekday = (day: string): string => new Date(`${day}T12:00:00Z`).toUTCString().slice(0, 3)
const monthOf = (day: string): string => day.slice(0, 7)
const quarterOf = (day: string): string => `${day.slice(0, 4)} ${Math.ceil(Number(day.slice(5, 7)) / 3)}`
/** Returns the Monday on or before a day. */
const weekOf = (day: string): string => {
  let at = day
  while (weekday(at) !== 'Mon') at = shifted(at, -1)
  return at
}

/** Returns the days that an offset covers for a due day. */
export function naiveDays(offset: string, dueDay: string): Set<string> {
  const before = Array.from({ length: 200 }, (_, back) => shifted(dueDay, -back))
  const sameAs = (part: (day: string) => string) => before.filter((day) => part(day) === part(dueDay))
  const lastOf = (part: (day: string) => string) => {
    const earlier = before.filter((day) => part(day) !== part(dueDay))
    return earlier.filter((day) => part(day) === part(earlier[0] ?? ''))
  }
  const days: Record<string, () => string[]> = {
    '0': () => [dueDay],
    TW: () => sameAs(weekOf),
    TM: () => sameAs(monthOf),
    TQ: () => sameAs(quarterOf),
    LW: () => lastOf(weekOf),
    LM: () => lastOf(monthOf),
    LQ: () => lastOf(quarterOf),
  }
  return new Set(days[offset]?.() ?? before.slice(1, Number(offset) + 1))
}

/** Returns whether a window includes a moment. Windows that include the due day end when the run is due. */
export const takesMoment = (days: ReadonlySet<string>, zone: string, due: number, moment: number): boolean =>
  days.has(dayIn(zone, moment)) && (!days.has(dayIn(zone, due)) || moment < due)
