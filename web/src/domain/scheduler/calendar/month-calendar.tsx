import '@mantine/schedule/styles.layer.css'
import { dayCount } from '@portico/domain/days'
import { useViewportSize } from '@mantine/hooks'
import { MonthView, type ScheduleEventData } from '@mantine/schedule'
import { formatCount } from '#lib/formats.ts'
import { type DayOfRuns, dayInWords, localText, type Shown, shownDays } from './calendar-days.ts'
import { calendarEvent, EventBody, EventButton, type Opened, openedBy } from './calendar-events.tsx'
import css from './calendar-views.module.css'
import { hiddenWeekdays } from './hidden-weekdays.ts'

export type CalendarViewProps = {
  shown: Shown
  days: DayOfRuns[]
  onOpen: (opened: Opened) => void
  onDay: (day: string) => void
}

/** A month: the first runs of each day, and the number of others. */
export function MonthCalendar({ shown, days, onOpen, onDay }: CalendarViewProps) {
  const rows = useRows(dayCount(shownDays(shown)) / 7)
  const totals = new Map(days.map(({ day, total }) => [day, total]))
  return (
    <MonthView
      className={css['calendar'] ?? ''}
      classNames={{ monthViewDay: css['monthDay'] ?? '', monthViewEvents: css['monthEvents'] ?? '' }}
      date={shown.day}
      firstDayOfWeek={1}
      consistentWeeks={false}
      weekdayFormat="ddd"
      withHeader={false}
      {...hiddenWeekdays(shown.weekdays)}
      events={days.flatMap((day) => eventsOf(day, rows))}
      maxEventsPerDay={rows}
      scrollAreaProps={{ className: css['scroll'] ?? '' }}
      // Enter on a day opens its runs, where the keyboard can reach them.
      renderEvent={(event, props) => <EventButton {...props} event={event} isReached={false} />}
      renderEventBody={(event) => <EventBody event={event} />}
      onEventClick={(event) => onOpen(openedBy(event))}
      onDayClick={onDay}
      getDayProps={(day) => ({ 'aria-label': `${dayInWords(day)}, ${formatCount(totals.get(day) ?? 0, 'run')}` })}
    />
  )
}

const [leastRows, mostRows] = [2, 6]

/** As many rows per day as fit into the calendar's height, by the sizes in its styles. */
function useRows(weeks: number): number {
  const { height } = useViewportSize()
  const room = Math.min(height * 0.7, height * 0.9 - 226) - 40
  return Math.min(mostRows, Math.max(leastRows, Math.floor((room / weeks - 32) / 23)))
}

/** The last row gives the number of runs left out, if any. */
function eventsOf({ day, runs, total }: DayOfRuns, rows: number): ScheduleEventData[] {
  const shown = total > rows || runs.length < total ? runs.slice(0, rows - 1) : runs
  const events = shown.map((run) => {
    const start = localText(run.scheduleDate)
    return calendarEvent({ id: `${day} ${run._id}`, start, end: `${day} 23:59:59` }, { run })
  })
  const hidden = total - shown.length
  if (hidden === 0) return events
  const end = `${day} 23:59:59`
  return [...events, calendarEvent({ id: `${day} more`, start: end, end }, { day, hidden })]
}
