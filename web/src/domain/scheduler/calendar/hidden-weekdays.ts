import type { Shown } from './calendar-days.ts'

/** The weekdays that a filter excludes, as the calendar's "weekend". */
export function hiddenWeekdays(weekdays: Shown['weekdays']) {
  if (weekdays === 'Mon-Fri') return { withWeekendDays: false, weekendDays: [0 as const, 6 as const] }
  if (weekdays === 'Sat-Sun') return { withWeekendDays: false, weekendDays: [1, 2, 3, 4, 5] as (1 | 2 | 3 | 4 | 5)[] }
  return {}
}
