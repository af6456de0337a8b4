import { type Day, days, type LimitEffect } from '@portico/contract/identities'

export const dayNames: Record<Day, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

export const shortDay = (day: Day): string => dayNames[day].slice(0, 3)

/** 9:00 */
export const clock = (hour: number): string => `${hour}:00`

/** Only Mon, Tue; not on Sat, Sun; any day. */
export function describeDays(chosen: readonly Day[], effect: LimitEffect | null): string {
  if (chosen.length === 0) return 'Any day'
  const names = days.filter((day) => chosen.includes(day)).map(shortDay)
  return `${effect === 'nin' ? 'Not on' : 'Only'} ${names.join(', ')}`
}

/** Only 9:00–17:00; not 22:00–6:00; any hour. Consecutive hours form one span, even across midnight. */
export function describeHours(chosen: readonly number[], effect: LimitEffect | null): string {
  if (chosen.length === 0) return 'Any hour'
  return `${effect === 'nin' ? 'Not' : 'Only'} ${spans(chosen).join(', ')}`
}

function spans(chosen: readonly number[]): string[] {
  const isChosen = (hour: number): boolean => chosen.includes((hour + 24) % 24)
  if (chosen.length === 24) return ['0:00–24:00']
  const starts = chosen.filter((hour) => !isChosen(hour - 1)).toSorted((a, b) => a - b)
  return starts.map((start) => {
    let end = start + 1
    while (isChosen(end)) end++
    return `${clock(start)}–${clock(end > 24 ? end - 24 : end)}`
  })
}
