import '@mantine/schedule/styles.layer.css'
import { DayView, WeekView } from '@mantine/schedule'
import { hoursOf, turned } from './calendar-days.ts'
import { calendarEvent, EventBody, EventButton, openedBy } from './calendar-events.tsx'
import css from './calendar-views.module.css'
import { hiddenWeekdays } from './hidden-weekdays.ts'
import type { CalendarViewProps } from './month-calendar.tsx'
import { overlapMinutes, type RunBlock, runBlocks } from './run-blocks.ts'

/** A week or a day, with its runs at their times. */
export function TimeCalendar({ shown, days, onOpen, onDay }: CalendarViewProps) {
  const blocks = runBlocks(days, shown)
  const { first, end } = hoursOf(shown.hours)
  const common = {
    className: css['calendar'] ?? '',
    date: shown.day,
    withHeader: false,
    slotLabelFormat: 'h A',
    slotHeight: 52,
    startTime: `${String(first).padStart(2, '0')}:00:00`,
    endTime: end === 24 ? '23:59:59' : `${String(end).padStart(2, '0')}:00:00`,
    startScrollTime: scrollTime(blocks),
    intervalMinutes: overlapMinutes,
    withSubHourGridLines: false,
    scrollAreaProps: { mah: 'var(--calendar-height)' },
    // The bubble would round the time to hours, as the hour labels do.
    withCurrentTimeBubble: false,
    events: blocks.map(({ id, day, start, end: until, runs }) => {
      const [run, ...others] = runs
      return calendarEvent({ id, start, end: until }, run && others.length === 0 ? { run } : { runs, day })
    }),
    renderEvent: (event: Event, props: object) => <EventButton {...props} event={event} isReached />,
    renderEventBody: (event: Event) => <EventBody event={event} />,
    onEventClick: (event: Event) => onOpen(openedBy(event)),
  }
  if (shown.type === 'day') {
    return (
      <DayView
        key={shown.hours}
        {...common}
        withAllDaySlot={false}
        // The same keys as between the days of a week. The slot keeps the focus.
        onKeyDown={({ key: pressed }) => {
          if (pressed === 'ArrowLeft' || pressed === 'ArrowRight')
            onDay(turned(shown, pressed === 'ArrowLeft' ? -1 : 1))
        }}
      />
    )
  }
  return (
    <WeekView
      ref={nameDays}
      // Another week scrolls to its own first runs.
      key={`${shown.day} ${shown.hours}`}
      {...common}
      firstDayOfWeek={1}
      weekdayFormat="ddd"
      highlightToday
      withAllDaySlots={false}
      withWeekNumber={false}
      {...hiddenWeekdays(shown.weekdays)}
      onDateChange={(day) => onDay(day.slice(0, 10))}
      onTimeSlotClick={({ slotStart }) => onDay(slotStart.slice(0, 10))}
    />
  )
}

/** Mantine names the days of a week by their dates alone, without the visible text: these names are better. */
function nameDays(calendar: HTMLElement | null): void {
  for (const label of calendar?.querySelectorAll('.mantine-WeekView-weekViewDayLabel') ?? []) {
    label.removeAttribute('aria-label')
  }
}

type Event = Parameters<typeof openedBy>[0]

/** Two hours before the first run: the headers of the days cover one. */
function scrollTime(blocks: readonly RunBlock[]): string {
  const earliest = blocks.map(({ start }) => Number(start.slice(11, 13))).toSorted((a, b) => a - b)[0]
  return `${String(Math.max(0, (earliest ?? 8) - 2)).padStart(2, '0')}:00:00`
}
