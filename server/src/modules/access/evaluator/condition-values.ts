import { readColumnList } from '@portico/contract/column-list'
import type { Condition } from '@portico/contract/policies'
import type { RequestParts } from '#platform/http/context.ts'

// The values of a request that a condition is about, as the server reads them.

/**
 * A value of the request as it is compared; null for an element of a list that has none. `items`: the values that a text
 * lists, if it is such a list.
 */
export type Judged = { text: string; isJson: boolean; items: string[] } | null

/** The values that a condition judges. Null when the request is nested too deeply to be searched. */
export function judgedValues(condition: Condition, request: RequestParts): Judged[] | null {
  const itemsOf = condition.option === 'query' && condition.key === 'select' ? fieldsIn : emailsIn
  try {
    return valuesOf(condition, request).flatMap((value) => elementsOf(value, itemsOf))
  } catch (error) {
    // Stack overflow: no genuine request nests lists a thousand deep.
    if (error instanceof RangeError) return null
    throw error
  }
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
 * The values at a dotted path, in every element of the lists along it, and within JSON that is a text. Names may contain
 * dots themselves. Their letter case is ignored, as it is in names of fields and headers.
 */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (path.length === 0) return [value]
  if (typeof value === 'string') return valuesAt(parsedJson(value), path)
  if (Array.isArray(value)) return [value.map((element) => valuesAt(element, path))]
  if (!isRecord(value)) return []
  const entries = Object.entries(value)
  const found = path.flatMap((_, index) => {
    const name = path
      .slice(0, index + 1)
      .join('.')
      .toLowerCase()
    const named = entries.filter(([key]) => key.toLowerCase() === name)
    return named.flatMap(([, inner]) => valuesAt(inner, path.slice(index + 1)))
  })
  return found.filter((each) => each !== null && each !== undefined)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The values to compare: each element of a list, the JSON of an object, none for null. */
function elementsOf(value: unknown, itemsOf: (text: string) => string[]): Judged[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) {
    return value.flatMap((element) => {
      const within = elementsOf(element, itemsOf)
      return within.length > 0 ? within : [null]
    })
  }
  if (typeof value === 'object') return [{ text: toJson(value), isJson: true, items: [] }]
  if (typeof value !== 'string') return [{ text: toJson(value), isJson: false, items: [] }]
  const json = canonicalJson(value)
  return [{ text: json ?? value, isJson: json !== null, items: json === null ? itemsOf(value) : [] }]
}

/** The fields that a `select` names. One with an open quote is refused where it is read. */
const fieldsIn = (text: string): string[] => readColumnList(text) ?? []

/** The emails of a comma-separated list; none for any other text. */
function emailsIn(text: string): string[] {
  if (!text.includes('@') || !text.includes(',')) return []
  const items = text.split(',').map((item) => item.trim())
  return items.every((item) => /^[^\s@]+@[^\s@]+$/.test(item)) ? items : []
}

/**
 * JSON in the one way that `JSON.stringify` writes it, since the server acts on what it means: without spaces and escapes
 * that are not needed, also in texts that hold JSON themselves.
 */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? (canonicalJson(inner) ?? inner) : inner))

/** A text of JSON as `toJson` writes it; null for a text that is not the JSON of an object or a list. */
export function canonicalJson(text: string): string | null {
  const value = parsedJson(text)
  return value === undefined ? null : toJson(value)
}

/** Undefined for a text that is not the JSON of an object or a list. */
function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
