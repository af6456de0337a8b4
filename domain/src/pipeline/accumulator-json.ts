import { parseCondition, writeCondition } from './condition-json.ts'
import { type Accumulator, type Computation, type Condition, isObject, type Row } from './pipeline.ts'

// `{"$sum": "$Age"}`, `{"$avg": {"$cond": {"if": {"City": "Oslo"}, "then": "$Age"}}}` with a condition as in a `$match`,
// and `{"$divide": […, …]}` of two of them.

/** Reads a value of a group. One that no compiler accepts is kept as it is. */
export function parseAccumulator(name: string, json: unknown): Accumulator {
  const computation = parseComputation(json)
  const ratio = computation.operator === 'divide' ? parseRatio(computation.of) : null
  return ratio ? { name, operator: 'divide', of: null, ratio } : { name, ...computation }
}

function parseComputation(json: unknown): Computation {
  const [entry, ...more] = isObject(json) ? Object.entries(json) : []
  if (!entry?.[0].startsWith('$') || more.length > 0) return { operator: null, of: json }
  const operator = entry[0].slice(1)
  return { operator, ...(operator === 'size' ? parseDistinct(entry[1]) : parseConditional(entry[1])) }
}

type Operand = Pick<Computation, 'of' | 'where'>

function parseDistinct(json: unknown): Operand {
  const [entry, ...more] = isObject(json) ? Object.entries(json) : []
  if (entry?.[0] !== '$addToSet' || more.length > 0) return { of: json }
  const { of, where } = parseConditional(entry[1])
  return where ? { of: { $addToSet: of }, where } : { of: json }
}

function parseConditional(json: unknown): Operand {
  const cond = isObject(json) && Object.keys(json).length === 1 ? json['$cond'] : undefined
  const { if: test, then: of, ...others } = isObject(cond) ? cond : {}
  const where = of === undefined || Object.keys(others).length > 0 ? null : parseCondition(test)
  return where ? { of, where } : { of: json }
}

function parseRatio(json: unknown): Accumulator['ratio'] | null {
  const [dividend, divisor, ...more] = Array.isArray(json) ? (json as unknown[]) : []
  if (dividend === undefined || divisor === undefined || more.length > 0) return null
  return [parseComputation(dividend), parseComputation(divisor)]
}

/** Writes what `parseAccumulator` has read. */
export const writeAccumulator = ({ ratio, ...one }: Accumulator): unknown =>
  ratio ? { $divide: ratio.map(writeComputation) } : writeComputation(one)

function writeComputation({ operator, of, where }: Computation): unknown {
  if (operator === null) return of
  if (!where) return { [`$${operator}`]: of }
  if (operator !== 'size') return { [`$${operator}`]: conditional(of, where) }
  const { $addToSet: distinct } = of as Row
  return { $size: { $addToSet: conditional(distinct, where) } }
}

const conditional = (of: unknown, where: Condition): Row => ({ $cond: { if: writeCondition(where), then: of } })
