import type { Schedule } from '@portico/contract/scheduler/schedules'
import { UnstyledButton } from '@mantine/core'
import type { ScheduleEventData } from '@mantine/schedule'
import type { ComponentPropsWithoutRef } from 'react'
import { formatCount } from '#lib/formats.ts'
import { RunIcon, runClass, StateDot, stateInWords } from '../run-looks.tsx'
import { dayInWords, timeOf } from './calendar-days.ts'
import css from './calendar-events.module.css'

/** The target of a block of the calendar: a run, several of them, or a day. */
export type Opened = { run: Schedule } | { runs: Schedule[]; day: string } | { day: string; hidden: number }

type CalendarEvent = ScheduleEventData & { payload: Opened }

type Place = { id: string; start: string; end: string }

/** A block of the calendar. Its title names it for screen readers. */
export const calendarEvent = (place: Place, payload: Opened): CalendarEvent => ({
  ...place,
  title: titleOf(payload),
  color: 'gray',
  payload,
})

function titleOf(opened: Opened): string {
  if ('run' in opened) return runTitle(opened.run)
  if ('hidden' in opened) return `${moreText(opened.hidden)} on ${dayInWords(opened.day)}`
  const [first] = opened.runs
  return `${formatCount(opened.runs.length, 'run')} from ${first ? timeOf(first.scheduleDate) : ''}`
}

/** '9:30 AM Weekly report, completed' */
const runTitle = (run: Schedule): string => `${timeOf(run.scheduleDate)} ${run.cron.name}, ${stateInWords(run)}`

const moreText = (count: number): string => `+${formatCount(count, 'more', 'more')}`

/** Returns the target of a block: all blocks are made by `calendarEvent`. */
export const openedBy = (event: ScheduleEventData): Opened => (event as CalendarEvent).payload

/** The text of a block. */
export function EventBody({ event }: { event: ScheduleEventData }) {
  const opened = openedBy(event)
  if ('hidden' in opened) return <span className={css['text']}>{moreText(opened.hidden)}</span>
  if ('runs' in opened) {
    return (
      <span className={css['body']}>
        <span className={css['text']}>{formatCount(opened.runs.length, 'run')}</span>
        {[...new Set(opened.runs.map(({ state }) => state))].map((state) => (
          <StateDot key={state} state={state} />
        ))}
      </span>
    )
  }
  return (
    <span className={css['body']}>
      <RunIcon run={opened.run} size={12} />
      <span className={css['text']}>
        {timeOf(opened.run.scheduleDate)} {opened.run.cron.name}
      </span>
    </span>
  )
}

type EventProps = ComponentPropsWithoutRef<'button'>

/** The block itself, in the color of its run. */
export function EventButton({
  event,
  isReached,
  ...props
}: EventProps & { event: ScheduleEventData; isReached: boolean }) {
  const opened = openedBy(event)
  return (
    <UnstyledButton
      {...props}
      // The calendar's own colors come from its theme.
      style={{
        ...props.style,
        '--event-bg': 'var(--block-bg)',
        '--event-hover': 'var(--block-hover)',
        '--event-color': 'inherit',
      }}
      className={`${props.className ?? ''} ${runClass} ${css['event'] ?? ''}`}
      data-status={'run' in opened ? opened.run.state : 'several'}
      data-kind={'hidden' in opened ? 'more' : 'block'}
      aria-label={titleOf(opened)}
      tabIndex={isReached ? 0 : -1}
    />
  )
}
