import { hourFilters, runStates, weekdayFilterNames } from '@portico/contract/scheduler/schedules'
import { timeInWords } from '@portico/domain/scheduler/time-words'
import { SegmentedControl, Select } from '@mantine/core'
import { calendarTypes, hoursOf, type Shown } from './calendar-days.ts'
import { stateName } from '../run-looks.tsx'
import css from './calendar-filters.module.css'

const all = 'all'
const stateOptions = [
  { value: all, label: 'All' },
  ...runStates.map((state) => ({ value: state, label: stateName(state) })),
]
const typeOptions = calendarTypes.map((type) => ({
  value: type,
  label: type.slice(0, 1).toUpperCase() + type.slice(1),
}))
const weekdayLabels = { 'all week': 'All week', 'Mon-Fri': 'Mon-Fri', 'Sat-Sun': 'Sat-Sun' } as const
const weekdayOptions = weekdayFilterNames.map((value) => ({ value, label: weekdayLabels[value] }))
const hourOptions = hourFilters.map((value) => ({ value, label: hoursInWords(value) }))

/** '6:00 AM – 12:00 PM' */
function hoursInWords(hours: Shown['hours']): string {
  const { first, end } = hoursOf(hours)
  return first === 0 && end === 24 ? 'Whole day' : `${timeInWords(first * 60)} – ${timeInWords((end % 24) * 60)}`
}

type CalendarFiltersProps = { shown: Shown; onChange: (part: Partial<Shown>) => void }

/** Filters of the calendar: status, month, week or day, weekdays and hours. */
export function CalendarFilters({ shown, onChange }: CalendarFiltersProps) {
  return (
    <div className={css['filters']}>
      <SegmentedControl
        size="xs"
        aria-label="Calendar type"
        data={typeOptions}
        value={shown.type}
        onChange={(chosen) => onChange({ type: calendarTypes.find((type) => type === chosen) ?? shown.type })}
      />
      <Select
        aria-label="Schedule status"
        data={stateOptions}
        allowDeselect={false}
        value={shown.state === '' ? all : shown.state}
        onChange={(chosen) => onChange({ state: runStates.find((state) => state === chosen) ?? '' })}
      />
      <Select
        aria-label="Week days"
        data={weekdayOptions}
        allowDeselect={false}
        value={shown.weekdays}
        onChange={(chosen) => onChange({ weekdays: weekdayFilterNames.find((name) => name === chosen) ?? 'all week' })}
      />
      <Select
        aria-label="Hours"
        data={hourOptions}
        allowDeselect={false}
        value={shown.hours}
        onChange={(chosen) => onChange({ hours: hourFilters.find((hours) => hours === chosen) ?? '0-24' })}
      />
    </div>
  )
}
