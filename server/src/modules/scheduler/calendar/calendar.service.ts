import type { AccountId } from '@portico/contract/accounts'
import { addDays, type Day } from '@portico/domain/days'
import { messages } from '@portico/contract/messages'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import {
  type CalendarDay,
  type hourFilters,
  type RunState,
  runsPerDay,
  type Schedule,
  type ScheduleStatus,
  weekdayFilters,
} from '@portico/contract/scheduler/schedules'
import { momentOf, wallTimeOf } from '@portico/domain/scheduler/zone-offsets'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Consumers } from '../consumers.ts'
import { selectNow } from '../crons/crons.queries.ts'
import { toSchedules, toUpcoming } from './schedule-on-wire.ts'
import { type CalendarRange, selectDayCounts, selectFirstRuns } from './schedules.queries.ts'
import { countByDay } from './upcoming-days.ts'
import { upcomingTimes } from './upcoming.service.ts'

type CalendarQuery = {
  consumerCode: ConsumerCode
  from: Day
  /** The last day, included. */
  to: Day
  zone: string
  status?: ScheduleStatus | undefined
  state?: RunState | undefined
  weekdays: keyof typeof weekdayFilters
  hours: (typeof hourFilters)[number]
}

/** Maximum number of days per response: a month with the full weeks at its start and end. */
const maxDays = 45

/** Maximum number of different due times per response. Crons with the same timing count once. */
const mostComputed = 50_000

/**
 * Returns the number of runs by day and status, with the first five of each day; days without runs are left out.
 * @throws invalid_input for too many days, too_many_runs for more different upcoming times than a response can compute
 */
export async function getCalendar(
  db: Db,
  account: AccountId,
  consumers: Consumers,
  query: CalendarQuery,
): Promise<{ asOf: string; days: CalendarDay[] }> {
  const range = rangeOf(query)
  const asOf = await selectNow(db)
  const days = new Map<Day, CalendarDay>()
  const dayOf = (day: Day): CalendarDay => {
    const known = days.get(day) ?? { day, counts: {}, runs: [] }
    days.set(day, known)
    return known
  }
  const wanted = [range.status, range.state].filter((each) => each !== null)
  if (!wanted.includes('upcoming')) {
    const [counts, first] = await Promise.all([
      selectDayCounts(db, account, range),
      selectFirstRuns(db, account, range),
    ])
    for (const { day, state, count } of counts) dayOf(day).counts[state] = count
    const schedules = await toSchedules(db, account, consumers, first)
    first.forEach(({ day }, index) => dayOf(day).runs.push(...schedules.slice(index, index + 1)))
  }
  if (wanted.every((each) => each === 'upcoming')) {
    const upcoming = upcomingTimes(db, account, { ...range, cronId: null, field: 'to' }, mostComputed)
    for (const [day, { count, first }] of await countByDay(upcoming, (time) => dayWithin(time, range))) {
      if (count > 0) dayOf(day).counts.upcoming = count
      dayOf(day).runs.push(...first.map((run) => toUpcoming(account, run)))
    }
  }
  const sorted = [...days.values()].toSorted((one, other) => (one.day < other.day ? -1 : 1))
  return { asOf: asOf.toISOString(), days: sorted.map(withFirstRuns) }
}

function rangeOf({ consumerCode, from, to, zone, status, state, weekdays, hours }: CalendarQuery): CalendarRange {
  if (to < from || to > addDays(from, maxDays)) throw invalidField('to', messages.invalid)
  const [firstHour = 0, hourCount = 24] = hours.split('-').map(Number)
  return {
    consumer: consumerCode,
    from: new Date(startOfDay(from, zone)),
    to: new Date(startOfDay(addDays(to, 1), zone)),
    zone,
    status: status ?? null,
    state: state ?? null,
    weekdays: weekdayFilters[weekdays],
    firstHour,
    endHour: firstHour + hourCount,
  }
}

const startOfDay = (day: Day, zone: string): number => momentOf(zone, Date.parse(`${day}T00:00:00Z`))

/** The day of a moment; null outside the requested hours and weekdays. */
function dayWithin(time: number, { zone, weekdays, firstHour, endHour }: CalendarRange): Day | null {
  const wallTime = new Date(wallTimeOf(zone, time))
  const hour = wallTime.getUTCHours()
  const isWithin = weekdays.includes(wallTime.getUTCDay() || 7) && hour >= firstHour && hour < endHour
  return isWithin ? wallTime.toISOString().slice(0, 10) : null
}

function withFirstRuns(day: CalendarDay): CalendarDay {
  const byDueTime = (one: Schedule, other: Schedule): number => Date.parse(one.date) - Date.parse(other.date)
  return { ...day, runs: day.runs.toSorted(byDueTime).slice(0, runsPerDay) }
}
