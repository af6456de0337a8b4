import { foldName } from '@portico/domain/names'
import { alternatives } from '@portico/domain/pipeline/alternatives'
import { applyNarrowing, eventsToContacts, type Narrowing } from '@portico/domain/pipeline/apply-narrowing'
import { type Grouping, selectsContacts } from '@portico/domain/pipeline/grouping'
import type { Pipeline, Term } from '@portico/domain/pipeline/pipeline'
import type { GroupRow, Selection } from '@portico/domain/pipeline/selection'
import { all, isSameField } from '@portico/domain/pipeline/terms'
import type { CellChart } from './cell-chart.ts'
import {
  chartOf,
  dateFieldOf,
  daysOfRange,
  groupingOfChart,
  hasOwnRange,
  initialDays,
  isClickable,
  isNarrowedBy,
  type Surroundings,
  takesClicks,
  windowedDates,
  workingPickers,
} from './dashboard-cells.ts'
import { type Day, type DayRange, periodBefore } from '@portico/domain/days'
import { windowCondition } from '@portico/domain/scheduler/window-condition'
import type { ChosenRange, GroupValue } from './interaction.ts'

// How a selection in one cell narrows the others, as pure functions: the server computes results with them, and the
// browser opens the contacts behind a number with the same stages (docs/dashboards.md).

/**
 * Returns the stages of a cell, narrowed by the selections in other cells. `stages` are those of its filter or its
 * second filter, with saved filters resolved if they unwind or group events.
 */
export function narrow(target: string, stages: Pipeline, around: Surroundings): Pipeline {
  return applyNarrowing(stages, narrowingOf(target, around))
}

/** The same for the preceding period of the same length; null for a cell without a range. */
export function narrowToPeriodBefore(target: string, stages: Pipeline, around: Surroundings): Pipeline | null {
  const { selections, ranges } = narrowingOf(target, around)
  const chart = chartOf(around.definition, target)
  const own = chart && rangeShown(chart, ranges)
  if (!own) return null
  const others = ranges.filter((range) => range !== own)
  return applyNarrowing(stages, { selections, ranges: [...others, { field: own.field, days: periodBefore(own.days) }] })
}

/** Returns the days that a cell shows for its date field, from the date pickers or its own; null without a range. */
export function daysShown(target: string, around: Surroundings): DayRange | null {
  const chart = chartOf(around.definition, target)
  return (chart && rangeShown(chart, narrowingOf(target, around).ranges)?.days) ?? null
}

/** Returns the ranges of date pickers that narrow a cell, by field, but not those that a tile chooses itself. */
export function rangesShown(target: string, around: Surroundings): Narrowing['ranges'] {
  const chart = chartOf(around.definition, target)
  if (!chart) return []
  const own = hasOwnRange(chart) ? dateFieldOf(chart) : null
  return narrowingOf(target, around).ranges.filter(({ field }) => own === null || !isSameField(field, own))
}

/** Returns the range that a cell compares with the previous period: that of its date, or of the picker changed last. */
function rangeShown(chart: CellChart, ranges: Narrowing['ranges']): Narrowing['ranges'][number] | undefined {
  const isNamed = chart.portico?.dateField !== undefined || hasOwnRange(chart)
  return isNamed ? ranges.find((range) => isSameField(range.field, dateFieldOf(chart))) : ranges.at(-1)
}

/** Returns stages that find the contacts behind the rows; null if the stages before the grouping compute values. */
export function contactsOf(stages: Pipeline): Pipeline | null {
  const at = stages.findIndex(({ kind }) => kind === 'group')
  const before = at === -1 ? stages : stages.slice(0, at)
  return selectsContacts(before) ? eventsToContacts(before) : null
}

function narrowingOf(target: string, around: Surroundings): Narrowing {
  const chart = chartOf(around.definition, target)
  if (!chart) return { selections: [], ranges: [] }
  return {
    selections: [...clicked(target, chart, around), ...chosen(target, around)],
    ranges: rangesOf(target, chart, around),
  }
}

function clicked(target: string, chart: CellChart, { definition, interaction, fields }: Surroundings): Selection[][] {
  if (!takesClicks(chart)) return []
  return interaction.clicks.flatMap(({ cell, keys }) => {
    const source = cell === target ? undefined : chartOf(definition, cell)
    const grouping = source && isClickable(source) ? groupingOfChart(source, fields) : null
    return grouping && grouping.keys.length > 0 ? [alternatives(grouping, keys)] : []
  })
}

function chosen(target: string, { definition, interaction, fields }: Surroundings): Selection[][] {
  return interaction.choices.flatMap(({ cell, include, exclude }) => {
    const source = cell === target ? undefined : chartOf(definition, cell)
    const grouping = source?.type === 'Dropdown' ? groupingOfChart(source, fields) : null
    const [key] = grouping?.keys ?? []
    if (!grouping || !key) return []
    const first: Grouping = { ...grouping, keys: [key] }
    return [
      ...(include.length > 0 ? [alternatives(first, oneKey(include))] : []),
      ...(exclude.length > 0 ? [[excluded(alternatives(first, oneKey(exclude)))]] : []),
    ]
  })
}

const oneKey = (values: readonly GroupValue[]): GroupRow[] => values.map((value) => [value])

function excluded(selections: readonly Selection[]): Selection {
  const none = (terms: Term[][]): Term[] =>
    terms.some(({ length }) => length > 0) ? [{ kind: 'nor', of: terms.map((each) => [all(each)]) }] : []
  return {
    contacts: none(selections.map(({ contacts }) => contacts)),
    events: none(selections.map(({ events }) => events)),
  }
}

/** Returns the ranges that apply to a cell, one per field: those of date pickers, but its own take precedence. */
function rangesOf(target: string, chart: CellChart, around: Surroundings): Narrowing['ranges'] {
  const { interaction, today, window } = around
  const pickers = workingPickers(around).filter((picker) => isNarrowedBy(picker.chart, target))
  if (window) {
    // A viewer cannot remove a cell's fixed dates, unless the dashboard offers others.
    const keepsOwn = workingPickers(around).length === 0
    return windowedDates(around, target).map(({ field, type }) => ({
      field,
      days: window,
      condition: windowCondition(window, type),
      keepsOwn,
    }))
  }
  const initial = pickers
    .filter(({ id }) => !interaction.ranges.some(({ cell }) => cell === id))
    .flatMap((picker) => {
      const days = initialDays(picker.chart, today)
      return days ? [{ chart: picker.chart, days }] : []
    })
  const changed = interaction.ranges.flatMap((range) => {
    const picker = pickers.find(({ id }) => id === range.cell)
    return picker ? [{ chart: picker.chart, days: daysOfRange(range, today) }] : []
  })
  const own = ownDays(target, chart, interaction.ranges, today)
  const byField = new Map<string, { field: string; days: DayRange }>()
  for (const { chart: picker, days } of [...initial, ...changed, ...(own ? [{ chart, days: own }] : [])]) {
    const field = dateFieldOf(picker)
    // Deleted first, which moves the range changed last to the end.
    byField.delete(foldName(field))
    if (days) byField.set(foldName(field), { field, days })
  }
  return [...byField.values()]
}

function ownDays(target: string, chart: CellChart, ranges: readonly ChosenRange[], today: Day): DayRange | null {
  if (!hasOwnRange(chart)) return null
  const range = ranges.findLast(({ cell }) => cell === target)
  return range ? daysOfRange(range, today) : initialDays(chart, today)
}
