import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import {
  allTime,
  allTimeName,
  dayPresets,
  earliestDay,
  isPreset,
  rangePresets,
  todayIn,
  usualRangeDays,
} from '@portico/domain/days'
import { daysOfRange, initialDays } from '@portico/contract/dashboards/dashboard-cells'
import type { ChosenRange } from '@portico/contract/dashboards/interaction'
import { accountTimeZone } from '#lib/session/session.ts'
import { DateRangePicker, type RangeChoice } from '#ui/form/date-range-picker.tsx'
import type { Choosing } from '../interaction-address.ts'
import { withRange } from '../interaction-changes.ts'
import type { FilledCell } from './cell-props.ts'

const optionsOf = (presets: Record<string, string>) =>
  Object.entries(presets).map(([value, label]) => ({ value, label }))

const isDayPicker = ({ type, datePickerType }: CellChart): boolean => type === 'DatePicker' && datePickerType === 'day'

/** The presets of the date-range picker, or of a date picker cell of either type (specification 4 §9). */
function presetsOf(chart: CellChart): Record<string, string> {
  if (chart.type !== 'DatePicker') return { ...rangePresets, ...dayPresets }
  return {
    ...(isDayPicker(chart) ? dayPresets : rangePresets),
    ...(chart.portico?.allTime && { [allTime]: allTimeName }),
  }
}

/** The days of a date picker cell, or of a tile with its own picker. */
export function OwnRange({ cell, choosing }: { cell: FilledCell; choosing: Choosing | null }) {
  const { id, chart } = cell
  const today = todayIn(accountTimeZone() ?? 'UTC')
  const chosen = choosing?.interaction.ranges.findLast((range) => range.cell === id)
  const initial = chart.defaultId ?? '29'
  const days = chosen ? daysOfRange(chosen, today) : initialDays(chart, today)
  const preset = chosen ? ('preset' in chosen ? chosen.preset : null) : initial
  const isDay = isDayPicker(chart)
  const choose = (choice: RangeChoice): void => {
    const range: ChosenRange | null =
      'preset' in choice
        ? choice.preset === initial || (choice.preset !== allTime && !isPreset(choice.preset))
          ? null
          : { cell: id, preset: choice.preset }
        : { cell: id, ...choice }
    choosing?.change((now) => withRange(now, id, range))
  }
  return (
    <DateRangePicker
      label={chart.title || 'Dates'}
      days={days}
      preset={preset}
      presets={optionsOf(presetsOf(chart))}
      isSingle={isDay}
      earliest={earliestDay}
      latest={today}
      mostDays={chart.maxRange ?? usualRangeDays}
      isDisabled={choosing === null}
      onApply={choose}
    />
  )
}
