import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import type { Stages } from '@portico/contract/filter'

/** How the number of a tile is computed of the contacts. */
export const figures = {
  count: 'Number of contacts',
  sum: 'Sum',
  avg: 'Average',
  min: 'Smallest',
  max: 'Largest',
} as const
export type Figure = { operator: keyof typeof figures; field: string | null }

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The figure of stages, and the stages that select the contacts. */
export function readFigure(stages: Stages): { figure: Figure; which: Stages } {
  const at = stages.findIndex((stage) => Object.hasOwn(stage, '$group'))
  const group = stages[at]?.['$group']
  if (!isObject(group)) return { figure: { operator: 'count', field: null }, which: stages }
  const accumulator = Object.entries(group).find(([name]) => name !== '_id')?.[1]
  const [entry] = isObject(accumulator) ? Object.entries(accumulator) : []
  const operator = entry?.[0].slice(1) ?? 'count'
  const isKnown = Object.hasOwn(figures, operator) && typeof entry?.[1] === 'string'
  return {
    figure: isKnown
      ? { operator: operator as Figure['operator'], field: String(entry?.[1]).slice(1) }
      : { operator: 'count', field: null },
    which: stages.slice(0, at),
  }
}

/** The stages of a tile: the contacts are counted where no figure is computed of them. */
export function withFigure(which: Stages, { operator, field }: Figure): Stages {
  if (operator === 'count' || field === null) return which
  return [...which, { $group: { _id: null, value: { [`$${operator}`]: `$${field}` } } }]
}

/** The tile with another template. Only the ratio has a divisor, which is all contacts at first. */
export function withTemplate({ options, filter2 = { standard: [] } }: CellChart, template: string): Partial<CellChart> {
  return { options: { ...options, template }, filter2: template === ratioTemplate ? filter2 : undefined }
}
