import { parseCondition, writeCondition } from '@portico/domain/pipeline/condition-json'
import { type Condition, isObject, type StageKind } from '@portico/domain/pipeline/pipeline'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { flatten } from '@portico/domain/pipeline/terms'

// An upper bound on the contacts that stages let through, as far as a condition can tell without knowing the fields.

/** Stages that neither add rows nor give a field another meaning. */
const narrowing: StageKind[] = ['match', 'sort', 'skip', 'limit', 'unwind']

/**
 * Whether every row of the stages meets each of the conditions that `wanted` gives as JSON, such as `"City":"Paris"`.
 * They must be among the conditions that the leading stages join by `and`: within `$or`, `$nor` or a text they restrict
 * nothing. False if `wanted` gives no condition.
 */
export function requiresAll(stages: readonly unknown[], wanted: string): boolean {
  const named = conditionsNamed(wanted)
  if (named.length === 0) return false
  const required = new Set(requiredConditions(stages))
  return named.every((condition) => required.has(condition))
}

function requiredConditions(stages: readonly unknown[]): string[] {
  const pipeline = parsePipeline(stages.map((stage) => (isObject(stage) ? stage : {})))
  const end = pipeline.findIndex(({ kind }) => !narrowing.includes(kind))
  const leading = end === -1 ? pipeline : pipeline.slice(0, end)
  return leading.flatMap((stage) => (stage.kind === 'match' ? joinedConditions(stage.condition) : []))
}

/** The conditions that a condition joins by `and`, each as JSON in lower case. */
const joinedConditions = (condition: Condition): string[] =>
  flatten(condition).flatMap((term) =>
    term.kind === 'field' || term.kind === 'event' ? [JSON.stringify(writeCondition([term])).toLowerCase()] : [],
  )

/** Reads `"City":"Paris"`, the same as an object, or the stages themselves. */
function conditionsNamed(wanted: string): string[] {
  for (const text of [wanted, `{${wanted}}`]) {
    const read = readJson(text)
    if (Array.isArray(read)) return requiredConditions(read)
    if (!isObject(read)) continue
    const [stage] = parsePipeline([read])
    return joinedConditions((stage?.kind === 'match' ? stage.condition : parseCondition(read)) ?? [])
  }
  return []
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
