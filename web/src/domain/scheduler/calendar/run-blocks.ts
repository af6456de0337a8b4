import type { Schedule } from '@portico/contract/scheduler/schedules'
import { type DayOfRuns, hoursOf, localText, type Shown } from './calendar-days.ts'

/** Runs that the calendar draws as one block; almost always a single run. Times are local to the browser. */
export type RunBlock = { id: string; day: string; start: string; end: string; runs: Schedule[] }

/** Runs due within this many minutes are drawn side by side (specification 1 §9). */
export const overlapMinutes = 30

/** With more runs than this, a week draws those of an hour as one block, and a day draws fewer side by side. */
const fewRuns = 100

const minutesPerDay = 24 * 60

/**
 * The blocks of days. Only as many are drawn side by side as stay readable: if more runs overlap, the last block holds
 * all the others.
 */
export function runBlocks(days: readonly DayOfRuns[], { type, hours }: Pick<Shown, 'type' | 'hours'>): RunBlock[] {
  const total = days.reduce((sum, { runs }) => sum + runs.length, 0)
  const isCrowded = total > fewRuns
  const columns = type === 'day' ? (isCrowded ? 3 : 6) : isCrowded ? 1 : 2
  const minutes = type === 'week' && isCrowded ? 60 : overlapMinutes
  const end = Math.min(hoursOf(hours).end * 60, minutesPerDay)
  return days.flatMap((day) => blocksOfDay(day, { columns, minutes, end }))
}

type Layout = { columns: number; minutes: number; end: number }

/** `start` of a block is a minute of the day. */
function blocksOfDay({ day, runs }: DayOfRuns, { columns, minutes, end }: Layout): RunBlock[] {
  const blocks: { start: number; runs: Schedule[] }[] = []
  for (const run of runs) {
    const text = localText(run.scheduleDate)
    // The last blocks begin a little earlier, to be as high as the others.
    const start = Math.min(Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16)), end - minutes)
    const beside = blocks.slice(-columns).filter((block) => block.start > start - minutes)
    const last = beside.at(-1)
    if (last && beside.length === columns) last.runs.push(run)
    else blocks.push({ start, runs: [run] })
  }
  return blocks.map((block, index) => ({
    id: `${day} ${index} ${block.runs[0]?._id}`,
    day,
    start: `${day} ${clock(block.start)}`,
    end: block.start + minutes >= minutesPerDay ? `${day} 23:59:59` : `${day} ${clock(block.start + minutes)}`,
    runs: block.runs,
  }))
}

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`
