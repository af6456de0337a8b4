import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { runStates, type Schedule } from '@portico/contract/scheduler/schedules'
import { ActionIcon, Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { memo, useCallback, useState } from 'react'
import IconChevronLeft from '#icons/IconChevronLeft'
import IconChevronRight from '#icons/IconChevronRight'
import { formatNumber } from '#lib/formats.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { StateDot, stateName } from '../run-looks.tsx'
import { failureOf } from '../scheduler-queries.ts'
import { type CalendarType, dayInWords, pageInWords, type Shown, today, turned } from './calendar-days.ts'
import type { Opened } from './calendar-events.tsx'
import { CalendarFilters } from './calendar-filters.tsx'
import { browserZone, maxRuns, useCalendar } from './calendar-queries.ts'
import { DayList } from './day-list.tsx'
import { MonthCalendar } from './month-calendar.tsx'
import { QuarterRefresh } from './quarter-refresh.tsx'
import { RunCard } from './run-card.tsx'
import { RunListDialog } from './run-list-dialog.tsx'
import css from './schedules-tab.module.css'
import { TimeCalendar } from './time-calendar.tsx'

type SchedulesTabProps = { consumerCode: ConsumerCode; isLive: boolean; onCron: (id: string) => void }

const first = (): Shown => ({ type: 'week', day: today(), state: '', weekdays: 'all week', hours: '0-24' })

/** The calendar of existing and upcoming runs. */
export function SchedulesTab({ consumerCode, isLive, onCron }: SchedulesTabProps) {
  const [shown, setShown] = useState(first)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [run, setRun] = useState<Schedule | null>(null)
  const calendar = useCalendar(consumerCode, shown, isLive)
  const isPhone = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })
  const change = useCallback((part: Partial<Shown>): void => setShown((before) => ({ ...before, ...part })), [])
  const showDay = useCallback((day: string): void => change({ type: 'day', day }), [change])
  const { type } = shown
  const open = useCallback(
    (what: Opened): void => {
      if ('run' in what) setRun(what.run)
      else if ('runs' in what && type === 'day') setOpened(what)
      else showDay(what.day)
    },
    [type, showDay],
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <CalendarFilters shown={shown} onChange={change} />
        <QuarterRefresh onRefresh={calendar.refetch} />
      </Group>
      <Group justify="space-between" gap="sm">
        <Pager shown={shown} onDay={(day) => change({ day })} />
        {!isPhone && <Legend />}
      </Group>
      {calendar.error ? (
        <FailureState message={failureOf(calendar.error, 'list schedules')} onRetry={() => void calendar.refetch()} />
      ) : (
        <section
          aria-label={`Calendar, ${pageInWords(shown)}`}
          aria-busy={calendar.isFetching}
          className={css['calendar']}
        >
          {!calendar.data && <Loader size={18} aria-label="Loading items. Please wait..." />}
          {calendar.data?.cut && (
            <Alert color="orange" p="xs">
              {cutTexts[calendar.data.cut]} Choose {type === 'day' ? 'fewer hours' : 'a day'}.
            </Alert>
          )}
          {calendar.data && (
            <CalendarOf {...calendar.data} isPhone={isPhone ?? false} onOpen={open} onRun={setRun} onDay={showDay} />
          )}
        </section>
      )}
      {opened && 'runs' in opened && (
        <RunListDialog
          title={dayInWords(opened.day)}
          runs={opened.runs}
          onRun={setRun}
          onClose={() => setOpened(null)}
        />
      )}
      {run && <RunCard run={run} onCron={onCron} onClose={() => setRun(null)} />}
    </Stack>
  )
}

const cutTexts = {
  upcoming: `Upcoming runs are not shown: there are more than ${formatNumber(maxRuns)}.`,
  made: `Only the latest ${formatNumber(maxRuns)} runs are shown.`,
} as const

type CalendarOfProps = Parameters<typeof MonthCalendar>[0] & { isPhone: boolean; onRun: (run: Schedule) => void }

/** Keeps the shown days while another page is loading. Memoized, because rendering hundreds of runs is slow. */
const CalendarOf = memo(function CalendarOf({ isPhone, onRun, ...view }: CalendarOfProps) {
  if (isPhone) return <DayList days={view.days} onRun={onRun} onDay={view.onDay} />
  return view.shown.type === 'month' ? <MonthCalendar {...view} /> : <TimeCalendar {...view} />
})

const pageNames: Record<CalendarType, string> = { month: 'month', week: 'week', day: 'day' }

function Pager({ shown, onDay }: { shown: Shown; onDay: (day: string) => void }) {
  const name = pageNames[shown.type]
  const turn = (step: 1 | -1) => () => onDay(turned(shown, step))
  return (
    <Group gap="xs">
      <ActionIcon variant="default" aria-label={`Previous ${name}`} onClick={turn(-1)}>
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={`Next ${name}`} onClick={turn(1)}>
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
      <Button variant="default" onClick={() => onDay(today())}>
        Today
      </Button>
      <Text fw={600} aria-live="polite">
        {pageInWords(shown)}
      </Text>
      <Text size="xs" c="dimmed">
        Times in {browserZone()}
      </Text>
    </Group>
  )
}

function Legend() {
  return (
    <ul className={css['legend']} aria-label="Colours">
      {runStates.map((state) => (
        <li key={state}>
          <StateDot state={state} />
          {stateName(state)}
        </li>
      ))}
    </ul>
  )
}
