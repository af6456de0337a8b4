import type { Condition } from '@portico/contract/policies'
import { isSameName } from '@portico/domain/names'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { ReadText } from '@portico/contract/read-text'
import type { RequestParts } from '#platform/http/context.ts'

// The values of a request that a condition judges, as the contract parsed them. Nothing is guessed here.

/**
 * A value of the request in the form in which it is compared; null for an element of a list that has no value. `items`:
 * the values, if the text is a list of them. `stages`: the stages of the filter language that the value is or contains;
 * if it is a list of stages, those.
 */
export type Judged = {
  text: string
  isJson: boolean
  items: readonly string[]
  stages?: { own: readonly unknown[] }
} | null

/** The values that a condition judges. Null when the request is nested too deeply to be searched. */
export function judgedValues(condition: Condition, request: RequestParts): Judged[] | null {
  try {
    return valuesOf(condition, request).flatMap(elementsOf)
  } catch (error) {
    // Stack overflow: no genuine request nests lists a thousand deep.
    if (error instanceof RangeError) return null
    throw error
  }
}

/**
 * The fields whose values the stages of a request put into its rows, for a condition about the columns that the request
 * returns: a stage can give any field another name, such as `{"$group":{"_id":{"City":"$Salary"}}}`.
 */
export function fieldsGivenOut(condition: Condition, request: RequestParts): NonNullable<Judged>[] {
  const [names, ...more] = condition.key.split('.').toReversed()
  const columns = stagesOfColumns.find(({ option, key }) => option === condition.option && isSameName(key, names ?? ''))
  if (!columns) return []
  const key = [columns.stages, ...more].toReversed().join('.')
  const stages = valuesOf({ ...condition, key }, request).flatMap((value) => stagesIn(value))
  return [...new Set(stages.flatMap(fieldsRead))].map((text) => ({ text, isJson: false, items: [] }))
}

/** Where a request names columns, and the stages that produce them. */
const stagesOfColumns = [
  { option: 'body', key: 'exportFields', stages: 'aggregateQuery' },
  { option: 'query', key: 'select', stages: 'find' },
] as const

function stagesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(stagesIn)
  return value instanceof ReadText && value.kind === 'stages' && Array.isArray(value.value) ? value.value : []
}

/**
 * A condition chooses rows and returns no values. Neither does `$unwind`, which names the events. A value of a group with a
 * condition of its own says which rows meet it.
 */
function fieldsRead(stage: unknown): string[] {
  if (!isRecord(stage)) return []
  const [parsed] = parsePipeline([stage])
  if (parsed?.kind === 'match' || parsed?.kind === 'unwind') return []
  return [...Object.values(stage).flatMap(paths), ...Object.values(stage).flatMap(conditionalFields)]
}

/** The fields of conditions of values, and of what no compiler accepts in their place. */
function conditionalFields(value: unknown): string[] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$cond' && isRecord(inner) ? keysIn(inner['if']) : conditionalFields(inner),
  )
}

const keysIn = (value: unknown): string[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...keysIn(inner)])
    : []

/** The names after `$`, as the compiler reads them (`filter-expression.ts`): a name may itself begin with `$`. */
function paths(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('$') ? [value.slice(1)] : []
  return isRecord(value) ? Object.values(value).flatMap(paths) : []
}

// Two names for the stages that choose what a request reads, so a condition on either judges both.
const stageNames = ['find', 'aggregate']
// Requests name it in the query or in the body, so a condition on either judges both.
const inBoth = 'consumerCode'

function valuesOf({ option, key }: Condition, { params, query, body }: RequestParts): unknown[] {
  const isInBoth = key === inBoth
  switch (option) {
    case 'param':
      return /^\d+$/.test(key) ? Object.values(params ?? {}).slice(Number(key), Number(key) + 1) : []
    case 'query':
      return [...queryValues(query, key), ...(isInBoth ? valuesAt(body, [key]) : [])]
    case 'body':
      return [...valuesAt(body, key.split('.')), ...(isInBoth ? queryValues(query, key) : [])]
  }
}

function queryValues(query: unknown, key: string): unknown[] {
  const names = stageNames.includes(key) ? stageNames : [key]
  return names.flatMap((name) => (isRecord(query) && Object.hasOwn(query, name) ? [query[name]] : []))
}

/**
 * The values at a dotted path, in every element of the lists along it, and within JSON stored as text. Names may
 * themselves contain dots. Their letter case is ignored, as in names of fields and headers.
 */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (path.length === 0) return [value]
  if (value instanceof ReadText) return valuesIn(value, path)
  // An empty list is not a value of its own when the same name in another letter case has a value.
  if (Array.isArray(value)) return [value.map((element) => valuesAt(element, path).filter(isNoEmptyList))]
  if (!isRecord(value)) return []
  const entries = Object.entries(value)
  const found = path.flatMap((_, index) => {
    const name = path.slice(0, index + 1).join('.')
    const named = entries.filter(([key]) => isSameName(key, name))
    return named.flatMap(([, inner]) => valuesAt(inner, path.slice(index + 1)))
  })
  return found.filter((each) => each !== null && each !== undefined)
}

/** Within stages, an object is a part of stages too. */
function valuesIn({ kind, value }: ReadText, path: readonly string[]): unknown[] {
  if (kind === 'list') return []
  const found = valuesAt(value, path)
  return kind === 'stages' ? found.map(asStages) : found
}

function asStages(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asStages)
  return isRecord(value) ? ReadText.stages(value) : value
}

const isNoEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length > 0

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The values to compare: each element of a list, the JSON of an object, or none for null. */
function elementsOf(value: unknown): Judged[] {
  if (value === null || value === undefined) return []
  if (value instanceof ReadText) return [judgedText(value)]
  if (Array.isArray(value)) {
    return value.flatMap((element) => {
      const within = elementsOf(element)
      return within.length > 0 ? within : [null]
    })
  }
  if (typeof value !== 'object') return [{ text: textOf(value), isJson: false, items: [] }]
  return [{ text: toJson(value), isJson: true, items: [], ...(containsStages(value) && { stages: { own: [] } }) }]
}

function judgedText({ kind, value, text }: ReadText): NonNullable<Judged> {
  // Only `ReadText.list` produces this kind.
  if (kind === 'list') return { text, isJson: false, items: value as string[] }
  const judged = { text: toJson(value), isJson: true, items: [] }
  if (kind === 'stages') return { ...judged, stages: { own: Array.isArray(value) ? value : [] } }
  return containsStages(value) ? { ...judged, stages: { own: [] } } : judged
}

function containsStages(value: unknown): boolean {
  if (value instanceof ReadText) return value.kind === 'stages' || containsStages(value.value)
  return isRecord(value) && Object.values(value).some(containsStages)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** JSON without unnecessary spaces and escapes, also within texts that are JSON themselves. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (!(inner instanceof ReadText)) return inner
    return inner.kind === 'list' ? inner.text : inner.value
  })
}
