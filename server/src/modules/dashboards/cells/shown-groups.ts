import { applyNarrowing } from '@portico/domain/pipeline/apply-narrowing'
import { alternatives } from '@portico/domain/pipeline/alternatives'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { allTime, earliestDay } from '@portico/domain/days'
import type { GroupRow } from '@portico/domain/pipeline/selection'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { ChosenRange, GroupValue, Interaction } from '@portico/contract/dashboards/interaction'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import {
  cellsOf,
  chartOf,
  groupingOfChart,
  isClickable,
  type Surroundings,
  takesClicks,
} from '@portico/contract/dashboards/dashboard-cells'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { AppError } from '#platform/app-error.ts'

/**
 * Groups clicked in one chart, or values chosen in one dropdown, by the values of their keys. `adopt` adds them to a
 * choice.
 */
type Chosen = {
  cell: string
  chart: CellChart
  grouping: Grouping
  groups: GroupRow[]
  adopt: (to: Interaction) => Interaction
}

/**
 * Rows that a cell shows once `interaction` is chosen. `among`: the values of a dropdown to look for, and its stages
 * with only their contacts. `isWhole`: the rows are all of its groups.
 */
export type ReadShown = (
  cell: string,
  interaction: Interaction,
  among?: { values: GroupValue[]; narrowed: (stages: Pipeline) => Pipeline },
) => Promise<{ rows: readonly Record<string, unknown>[]; isWhole: boolean }>

/**
 * Makes sure that a viewer without a right to contacts has chosen only groups and values that their cells show: with
 * nothing chosen, or after earlier choices in any order, on the days that are chosen now or on others. Otherwise,
 * guesses would reveal values that the cells omit.
 * @throws cell_failed naming the cell
 */
export async function requireShown(target: string, around: Surroundings, read: ReadShown): Promise<void> {
  let left = chosenFor(target, around)
  let known: Interaction = { ...noInteraction, ranges: around.interaction.ranges }
  for (;;) {
    const unknown: Chosen[] = []
    for (const chosen of left) {
      if (await isShown(chosen, known, around, read)) known = chosen.adopt(known)
      else unknown.push(chosen)
    }
    const [first] = unknown
    if (!first) return
    if (unknown.length === left.length) throw notShown(first.chart)
    left = unknown
  }
}

function notShown({ title, type }: CellChart): AppError {
  const name = title.trim() === '' ? type : title
  return new AppError(
    'cell_failed',
    undefined,
    `"${name}" does not show all that is chosen in it. Choose again, or reset.`,
  )
}

/** All choices that narrow a cell, apart from days. */
function chosenFor(target: string, { definition, interaction, fields }: Surroundings): Chosen[] {
  const takes = takesClicks(chartOf(definition, target))
  const ofCell = (cell: string): Pick<Chosen, 'cell' | 'chart' | 'grouping'>[] => {
    const chart = cell === target ? undefined : chartOf(definition, cell)
    const grouping = chart && groupingOfChart(chart, fields)
    return chart && grouping && grouping.keys.length > 0 ? [{ cell, chart, grouping }] : []
  }
  const clicks = (takes ? interaction.clicks : []).flatMap((click) =>
    ofCell(click.cell)
      .filter(({ chart }) => isClickable(chart))
      .map((source): Chosen => ({
        ...source,
        groups: click.keys,
        adopt: (to) => ({ ...to, clicks: [...to.clicks, click] }),
      })),
  )
  const choices = interaction.choices.flatMap((choice) =>
    ofCell(choice.cell)
      .filter(({ chart }) => chart.type === 'Dropdown')
      .map(({ grouping, ...source }): Chosen => ({
        ...source,
        grouping: { ...grouping, keys: grouping.keys.slice(0, 1) },
        groups: [...choice.include, ...choice.exclude].map((value) => [value]),
        adopt: (to) => ({ ...to, choices: [...to.choices, choice] }),
      })),
  )
  return [...choices, ...clicks]
}

/** Whether the cell shows all chosen groups: after `known` was chosen, initially, or on other days. */
async function isShown(chosen: Chosen, known: Interaction, around: Surroundings, read: ReadShown): Promise<boolean> {
  const atFirst = { ...noInteraction, ranges: known.ranges }
  const isFirst = known.clicks.length + known.choices.length === 0
  for (const state of isFirst ? [known] : [known, atFirst]) {
    if (includesAll(chosen, (await readGroups(chosen, state, read)).rows)) return true
  }
  const pickers = cellsOf(around.definition).flatMap(({ id, chart }) =>
    chart?.type === 'DatePicker' ? [{ id, hasAllTime: chart.portico?.allTime === true }] : [],
  )
  if (pickers.length === 0) return false
  // If a cell lists all its groups, each is listed on some days that a viewer can choose.
  const ranges = pickers.map(({ id, hasAllTime }): ChosenRange =>
    hasAllTime ? { cell: id, preset: allTime } : { cell: id, from: earliestDay, to: around.today },
  )
  const { rows, isWhole } = await readGroups(chosen, { ...noInteraction, ranges }, read)
  return isWhole && includesAll(chosen, rows)
}

async function readGroups({ cell, chart, grouping, groups }: Chosen, state: Interaction, read: ReadShown) {
  if (chart.type !== 'Dropdown') return read(cell, state)
  const values = groups.map(([value]) => value as GroupValue)
  const selection = alternatives(grouping, groups)
  return read(cell, state, {
    values,
    narrowed: (stages) => applyNarrowing(stages, { selections: [selection], ranges: [] }),
  })
}

function includesAll({ chart, grouping: { keys }, groups }: Chosen, rows: readonly Record<string, unknown>[]): boolean {
  const names = chart.type === 'Dropdown' ? ['value'] : keys.map(({ name }) => name)
  const textOf = (values: readonly unknown[]): string => JSON.stringify(names.map((_name, at) => values[at] ?? null))
  const shown = new Set(rows.map((row) => textOf(names.map((name) => row[name]))))
  return groups.every((group) => shown.has(textOf(group)))
}
