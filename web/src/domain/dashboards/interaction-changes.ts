import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { hasOwnRange, isNarrowedBy } from '@portico/contract/dashboards/dashboard-cells'
import type { Definition } from '@portico/contract/dashboards/definition'
import type { ChosenRange, GroupValue, Interaction } from '@portico/contract/dashboards/interaction'

type Keys = readonly GroupValue[]

const isSameKeys = (one: Keys, other: Keys): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Groups clicked in a cell. Another group of the same cell replaces the first, and the same one again resets;
 * `isAdding` adds to the chosen groups, or removes one of them.
 */
export function withClick(
  interaction: Interaction,
  cell: string,
  keys: readonly Keys[],
  { isAdding = false }: { isAdding?: boolean } = {},
): Interaction {
  const others = interaction.clicks.filter((click) => click.cell !== cell)
  const before: readonly Keys[] = interaction.clicks.find((click) => click.cell === cell)?.keys ?? []
  const isAgain = keys.every((each) => before.some((known) => isSameKeys(known, each)))
  const next = isAdding
    ? isAgain
      ? before.filter((known) => !keys.some((each) => isSameKeys(known, each)))
      : [...before, ...keys.filter((each) => !before.some((known) => isSameKeys(known, each)))]
    : isAgain && before.length === keys.length
      ? []
      : keys
  return {
    ...interaction,
    clicks: next.length === 0 ? others : [...others, { cell, keys: next.map((each) => [...each]) }],
  }
}

/** Values chosen in a dropdown; an empty list resets it. */
export function withChoice(
  interaction: Interaction,
  cell: string,
  { include, exclude }: { include: readonly GroupValue[]; exclude: readonly GroupValue[] },
): Interaction {
  const others = interaction.choices.filter((choice) => choice.cell !== cell)
  const isNone = include.length === 0 && exclude.length === 0
  return {
    ...interaction,
    choices: isNone ? others : [...others, { cell, include: [...include], exclude: [...exclude] }],
  }
}

/** Days chosen in a date picker, as the last change; null returns to its preset. */
export function withRange(interaction: Interaction, cell: string, range: ChosenRange | null): Interaction {
  const others = interaction.ranges.filter((each) => each.cell !== cell)
  return { ...interaction, ranges: range ? [...others, range] : others }
}

/** The interaction without the choices of one cell. */
export function withoutCell(interaction: Interaction, cell: string): Interaction {
  const isOther = (each: { cell: string }): boolean => each.cell !== cell
  return {
    clicks: interaction.clicks.filter(isOther),
    choices: interaction.choices.filter(isOther),
    ranges: interaction.ranges.filter(isOther),
  }
}

export const isUntouched = ({ clicks, choices, ranges }: Interaction): boolean =>
  clicks.length === 0 && choices.length === 0 && ranges.length === 0

/** Whether a date picker narrows what a cell shows, so that the cell says to which days. */
export const isDated = ({ layout }: Definition, cell: string, { type }: CellChart): boolean =>
  type !== 'DatePicker' &&
  type !== 'Dropdown' &&
  type !== 'Text' &&
  layout.flat().some(({ chart }) => chart?.type === 'DatePicker' && isNarrowedBy(chart, cell))

/** Whether something narrows the cells: a choice of the viewer, or the first days of a date picker. */
export const isNarrowed = ({ layout }: Definition, interaction: Interaction): boolean =>
  !isUntouched(interaction) || layout.flat().some(({ chart }) => chart?.type === 'DatePicker')

/** The choices that narrow one cell: all but its own. The cell is read again only if one of them changes. */
export function interactionOfCell(interaction: Interaction, cell: string, chart: CellChart): Interaction {
  const isOther = (each: { cell: string }): boolean => each.cell !== cell
  const ignoresClicks = chart.type === 'Dropdown' || chart.portico?.ignoresClicks === true
  return {
    clicks: ignoresClicks ? [] : interaction.clicks.filter(isOther),
    choices: interaction.choices.filter(isOther),
    ranges: hasOwnRange(chart) ? interaction.ranges : interaction.ranges.filter(isOther),
  }
}
