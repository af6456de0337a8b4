import type { Day } from '@portico/domain/days'
import { runsPerDay } from '@portico/contract/scheduler/schedules'
import type { UpcomingRun, UpcomingTimes } from './upcoming.service.ts'

/** The upcoming runs of a day. */
export type UpcomingDay = { count: number; /** The first five, by due time and name. */ first: UpcomingRun[] }

/**
 * Counts the upcoming runs of each day. `dayOf` returns the day of a due time, or null for times not shown. The days of
 * crons with the same timing are computed once.
 */
export async function countByDay(
  upcoming: AsyncIterable<UpcomingTimes>,
  dayOf: (time: number) => Day | null,
): Promise<Map<Day, UpcomingDay>> {
  const days = new Map<Day, UpcomingDay>()
  const grouped = new Map<readonly number[], Map<Day, number[]>>()
  for await (const { cron, times, made } of upcoming) {
    const byDay = grouped.get(times) ?? groupByDay(times, dayOf)
    grouped.set(times, byDay)
    for (const [day, ofDay] of byDay) {
      const known = days.get(day) ?? { count: 0, first: [] }
      days.set(day, known)
      known.count += ofDay.length
      for (const time of ofDay) {
        if (made.has(time)) continue
        if (!addToFirst(known.first, { cron, dueAt: new Date(time) })) break
      }
    }
    for (const time of made) {
      const day = dayOf(time)
      const known = day === null ? undefined : days.get(day)
      if (known && byDay.get(day ?? '')?.includes(time)) known.count -= 1
    }
  }
  return days
}

function groupByDay(times: readonly number[], dayOf: (time: number) => Day | null): Map<Day, number[]> {
  const groups = new Map<Day, number[]>()
  for (const time of times) {
    const day = dayOf(time)
    if (day === null) continue
    const group = groups.get(day)
    if (group) group.push(time)
    else groups.set(day, [time])
  }
  return groups
}

/** Inserts a run by its time, after those of the same time. Returns whether it is among the first. */
function addToFirst(first: UpcomingRun[], run: UpcomingRun): boolean {
  const place = first.findLastIndex(({ dueAt }) => dueAt <= run.dueAt) + 1
  if (place === runsPerDay) return false
  first.splice(place, 0, run)
  first.length = Math.min(first.length, runsPerDay)
  return true
}
