import { isDateType } from '@portico/domain/field-types'
import { foldName } from '@portico/domain/names'
import { type Grouping, type KnownField, readGrouping, typeOf } from '@portico/domain/pipeline/grouping'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { CellChart, CellFilter } from './cell-chart.ts'
import { isChartKind, kpiTemplateOf } from './cell-kinds.ts'
import { allTime, type Day, type DayRange, isPreset, rangeOf } from '@portico/domain/days'
import { defaultDateField } from './date-field.ts'
import type { DashboardCell, Definition } from './definition.ts'
import type { ChosenRange, Interaction } from './interaction.ts'
import type { DatedType, OffsetWindow } from '@portico/domain/scheduler/window-condition'

// The cells of a dashboard, as its definition describes them. How they narrow each other is separate, as the browser
// loads it with the menus that need it.

/** Everything that narrowing depends on, in addition to the cell. `today` is the account's day. */
export type Surroundings = {
  definition: Definition
  interaction: Interaction
  fields: readonly KnownField[]
  today: Day
  /**
   * For a report: the days that are selected in every date picker. Without pickers, they narrow the dates of events.
   */
  window?: OffsetWindow | undefined
}

/** Reads the stages of a cell's filter as stored. */
export function parseFilter({ predefined, standard }: CellFilter): Pipeline {
  const own = parsePipeline(standard)
  return predefined === undefined ? own : [{ kind: 'saved', id: predefined }, ...own]
}

export const cellsOf = ({ layout }: Definition): DashboardCell[] => layout.flat()

/** Returns the chart of a cell; undefined for an empty cell, or one that is not in the dashboard. */
export function chartOf(definition: Definition, id: string): CellChart | undefined {
  return cellsOf(definition).find((cell) => cell.id === id)?.chart
}

/** Returns the grouping of a cell, with the formats of its fields and its own; null if its keys are computed, as no filter can then describe a row. */
export function groupingOfChart({ filter, portico }: CellChart, fields: readonly KnownField[]): Grouping | null {
  const grouping = filter ? readGrouping(parseFilter(filter), fields) : null
  const formats = portico?.formats
  if (!grouping || !formats) return grouping
  const keys = grouping.keys.map((key) => (formats[key.name] ? { ...key, format: formats[key.name] } : key))
  return { ...grouping, keys, formats: { ...grouping.formats, ...formats } }
}

/** Returns whether clicks narrow a cell: not dropdowns, and not cells that ignore clicks. */
export const takesClicks = (chart: CellChart | undefined): boolean =>
  chart !== undefined && chart.type !== 'Dropdown' && chart.portico?.ignoresClicks !== true

/** Returns whether clicks in a cell of this kind narrow the others. */
export const isClickable = ({ type }: CellChart): boolean =>
  isChartKind(type) || type === 'Table' || type === 'CalculatedTable' || type === 'Pivot'

export const dateFieldOf = ({ portico }: CellChart): string => portico?.dateField ?? defaultDateField

/** Returns the date pickers whose date field exists. One without it reports that itself, and the other cells work. */
export const workingPickers = ({ definition, fields }: Pick<Surroundings, 'definition' | 'fields'>) =>
  cellsOf(definition).flatMap(({ id, chart }) =>
    chart?.type === 'DatePicker' && isDateType(typeOf(dateFieldOf(chart), fields)) ? [{ id, chart }] : [],
  )

/** Returns whether a date picker narrows a cell: all cells with contacts, unless its author has chosen some. */
export const isNarrowedBy = ({ portico }: CellChart, target: string): boolean =>
  portico?.narrows?.includes(target) ?? true

/**
 * Returns the dates that the window of a report applies to: those of all date pickers, or of events if there are none.
 * `target`: only those of a cell.
 */
export function windowedDates(
  around: Pick<Surroundings, 'definition' | 'fields'>,
  target?: string,
): { field: string; type: DatedType }[] {
  const pickers = workingPickers(around)
  const named = pickers
    .filter(({ chart }) => target === undefined || isNarrowedBy(chart, target))
    .map(({ chart }) => dateFieldOf(chart))
  const byName = new Map((pickers.length > 0 ? named : [defaultDateField]).map((name) => [foldName(name), name]))
  return [...byName.values()].map((field) => ({
    field,
    type: typeOf(field, around.fields) === 'day' ? 'day' : 'date',
  }))
}

/** Returns whether a tile has its own date picker. */
export const hasOwnRange = (chart: CellChart): boolean =>
  chart.type === 'KPI' && kpiTemplateOf(chart) === 'internal-date-range'

/** Returns the initial days: those of the preset, otherwise the last 30; null for all time. */
export function initialDays({ defaultId }: CellChart, today: Day): DayRange | null {
  if (defaultId === allTime) return null
  return rangeOf(defaultId !== undefined && isPreset(defaultId) ? defaultId : '29', today)
}

/** Returns the days of a choice; null for all time. */
export function daysOfRange(range: ChosenRange, today: Day): DayRange | null {
  if ('from' in range) return { from: range.from, to: range.to }
  if (range.preset === allTime) return null
  return isPreset(range.preset) ? rangeOf(range.preset, today) : rangeOf('29', today)
}
