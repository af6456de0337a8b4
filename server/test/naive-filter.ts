import type { FieldType } from '@portico/contract/contacts'

/** A contact as a test keeps it: what has no value is not in the map. */
export type Stored = { id: string; values: Map<string, string | number | boolean> }

const dayMs = 86_400_000
const collation = new Intl.Collator('en')

/** Reads a `$match` word by word, the slow and obvious way: what the compiled SQL is compared with. */
export function matches(contact: Stored, match: unknown, types: Record<string, FieldType>): boolean {
  return Object.entries(match as object).every(([name, asked]) => {
    const branches = (): boolean[] => (asked as unknown[]).map((branch) => matches(contact, branch, types))
    if (name === '$and') return branches().every(Boolean)
    if (name === '$or') return branches().some(Boolean)
    if (name === '$nor') return !branches().some(Boolean)
    const operators = typeof asked === 'object' && asked !== null ? asked : { $eq: asked }
    return holds(contact.values.get(name), operators as Record<string, unknown>, types[name] ?? 'string')
  })
}

type Value = string | number | boolean | undefined

function holds(value: Value, operators: Record<string, unknown>, type: FieldType): boolean {
  return Object.entries(operators).every(([operator, asked]) => {
    switch (operator) {
      case '$eq':
        return equals(value, asked, type)
      case '$ne':
        return !equals(value, asked, type)
      case '$in':
        return (asked as unknown[]).some((one) => equals(value, one, type))
      case '$nin':
        return !(asked as unknown[]).some((one) => equals(value, one, type))
      case '$exists':
        return (value !== undefined) === asked
      case '$not':
        return !holds(value, asked as Record<string, unknown>, type)
      case '$options':
        return true
      case '$regex':
        return (
          value !== undefined && expression(String(asked), operators['$options'] === 'i' ? 'i' : '').test(String(value))
        )
      default:
        return value !== undefined && compares(value, operator, asked, type)
    }
  })
}

/** As the database reads it: `.` is any character, and a character may take two places in JavaScript's text. */
function expression(pattern: string, options: string): RegExp {
  try {
    return new RegExp(pattern, `su${options}`)
  } catch {
    // Some escapes are allowed only where characters are not taken whole.
    return new RegExp(pattern, `s${options}`)
  }
}

function equals(value: Value, asked: unknown, type: FieldType): boolean {
  if (asked === null || asked === '') return value === undefined
  if (value === undefined) return false
  if (type !== 'date') return value === asked
  const [at, start, end] = span(value, asked)
  return end === start ? at === start : at >= start && at < end
}

function compares(value: string | number | boolean, operator: string, asked: unknown, type: FieldType): boolean {
  if (type === 'string')
    return signHolds(collation.compare(String(value), String(asked)) || codes(String(value), String(asked)), operator)
  if (type === 'number') return signHolds(Number(value) - Number(asked), operator)
  const [at, start, end] = span(value, asked)
  if (end === start) return signHolds(at - start, operator)
  return { $gt: at >= end, $gte: at >= start, $lt: at < start, $lte: at < end }[operator] ?? false
}

/** A moment, and the moments a date stands for: a whole day when it has no time. */
function span(value: unknown, asked: unknown): [number, number, number] {
  const start = Date.parse(String(asked))
  return [Date.parse(String(value)), start, /^.{10}$/.test(String(asked)) ? start + dayMs : start]
}

/** Texts that a collation takes for equal are told apart by their bytes. */
function codes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function signHolds(difference: number, operator: string): boolean {
  return { $gt: difference > 0, $gte: difference >= 0, $lt: difference < 0, $lte: difference <= 0 }[operator] ?? false
}
