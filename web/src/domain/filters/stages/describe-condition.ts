import { parseCondition } from '@portico/domain/pipeline/condition-json'
import { dateParts, isObject, type Row } from '@portico/domain/pipeline/pipeline'
import { readFilter } from './filter-of.ts'
import type { Filter, FilterField } from './filter.ts'
import { conditionText, eventText, listed, partWords, placeText, quoted } from './sentence-of.ts'

/**
 * A condition of a `$match` in the words of the builder: 'City is “Paris”'; null for one that neither its rows nor a few further
 * words can say.
 */
export function describeCondition(condition: Row, fields: readonly FilterField[]): string | null {
  const parsed = parseCondition(condition)
  const filter = parsed && readFilter([{ kind: 'match', condition: parsed }], fields)
  if (filter?.advanced === null) return capitalized(listed(rowTexts(filter)))
  const [entry, ...more] = Object.entries(condition)
  return entry && more.length === 0 ? describeTest(...entry, fields) : null
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const rowTexts = ({ standard, behavioral, location, fullText }: Filter): string[] => [
  ...standard.map(conditionText),
  ...behavioral.map(eventText),
  ...(location ? [placeText(location)] : []),
  ...(fullText === '' ? [] : [`with the words ${quoted(fullText)}`]),
]

/** Tests that rows do not have: several of one value, negated ones, and those of a part of a date. */
function describeTest(name: string, test: unknown, fields: readonly FilterField[]): string | null {
  if (!isObject(test)) return null
  const { $regex: pattern, ...others } = test
  const tests = Object.entries(others)
  if (pattern === undefined && tests.length > 1) {
    const texts = tests.map(([operator, value]) => describeCondition({ [name]: { [operator]: value } }, fields))
    return texts.every((text) => text !== null) ? listed(texts) : null
  }
  const [operator, value] = tests[0] ?? []
  if (operator === '$eq') return describeCondition({ [name]: value }, fields)
  if (operator === '$not' && isObject(value)) {
    const text = describeCondition({ [name]: value }, fields)
    return text && `Not: ${text}`
  }
  const part = dateParts.find((known) => operator === `$${known}`)
  return part && typeof value === 'number' ? `The ${partWords[part]} of ${name} is ${value}` : null
}
