import { type FieldType, isDateType } from '@portico/contract/contacts'
import { eventFields } from '@portico/contract/filter'
import {
  compareTexts,
  datePart,
  matches,
  matchesValue,
  periodStart,
  type Stored,
  type Types,
  type Value,
} from './naive-filter.ts'

type Asked = Record<string, unknown>
/** A row between stages: its values by name, and its contact, if it still is one. */
type Row = { get: (name: string) => Value; contact?: Stored }
type State = { rows: Row[]; types: Types; keys: string[]; columns: string[] | null }

/** Oracle for pipelines: computes the rows stage by stage, with missing values as null. */
export function runPipeline(contacts: Stored[], types: Types, timeZone: string, stages: Asked[]): Asked[] {
  const start: State = {
    rows: contacts.map((contact) => ({
      get: (name) => (name === '_id' ? contact.id : contact.values.get(name)),
      contact,
    })),
    types,
    keys: [],
    columns: null,
  }
  const { rows, columns } = stages.reduce<State>((state, stage) => {
    const [entry] = Object.entries(stage)
    return entry ? apply(state, entry[0], entry[1], timeZone) : state
  }, start)
  const names = columns ?? ['_id']
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row.get(name) ?? null])))
}

function apply(state: State, name: string, asked: unknown, zone: string): State {
  const { rows, types } = state
  switch (name) {
    case '$match':
      return { ...state, rows: rows.filter((row) => matchesRow(row, asked as Asked, types, zone)) }
    case '$unwind':
      return unwind(state)
    case '$group':
      return group(state, asked as Asked, zone)
    case '$addFields':
      return addFields(state, asked as Asked, zone)
    case '$project': {
      const kept = Object.entries(asked as Asked).filter(([field]) => field !== '_id')
      const given = addFields(state, Object.fromEntries(kept.filter(([, choice]) => choice !== 1)), zone)
      const id = (asked as Asked)['_id'] === 0 || (state.columns && !state.columns.includes('_id')) ? [] : ['_id']
      return { ...given, columns: [...id, ...kept.map(([field]) => field)] }
    }
    case '$sort':
      return { ...state, rows: sorted(state, Object.entries(asked as Record<string, number>)) }
    case '$skip':
      return { ...state, rows: rows.slice(Number(asked)) }
    case '$limit':
      return { ...state, rows: rows.slice(0, Number(asked)) }
    case '$count': {
      const column = String(asked)
      return { rows: [{ get: () => rows.length }], types: { [column]: 'number' }, keys: [], columns: [column] }
    }
    default:
      throw new Error(`no such stage: ${name}`)
  }
}

function matchesRow(row: Row, match: Asked, types: Types, zone: string): boolean {
  return Object.entries(match).every(([name, asked]) => {
    const branch = (one: unknown): boolean => matchesRow(row, one as Asked, types, zone)
    if (name === '$and') return (asked as unknown[]).every(branch)
    if (name === '$or') return (asked as unknown[]).some(branch)
    if (name === '$nor') return !(asked as unknown[]).some(branch)
    const isOfContact = row.contact && (['events', 'location', '$text'].includes(name) || row.contact.values.has(name))
    if (isOfContact && row.contact) return matches(row.contact, { [name]: asked }, types, zone)
    return matchesValue(row.get(name), asked, types[name], zone)
  })
}

function unwind({ rows, types }: State): State {
  const known = Object.entries(eventFields).map(([name, type]) => [`events.${name}`, type] as const)
  return {
    rows: rows.flatMap(({ get, contact }) =>
      [...(contact?.events ?? [])]
        .sort((a, b) => Date.parse(String(a.get('event_date'))) - Date.parse(String(b.get('event_date'))))
        .map((event): Row => ({
          get: (name) => (name.startsWith('events.') ? event.get(name.slice('events.'.length)) : get(name)),
          ...(contact && { contact }),
        })),
    ),
    // In tests, this field only has numbers.
    types: { ...types, ...Object.fromEntries(known), 'events.price': 'number' },
    keys: [],
    columns: null,
  }
}

function addFields(state: State, fields: Asked, zone: string): State {
  const names = Object.keys(fields)
  const types = { ...state.types }
  for (const name of names) types[name] = expressionType(fields[name], state.types)
  const rows = state.rows.map((row): Row => {
    const added = new Map(names.map((name) => [name, evaluate(fields[name], row, zone)]))
    return { ...row, get: (name) => (added.has(name) ? added.get(name) : row.get(name)) }
  })
  const columns = state.columns && [...state.columns.filter((name) => !names.includes(name)), ...names]
  return { ...state, rows, types, columns }
}

function group(state: State, { _id: id, ...accumulators }: Asked, zone: string): State {
  const isNamed = typeof id === 'object' && id !== null && !Object.keys(id)[0]?.startsWith('$')
  const keys: [string, unknown][] = id === null ? [] : isNamed ? Object.entries(id) : [['_id', id]]
  const groups = new Map<string, { key: Value[]; rows: Row[] }>()
  for (const row of state.rows) {
    const key = keys.map(([, expression]) => evaluate(expression, row, zone))
    const name = JSON.stringify(key.map((value) => value ?? null))
    const known = groups.get(name)
    if (known) known.rows.push(row)
    else groups.set(name, { key, rows: [row] })
  }
  const types: Types = {}
  for (const [name, expression] of keys) types[name] = expressionType(expression, state.types)
  for (const [name, accumulator] of Object.entries(accumulators))
    types[name] = accumulatorType(accumulator, state.types)
  const rows = [...groups.values()].map(({ key, rows: members }): Row => {
    const values = new Map<string, Value>(keys.map(([name], at) => [name, key[at]]))
    for (const [name, asked] of Object.entries(accumulators))
      values.set(name, accumulate(asked, members, zone, state.types))
    return { get: (name) => values.get(name) }
  })
  const names = keys.map(([name]) => name)
  const grouped = { rows, types, keys: names, columns: [...names, ...Object.keys(accumulators)] }
  return { ...grouped, rows: sorted(grouped, []) }
}

function accumulate(accumulator: unknown, all: Row[], zone: string, types: Types): Value {
  const [operator = '', asked] = Object.entries(accumulator as Asked)[0] ?? []
  if (operator === '$divide') {
    const [dividend, divisor] = (asked as unknown[]).map((part) => accumulate(part, all, zone, types))
    return dividend === undefined || !divisor ? undefined : Number(dividend) / Number(divisor)
  }
  const of: unknown = operator === '$size' ? (asked as Asked)['$addToSet'] : asked
  const { path, condition } = conditionalOf(of)
  const rows = condition ? all.filter((row) => matchesRow(row, condition, types, zone)) : all
  if (operator === '$count' || (operator === '$sum' && path === 1)) return rows.length
  const type = expressionType(path, types)
  const values = rows.flatMap((row) => evaluate(path, row, zone) ?? [])
  switch (operator) {
    case '$sum':
      return values.reduce<number>((sum, value) => sum + Number(value), 0)
    case '$avg':
      return values.length === 0
        ? undefined
        : values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length
    case '$size':
      return new Set(values).size
    default: {
      const order = [...values].sort((a, b) => compareValues(a, b, type))
      return operator === '$max' ? order.at(-1) : order[0]
    }
  }
}

/** The computed value, and the rows that count: those that meet the condition of a `$cond`. */
function conditionalOf(of: unknown): { path: unknown; condition?: Asked } {
  const cond =
    typeof of === 'object' && of !== null ? (of as { $cond?: { if: Asked; then: unknown } }).$cond : undefined
  return cond ? { path: cond.then, condition: cond.if } : { path: of }
}

function accumulatorType(accumulator: unknown, types: Types): FieldType {
  const [operator = '', asked] = Object.entries(accumulator as Asked)[0] ?? []
  return operator === '$max' || operator === '$min' ? expressionType(conditionalOf(asked).path, types) : 'number'
}

function expressionType(expression: unknown, types: Types): FieldType {
  if (typeof expression === 'string')
    return expression.startsWith('$') ? (types[expression.slice(1)] ?? 'string') : 'string'
  if (typeof expression === 'number') return 'number'
  const operator = Object.keys(expression as Asked)[0]
  if (operator === '$dateTrunc') return 'day'
  return operator === '$concat' || operator === '$toString' ? 'string' : 'number'
}

function evaluate(expression: unknown, row: Row, zone: string): Value {
  if (typeof expression === 'string' && expression.startsWith('$')) return row.get(expression.slice(1))
  if (typeof expression !== 'object' || expression === null) return expression as Value
  const [operator = '', asked] = Object.entries(expression)[0] ?? []
  if (operator === '$dateTrunc') {
    const { date, unit } = asked as { date: unknown; unit: string }
    const value = evaluate(date, row, zone)
    return value === undefined ? undefined : periodStart(unit, zone, String(value))
  }
  const operands: unknown[] = Array.isArray(asked) ? asked : [asked]
  const values = operands.map((operand) => evaluate(operand, row, zone))
  if (values.some((value) => value === undefined)) return undefined
  const numbers = values.map(Number)
  const [first = 0, second = 0] = numbers
  switch (operator) {
    case '$add':
      return numbers.reduce((a, b) => a + b)
    case '$multiply':
      return numbers.reduce((a, b) => a * b)
    case '$subtract':
      return first - second
    case '$divide':
      return second === 0 ? undefined : first / second
    case '$concat':
      return values.join('')
    case '$round':
      return Number(roundDecimal(first, second))
    case '$toString':
      return typeof values[0] === 'number' ? plainDecimal(values[0]) : String(values[0])
    default:
      return datePart(operator, zone, String(values[0]))
  }
}

/** Returns a number with fifteen significant digits, as PostgreSQL converts it to numeric: its digits and its scale. */
function toDecimal(value: number): { digits: bigint; scale: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential(14).split('e')
  const digits = BigInt(mantissa.replace('.', ''))
  return { digits, scale: 14 - Number(exponent) }
}

function roundDecimal(value: number, places: number): string {
  let { digits, scale } = toDecimal(value)
  while (scale < places) [digits, scale] = [digits * 10n, scale + 1]
  const unit = 10n ** BigInt(scale - places)
  const half = digits < 0n ? -unit / 2n : unit / 2n
  return `${(digits + half) / unit}e${-places}`
}

function plainDecimal(value: number): string {
  let { digits, scale } = toDecimal(value)
  while (scale < 0) [digits, scale] = [digits * 10n, scale + 1]
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale)
  const decimals = text.slice(text.length - scale).replace(/0+$/, '')
  return sign + whole + (decimals === '' ? '' : `.${decimals}`)
}

/** Sorts rows by the given order, then by the keys; missing values come last in both directions. */
function sorted({ rows, types, keys }: Pick<State, 'rows' | 'types' | 'keys'>, by: [string, number][]): Row[] {
  const all = [...by, ...keys.map((name): [string, number] => [name, 1])]
  return [...rows].sort((a, b) => {
    for (const [name, way] of all) {
      const [x, y] = [a.get(name), b.get(name)]
      if (x === undefined && y === undefined) continue
      if (x === undefined) return 1
      if (y === undefined) return -1
      const difference =
        name === '_id' && types['_id'] === undefined ? Number(BigInt(x) - BigInt(y)) : compareValues(x, y, types[name])
      if (difference !== 0) return difference * way
    }
    return 0
  })
}

function compareValues(a: string | number | boolean, b: string | number | boolean, type = 'string'): number {
  if (type === 'string') return compareTexts(String(a), String(b))
  return isDateType(type as FieldType) ? Date.parse(String(a)) - Date.parse(String(b)) : Number(a) - Number(b)
}

/** Sums in another order differ in the last digits; adding a little keeps them on the same side of a half. */
export function rounded(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? Number((value * (1 + 1e-12)).toPrecision(11)) : value,
    ]),
  )
}
