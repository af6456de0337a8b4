import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import type { Stages } from '@portico/contract/filter'
import { type Accumulator, unwindEvents } from '@portico/domain/pipeline/pipeline'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'

/** How the number of a tile is computed from the contacts. */
export const figures = {
  count: 'Number of contacts',
  events: 'Number of events',
  sum: 'Sum',
  avg: 'Average',
  min: 'Smallest',
  max: 'Largest',
} as const
/** `stored`: a value that cannot be chosen here, such as a ratio, which is kept until another one is chosen. */
export type Figure = { operator: keyof typeof figures | 'stored'; field: string | null; stored?: Accumulator }

/** The figure of stages, and the stages that select the contacts. */
export function readFigure(stages: Stages): { figure: Figure; which: Stages } {
  const pipeline = parsePipeline(stages)
  if (pipeline.at(-1)?.kind === 'unwind')
    return { figure: { operator: 'events', field: null }, which: stages.slice(0, -1) }
  const at = pipeline.findIndex(({ kind }) => kind === 'group')
  const group = pipeline[at]
  const count: Figure = { operator: 'count', field: null }
  if (group?.kind !== 'group') return { figure: count, which: stages }
  const [value] = group.values
  if (value && (value.ratio || value.where)) {
    return { figure: { operator: 'stored', field: null, stored: value }, which: stages.slice(0, at) }
  }
  const isKnown = typeof value?.operator === 'string' && Object.hasOwn(figures, value.operator)
  return {
    figure:
      isKnown && typeof value.of === 'string'
        ? { operator: value.operator as Figure['operator'], field: value.of.slice(1) }
        : count,
    which: stages.slice(0, at),
  }
}

/** Whether the figure is computed of a field. */
export const isOfField = (operator: Figure['operator']): boolean =>
  operator !== 'count' && operator !== 'events' && operator !== 'stored'

/** The stages of a tile: the contacts are counted if no figure is computed from them. */
export function withFigure(which: Stages, { operator, field, stored }: Figure): Stages {
  if (operator === 'events') return [...which, ...writePipeline([unwindEvents])]
  if (!stored && (operator === 'count' || field === null)) return which
  const value: Accumulator = stored ?? { name: 'value', operator, of: `$${field}` }
  return [...which, ...writePipeline([{ kind: 'group', keys: [], isNamed: false, values: [value] }])]
}

/** The tile with another template. Only the ratio has a divisor, which is initially all contacts. */
export function withTemplate({ options, filter2 = { standard: [] } }: CellChart, template: string): Partial<CellChart> {
  return { options: { ...options, template }, filter2: template === ratioTemplate ? filter2 : undefined }
}
