import type { Term } from '@portico/domain/pipeline/pipeline'
import { fieldTerm } from '@portico/domain/pipeline/terms'
import type { Condition } from './filter.ts'
import { numberOf } from './filter-values.ts'
import { itemsOf } from './value-list.ts'

/** In one form, for one term as for several. */
export const joined = (terms: Term[]): Term => ({ kind: 'and', of: terms.map((term) => [term]) })

const comparisons = { '!=': '$ne', '>': '$gt', '>=': '$gte', '<': '$lt', '<=': '$lte' } as const

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A condition in the filter language. */
export const termOf = (condition: Condition): Term => fieldTerm(condition.field, testOf(condition))

function testOf({ type, operator, value }: Condition): unknown {
  const typed = (text: string): unknown => {
    if (type === 'number') return numberOf(text)
    return type === 'boolean' ? text === 'true' : text
  }
  switch (operator) {
    case '=':
      return typed(value)
    case 'contains':
      return { $regex: escapePattern(value), $options: 'i' }
    case 'starts':
      return { $regex: `^${escapePattern(value)}`, $options: 'i' }
    case 'ends':
      return { $regex: `${escapePattern(value)}$`, $options: 'i' }
    case 'regex':
      return { $regex: value }
    case 'filled':
    case 'empty':
      return { $exists: operator === 'filled' }
    case 'in':
      return { $in: itemsOf(value).map(typed) }
    case 'nin':
      return { $nin: itemsOf(value).map(typed) }
    case '!=':
    case '>':
    case '>=':
    case '<':
    case '<=':
      return { [comparisons[operator]]: typed(value) }
  }
}
