import { dashboardLimits } from './dashboard-limits.ts'
import { allTime, isDay, isPreset } from '@portico/domain/days'
import type { GroupValue, Interaction } from './interaction.ts'

// Separate from the schema of an interaction, which viewers do not load.

export const noInteraction: Interaction = { clicks: [], choices: [], ranges: [] }

/** Reads an interaction like its schema; null if it is invalid. */
export function readInteraction(value: unknown): Interaction | null {
  if (!hasOnly(value, ['clicks', 'choices', 'ranges'])) return null
  const { clicks = [], choices = [], ranges = [] } = value
  const most = dashboardLimits.cells
  if (!isList(clicks, isClick, most) || !isList(choices, isChoice, most) || !isList(ranges, isRange, most)) return null
  return {
    clicks,
    choices: choices.map(({ cell, include = [], exclude = [] }) => ({ cell, include, exclude })),
    ranges,
  }
}

type Click = Interaction['clicks'][number]
type Choice = Pick<Interaction['choices'][number], 'cell'> & Partial<Interaction['choices'][number]>
type Range = Interaction['ranges'][number]

const hasOnly = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).every((name) => names.includes(name))

const isList = <T>(value: unknown, isOne: (each: unknown) => each is T, most: number, least = 0): value is T[] =>
  Array.isArray(value) && value.length >= least && value.length <= most && value.every(isOne)

const isCell = (value: unknown): boolean => typeof value === 'string' && value.length <= 50

const isValue = (value: unknown): value is GroupValue =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && value.length <= 100_000)

const isKeys = (value: unknown): value is GroupValue[] => isList(value, isValue, 2, 1)

const isClick = (value: unknown): value is Click =>
  hasOnly(value, ['cell', 'keys']) && isCell(value['cell']) && isList(value['keys'], isKeys, dashboardLimits.groups, 1)

function isChoice(value: unknown): value is Choice {
  if (!hasOnly(value, ['cell', 'include', 'exclude']) || !isCell(value['cell'])) return false
  const isValues = (list: unknown): boolean => list === undefined || isList(list, isValue, dashboardLimits.chosenValues)
  return isValues(value['include']) && isValues(value['exclude'])
}

function isRange(value: unknown): value is Range {
  if (!hasOnly(value, ['cell', 'preset', 'from', 'to']) || !isCell(value['cell'])) return false
  const { preset, from, to } = value
  if (Object.keys(value).length === 2) return preset === allTime || (typeof preset === 'string' && isPreset(preset))
  const isOne = (day: unknown): boolean => typeof day === 'string' && isDay(day)
  return Object.keys(value).length === 3 && isOne(from) && isOne(to)
}
