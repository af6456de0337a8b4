import { isDateType } from '@portico/domain/field-types'
import { foldName } from '@portico/domain/names'
import { type Grouping, type KnownField, readGrouping, typeOf } from '@portico/domain/pipeline/grouping'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { CellChart, CellFilter } from './cell-chart.ts'
import { isChartKind, kpiTemplateOf } from './cell-kinds.ts'
import { type Day, type DayRange, isPreset, rangeOf } from '@portico/domain/days'
import type { DashboardCell, Definition } from './definition.ts'
import type { ChosenRange, Interaction } from './interaction.ts'
import type { DatedType, OffsetWindow } from '@portico/domain/scheduler/window-condition'

// The cells of a dashboard, as its definition describes them. Apart from how they narrow each other, which the browser
// loads with the menus that need it.

/** Everything that narrowing depends on, besides the cell. `today` is the account's day. */
export type Surroundings = {
  definition: Definition
  interaction: Interaction
  fields: readonly KnownField[]
  today: Day
  /** Of a report: the days that are chosen in every date picker. Where there is none, they narrow the dates of events. */
  window?: OffsetWindow | undefined
}

/** The date that pickers narrow unless they name another. */
export const defaultDateField = 'events.event_date'

/** Reads the stages of a cell's filter, as it is stored. */
export function parseFilter({ predefined, standard }: CellFilter): Pipeline {
  const own = parsePipeline(standard)
  return predefined === undefined ? own : [{ kind: 'saved', id: predefined }, ...own]
}

export const cellsOf = ({ layout }: Definition): DashboardCell[] => layout.flat()

/** The chart of a cell; undefined for an empty cell, or one that the dashboard does not have. */
export function chartOf(definition: Definition, id: string): CellChart | undefined {
  return cellsOf(definition).find((cell) => cell.id === id)?.chart
}

/** The grouping of a cell; null where its keys are computed, so that no filter can say what a row is. */
export const groupingOfChart = ({ filter }: CellChart, fields: readonly KnownField[]): Grouping | null =>
  filter ? readGrouping(parseFilter(filter), fields) : null

/** Whether clicks narrow a cell: neither dropdowns nor cells that ignore clicks. */
export const takesClicks = (chart: CellChart | undefined): boolean =>
  chart !== undefined && chart.type !== 'Dropdown' && chart.portico?.ignoresClicks !== true

/** Whether clicks in a cell of this kind narrow the others. */
export const isClickable = ({ type }: CellChart): boolean =>
  isChartKind(type) || type === 'Table' || type === 'CalculatedTable' || type === 'Pivot'

export const dateFieldOf = ({ portico }: CellChart): string => portico?.dateField ?? defaultDateField

/** The date pickers of a dashboard whose date field exists. One without it reports that itself; the other cells work. */
export const workingPickers = ({ definition, fields }: Pick<Surroundings, 'definition' | 'fields'>) =>
  cellsOf(definition).flatMap(({ id, chart }) =>
    chart?.type === 'DatePicker' && isDateType(typeOf(dateFieldOf(chart), fields)) ? [{ id, chart }] : [],
  )

/** The dates that the window of a report applies to: those of all date pickers, or of events where there is none. */
export function windowedDates(
  around: Pick<Surroundings, 'definition' | 'fields'>,
): { field: string; type: DatedType }[] {
  const named = workingPickers(around).map(({ chart }) => dateFieldOf(chart))
  const byName = new Map((named.length > 0 ? named : [defaultDateField]).map((name) => [foldName(name), name]))
  return [...byName.values()].map((field) => ({
    field,
    type: typeOf(field, around.fields) === 'day' ? 'day' : 'date',
  }))
}

/** Whether a tile has a date picker of its own. */
export const hasOwnRange = (chart: CellChart): boolean =>
  chart.type === 'KPI' && kpiTemplateOf(chart) === 'internal-date-range'

/** The initial days: those of the preset, else the last 30. */
export function initialDays({ defaultId }: CellChart, today: Day): DayRange {
  return rangeOf(defaultId !== undefined && isPreset(defaultId) ? defaultId : '29', today)
}

export function daysOfRange(range: ChosenRange, today: Day): DayRange {
  if ('from' in range) return { from: range.from, to: range.to }
  return isPreset(range.preset) ? rangeOf(range.preset, today) : rangeOf('29', today)
}
