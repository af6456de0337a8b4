import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { isDateType } from '@portico/contract/contacts'
import {
  allTime,
  dayCount,
  dayPresets,
  type DayRange,
  earliestDay,
  rangePresets,
  usualRangeDays,
} from '@portico/domain/days'
import type { ChosenRange } from '@portico/contract/dashboards/interaction'
import { type KnownField, typeOf } from '@portico/domain/pipeline/grouping'
import {
  chartOf,
  dateFieldOf,
  hasOwnRange,
  type Surroundings,
  workingPickers,
} from '@portico/contract/dashboards/dashboard-cells'
import { foldName } from '@portico/domain/names'
import { AppError, invalidField } from '#platform/app-error.ts'

/**
 * Checks the ranges that a viewer has chosen against their date pickers.
 * @throws invalid_input naming the range
 */
export function requireChosenRanges({ definition, interaction, today }: Surroundings): void {
  interaction.ranges.forEach((range, at) => {
    const chart = chartOf(definition, range.cell)
    const problem = chart && problemOf(chart, range, today)
    if (problem) throw invalidField(`ranges.${at}`, problem)
  })
}

function problemOf(chart: CellChart, range: ChosenRange, today: string): string | null {
  if (chart.type !== 'DatePicker' && !hasOwnRange(chart)) return null
  const isDayPicker = chart.type === 'DatePicker' && chart.datePickerType === 'day'
  if ('preset' in range) {
    if (range.preset === allTime && chart.portico?.allTime === true && chart.type === 'DatePicker') return null
    const offered = isDayPicker ? dayPresets : { ...rangePresets, ...(hasOwnRange(chart) && dayPresets) }
    return Object.hasOwn(offered, range.preset) ? null : 'This date picker does not offer that preset.'
  }
  const days = { from: range.from, to: range.to }
  if (days.from > days.to) return 'The first day must not be after the last.'
  if (days.from < earliestDay || days.to > today) return `Choose days from ${earliestDay} to ${today}.`
  const most = isDayPicker ? 1 : (chart.maxRange ?? usualRangeDays)
  if (most === 0) return 'Choose one of the presets.'
  return dayCount(days) > most ? `Choose at most ${most} ${most === 1 ? 'day' : 'days'}.` : null
}

/**
 * Makes sure that a viewer could choose the days of a report's window in the date pickers; for each date, one suitable
 * picker is enough.
 * @throws cell_failed naming a picker
 */
export function requireWindow(around: Surroundings): void {
  const { window } = around
  if (!window) return
  const problems = new Map<string, string | null>()
  for (const { chart } of workingPickers(around)) {
    const date = foldName(dateFieldOf(chart))
    if (problems.get(date) !== null) problems.set(date, windowProblem(chart, window))
  }
  const problem = [...problems.values()].find((each) => each !== null)
  if (problem) throw new AppError('cell_failed', undefined, problem)
}

function windowProblem(chart: CellChart, days: DayRange): string | null {
  // No preset is longer than the shortest limit.
  const most = chart.datePickerType === 'day' ? 1 : (chart.maxRange ?? usualRangeDays)
  if (dayCount(days) <= most) return null
  const name = chart.title.trim() === '' ? 'The date picker' : `"${chart.title.trim()}"`
  return `${name} does not offer the days of this report's window to those who may not search contacts themselves.`
}

/**
 * Makes sure that the account has the date field that a date picker narrows. Other cells ignore a picker without it.
 * @throws cell_failed naming the field
 */
export function requireDateField(chart: CellChart, fields: readonly KnownField[]): void {
  const field = dateFieldOf(chart)
  if (chart.type !== 'DatePicker' || isDateType(typeOf(field, fields))) return
  throw new AppError('cell_failed', undefined, `This account has no date field "${field}".`)
}
