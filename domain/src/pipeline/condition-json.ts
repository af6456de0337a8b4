import { filterLimits } from '../filter-limits.ts'
import { type Condition, isObject, type Row, type Term } from './pipeline.ts'

const branches = { $and: 'and', $or: 'or', $nor: 'nor' } as const

/** Reads the condition of a `$match` or of one event; null for a value that is not an object. */
export const parseCondition = (json: unknown): Condition | null => parseNested(json, 0)

/** Conditions nested deeper than the language allows remain unread. */
function parseNested(json: unknown, depth: number): Condition | null {
  if (!isObject(json) || depth > filterLimits.depth) return null
  return Object.entries(json).map(([name, value]) => parseTerm(name, value, depth + 1))
}

function parseTerm(name: string, value: unknown, depth: number): Term {
  if (name === '$text') return { kind: 'words', of: value }
  if (name.startsWith('$')) return parseBranches(name, value, depth)
  const event = name === 'events' && isObject(value) && Object.keys(value).length === 1 ? value['$elemMatch'] : null
  const condition = parseNested(event, depth)
  return condition ? { kind: 'event', condition } : { kind: 'field', field: name, test: value }
}

function parseBranches(name: string, value: unknown, depth: number): Term {
  const kind = Object.hasOwn(branches, name) ? branches[name as keyof typeof branches] : null
  const of = kind && Array.isArray(value) ? value.map((branch) => parseNested(branch, depth)) : [null]
  const read = of.filter((condition) => condition !== null)
  return kind && read.length === of.length ? { kind, of: read } : { kind: 'unread', name, of: value }
}

/**
 * Writes what `parseCondition` has read. Terms of one name, which an object cannot hold, become the branches of an `$and`.
 */
export function writeCondition(condition: Condition): Row {
  const terms = condition.map(writeTerm)
  const names = new Set(terms.map(([name]) => name))
  return names.size === terms.length
    ? Object.fromEntries(terms)
    : { $and: terms.map((term) => Object.fromEntries([term])) }
}

function writeTerm(term: Term): [name: string, value: unknown] {
  switch (term.kind) {
    case 'and':
    case 'or':
    case 'nor':
      return [`$${term.kind}`, term.of.map(writeCondition)]
    case 'event':
      return ['events', { $elemMatch: writeCondition(term.condition) }]
    case 'words':
      return ['$text', term.of]
    case 'field':
      return [term.field, term.test]
    case 'unread':
      return [term.name, term.of]
  }
}
