import type { Stages } from './filter.ts'
import { filterLimits } from './filter-limits.ts'
import type { PipelineStage } from './filter-stages.ts'

/** Whether one of the stages has this operator. */
export function hasStage(stages: Stages, name: PipelineStage): boolean {
  return stages.some((stage) => Object.hasOwn(stage, name))
}

/** A filter that is one condition, as in `{status: 'waiting'}`. */
export function matching(condition: Record<string, unknown>): Stages {
  return [{ $match: condition }]
}

/** Whether a condition of the stages is a full-text search. A value or field that is merely called `$text` is none. */
export function usesFullText(stages: Stages): boolean {
  return stages.some((stage) => searchesText(stage['$match'], 0))
}

const branches = ['$and', '$or', '$nor']

function searchesText(condition: unknown, depth: number): boolean {
  // A condition that is nested deeper is refused where it is compiled.
  if (typeof condition !== 'object' || condition === null || depth > filterLimits.depth) return false
  return Object.entries(condition).some(([name, value]) => {
    if (name === '$text') return true
    return branches.includes(name) && Array.isArray(value) && value.some((branch) => searchesText(branch, depth + 1))
  })
}
