import type { AccountId } from '@portico/contract/accounts'
import { addDays, type Day } from '@portico/contract/dashboards/days'
import { messages } from '@portico/contract/messages'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import {
  type CalendarDay,
  type hourFilters,
  runsPerDay,
  type Schedule,
  type ScheduleStatus,
  weekdayFilters,
} from '@portico/contract/scheduler/schedules'
import { momentOf, wallTimeOf } from '@portico/contract/scheduler/zone-offsets'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Consumers } from '../consumers.ts'
import { selectNow } from '../crons/crons.queries.ts'
import { toSchedules, toUpcoming } from './schedule-on-wire.ts'
import { type CalendarRange, selectDayCounts, selectFirstRuns } from './schedules.queries.ts'
import { listUpcomingRuns, type UpcomingRun } from './upcoming.service.ts'

type CalendarQuery = {
  consumerCode: ConsumerCode
  from: Day
  /** The last day. */
  to: Day
  zone: string
  status?: ScheduleStatus | undefined
  weekdays: keyof typeof weekdayFilters
  hours: (typeof hourFilters)[number]
}

/** Days of one answer: a month with the weeks that it begins and ends with. */
const maxDays = 45

/**
 * The number of runs by day and status, with the first five of each day; days without runs are left out.
 * @throws invalid_input for too many days, or more than 10,000 runs to come
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
  if (range.status !== 'upcoming') {
    const [counts, first] = await Promise.all([
      selectDayCounts(db, account, range),
      selectFirstRuns(db, account, range),
    ])
    for (const { day, status, count } of counts) dayOf(day).counts[status] = count
    const schedules = await toSchedules(db, account, consumers, first)
    first.forEach(({ day }, index) => dayOf(day).runs.push(...schedules.slice(index, index + 1)))
  }
  if (range.status === null || range.status === 'upcoming') {
    const upcoming = await listUpcomingRuns(db, account, { ...range, cronId: null, field: 'to' })
    for (const run of upcoming.filter((each) => isWithin(each, range))) addUpcoming(dayOf, account, run, range)
  }
  const sorted = [...days.values()].toSorted((one, other) => (one.day < other.day ? -1 : 1))
  return { asOf: asOf.toISOString(), days: sorted.map(withFirstRuns) }
}

function rangeOf({ consumerCode, from, to, zone, status, weekdays, hours }: CalendarQuery): CalendarRange {
  if (to < from || to > addDays(from, maxDays)) throw invalidField('to', messages.invalid)
  const [firstHour = 0, hourCount = 24] = hours.split('-').map(Number)
  return {
    consumer: consumerCode,
    from: new Date(startOfDay(from, zone)),
    to: new Date(startOfDay(addDays(to, 1), zone)),
    zone,
    status: status ?? null,
    weekdays: weekdayFilters[weekdays],
    firstHour,
    endHour: firstHour + hourCount,
  }
}

const startOfDay = (day: Day, zone: string): number => momentOf(zone, Date.parse(`${day}T00:00:00Z`))

function isWithin({ dueAt }: UpcomingRun, { zone, weekdays, firstHour, endHour }: CalendarRange): boolean {
  const wallTime = new Date(wallTimeOf(zone, dueAt.getTime()))
  const hour = wallTime.getUTCHours()
  return weekdays.includes(wallTime.getUTCDay() || 7) && hour >= firstHour && hour < endHour
}

function addUpcoming(
  dayOf: (day: Day) => CalendarDay,
  account: AccountId,
  run: UpcomingRun,
  { zone }: CalendarRange,
): void {
  const day = dayOf(new Date(wallTimeOf(zone, run.dueAt.getTime())).toISOString().slice(0, 10))
  const count = day.counts.upcoming ?? 0
  day.counts.upcoming = count + 1
  // They come by due time.
  if (count < runsPerDay) day.runs.push(toUpcoming(account, run))
}

function withFirstRuns(day: CalendarDay): CalendarDay {
  const byDueTime = (one: Schedule, other: Schedule): number => Date.parse(one.date) - Date.parse(other.date)
  return { ...day, runs: day.runs.toSorted(byDueTime).slice(0, runsPerDay) }
}
