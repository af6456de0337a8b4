import type { Schedule } from '@portico/contract/scheduler/schedules'
import { Text, UnstyledButton } from '@mantine/core'
import { formatCount } from '#lib/formats.ts'
import { RunIcon, runClass, stateInWords } from '../run-looks.tsx'
import { dayInWords, type DayOfRuns, timeOf } from './calendar-days.ts'
import css from './day-list.module.css'

type DayListProps = {
  days: DayOfRuns[]
  onRun: (run: Schedule) => void
  onDay: (day: string) => void
}

/** The calendar on a phone: its days one below the other, without days that have no run. */
export function DayList({ days, onRun, onDay }: DayListProps) {
  const busy = days.filter(({ total }) => total > 0)
  if (busy.length === 0) {
    return (
      <Text c="dimmed" py="md" ta="center">
        No runs on these days.
      </Text>
    )
  }
  return busy.map(({ day, runs, total }) => (
    <section key={day} aria-label={dayInWords(day)} className={css['day']}>
      <UnstyledButton className={css['head'] ?? ''} onClick={() => onDay(day)}>
        <span>{dayInWords(day)}</span>
        <Text span size="xs" c="dimmed">
          {formatCount(total, 'run')}
        </Text>
      </UnstyledButton>
      <RunList runs={runs} onRun={onRun} />
      {total > runs.length && (
        <UnstyledButton className={css['more'] ?? ''} onClick={() => onDay(day)}>
          +{formatCount(total - runs.length, 'more', 'more')}
        </UnstyledButton>
      )}
    </section>
  ))
}

/** Runs as rows, each of which opens its card. */
export function RunList({ runs, onRun }: { runs: readonly Schedule[]; onRun: (run: Schedule) => void }) {
  return (
    <ul className={css['runs']}>
      {runs.map((run) => (
        <li key={run._id}>
          <UnstyledButton
            className={`${runClass} ${css['run'] ?? ''}`}
            data-status={run.state}
            onClick={() => onRun(run)}
          >
            <span className={css['time']}>{timeOf(run.scheduleDate)}</span>
            <span className={css['name']}>{run.cron.name}</span>
            <span className={css['status']}>
              <RunIcon run={run} size={13} />
              {stateInWords(run)}
            </span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  )
}
