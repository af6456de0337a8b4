import { filterLimits } from '@portico/contract/filter'
import { datePartOperators } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import { datePart } from './date-part.ts'
import { asComparedWith, type FieldResolver, type FilterField, isDated, isObject, type Sql } from './filter-field.ts'
import { listParameter, readValue } from './filter-values.ts'

type Value = string | number | boolean
/** An expression, and the values that it may have. `kind` is the same for values that fit one parameter. */
type Tested = { kind: string; sql: Sql; parameter: (values: Value[]) => Sql; values: Value[] }

/** Fewer are compared one by one: an index on one of their fields may serve. */
const leastTuples = 20

/**
 * Takes those branches of an `$or` that list values of the same fields, as in `{ City: 'Oslo', Age: 30 }`. However many they
 * are, they become one condition: a look-up in a list of tuples.
 */
export function takeTuples(branches: readonly unknown[], resolve: FieldResolver): { tuples: Sql[]; others: unknown[] } {
  const others: unknown[] = []
  const read = branches.flatMap((branch) => {
    const tested = testedBy(branch, resolve)
    if (!tested) others.push(branch)
    return tested ? [{ branch, tested }] : []
  })
  const tuples: Sql[] = []
  for (const same of Map.groupBy(read, ({ tested }) => JSON.stringify(tested.map(({ kind }) => kind))).values()) {
    const rows = same.flatMap(({ tested }) => product(tested.map(({ values }) => values)))
    const [first] = same
    if (!first || rows.length < leastTuples || rows.length > filterLimits.listValues) {
      others.push(...same.map(({ branch }) => branch))
    } else {
      tuples.push(isAmong(first.tested, rows))
    }
  }
  return { tuples, others }
}

function isAmong(tested: readonly Tested[], rows: readonly Value[][]): Sql {
  const columns = tested.map(({ parameter }, at) => parameter(rows.flatMap((row) => row[at] ?? [])))
  return sql`(${sql.join(tested.map((each) => each.sql))}) IN (SELECT * FROM unnest(${sql.join(columns)}))`
}

/** The fields that a branch tests, in its order; null if it does more than list their values. */
function testedBy(branch: unknown, resolve: FieldResolver): Tested[] | null {
  if (!isObject(branch)) return null
  const { $and: inner, ...own } = branch
  const parts = inner === undefined ? [own] : Array.isArray(inner) ? [own, ...(inner as unknown[])] : []
  if (!parts.every(isObject)) return null
  const tested = parts.flatMap(Object.entries).map(([name, test]) => readTest(name, test, resolve))
  const known = tested.filter((each) => each !== null)
  return known.length === tested.length && known.length > 0 ? known : null
}

function readTest(name: string, test: unknown, resolve: FieldResolver): Tested | null {
  const field = resolve(name)
  if (!field || field.equals) return null
  if (!isObject(test)) return ofValues(field, [test])
  const [entry, ...more] = Object.entries(test)
  if (!entry || more.length > 0) return null
  const [operator, operand] = entry
  if (operator === '$in') return Array.isArray(operand) ? ofValues(field, operand) : null
  const part = datePartOperators.find((known) => known === operator)
  const isPart =
    part !== undefined && isDated(field) && Number.isInteger(operand) && Math.abs(Number(operand)) < 2 ** 31
  if (!isPart) return null
  return {
    kind: `${name} ${part}`,
    sql: datePart(part, field, field.timeZone ?? 'UTC'),
    parameter: (values) => sql`${sql.val(values)}::int[]`,
    values: [Number(operand)],
  }
}

function ofValues(declared: FilterField, values: readonly unknown[]): Tested | null {
  const [field = declared, ...more] = new Set(values.map((value) => asComparedWith(declared, value)))
  if (more.length > 0 || values.length === 0 || values.some((value) => value === null || value === '')) return null
  const read = values.map((value) => readValue(field, value))
  const plain = read.flatMap((value) => (value.kind === 'one' ? [value.value] : []))
  if (plain.length < read.length) return null
  const { name, type, ordered } = field
  return { kind: `${name} ${type}`, sql: ordered, parameter: (list) => listParameter(field, list), values: plain }
}

/** Every combination of one value of each list. */
const product = (lists: readonly Value[][]): Value[][] =>
  lists.reduce<Value[][]>((made, values) => made.flatMap((row) => values.map((value) => [...row, value])), [[]])
