import { filterLimits } from '@portico/contract/filter'
import { datePartOperators } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import { datePart } from './date-part.ts'
import { asComparedWith, type FieldResolver, type FilterField, isDated, isObject, type Sql } from './filter-field.ts'
import { listParameter, readValue } from './filter-values.ts'

type Value = string | number | boolean
/** An expression, and the values that it may have. `kind` is the same for values that fit into one parameter. */
type Tested = { kind: string; sql: Sql; parameter: (values: Value[]) => Sql; values: Value[] }

/** Fewer tuples are compared one by one, as an index on one of their fields may help. */
const leastTuples = 20

/** Compiles conditions on the rows of a special field. */
type Compile = (condition: unknown, resolve: FieldResolver) => Sql
type Taken = { tuples: Sql[]; others: unknown[] }

/**
 * Takes those branches of an `$or` that list values of the same fields, as in `{ City: 'Oslo', Age: 30 }`. Regardless
 * of their number, they become one condition: a look-up in a list of tuples. The same applies to branches that also
 * list values of an event.
 */
export function takeTuples(branches: readonly unknown[], resolve: FieldResolver, compile: Compile): Taken {
  // If there are too many, take none: they are then rejected as conditions.
  if (branches.length > filterLimits.listValues) return { tuples: [], others: [...branches] }
  const plain = takeSame(branches, (branch) => testedBy(partsOf(branch), resolve), isAmong)
  const ofEvents = takeWithEvents(plain.others, resolve, compile)
  return { tuples: [...plain.tuples, ...ofEvents.tuples], others: ofEvents.others }
}

/** Takes branches that test the same fields, if there are enough of them. */
function takeSame<T>(
  branches: readonly T[],
  read: (branch: T) => Tested[] | null,
  compile: (tested: readonly Tested[], rows: readonly Value[][]) => Sql,
): { tuples: Sql[]; others: T[] } {
  const all = branches.map((branch) => ({ branch, tested: read(branch) ?? [] }))
  const taken = new Set<T>()
  const tuples: Sql[] = []
  for (const same of Map.groupBy(all, ({ tested }) => JSON.stringify(tested.map(({ kind }) => kind))).values()) {
    const [{ tested } = { tested: [] }] = same
    const count = same.reduce((sum, one) => sum + one.tested.reduce((size, { values }) => size * values.length, 1), 0)
    if (tested.length === 0 || count < leastTuples || count > filterLimits.listValues) continue
    for (const { branch } of same) taken.add(branch)
    const rows = same.flatMap((one) => product(one.tested.map(({ values }) => values)))
    tuples.push(compile(tested, rows))
  }
  return { tuples, others: branches.filter((branch) => !taken.has(branch)) }
}

function isAmong(tested: readonly Tested[], rows: readonly Value[][]): Sql {
  const columns = tested.map(({ parameter }, at) => parameter(rows.flatMap((row) => row[at] ?? [])))
  return sql`(${sql.join(tested.map((each) => each.sql))}) IN (SELECT * FROM unnest(${sql.join(columns)}))`
}

type Part = Record<string, unknown>

/**
 * Takes branches such as `{ City: 'Oslo', events: { $elemMatch: { event_code: 'click' } } }`: one event, whose values
 * and those of the contact are in the list. Conditions on the event that all branches share may be of any kind.
 */
function takeWithEvents(branches: readonly unknown[], resolve: FieldResolver, compile: Compile): Taken {
  const special = resolve('events') ? undefined : resolve.special?.('events')
  const { rows } = special ?? {}
  if (!special || !rows) return { tuples: [], others: [...branches] }
  const split = branches.flatMap((branch) => splitAtEvent(branch) ?? [])
  const texts = split.map(({ event }) => new Set(event.map((part) => JSON.stringify(part))))
  const shared = (split[0]?.event ?? []).filter((part) => texts.every((some) => some.has(JSON.stringify(part))))
  const isShared = new Set(shared.map((part) => JSON.stringify(part)))
  const { tuples, others } = takeSame(
    split,
    ({ contact, event }) => {
      const own = event.filter((part) => !isShared.has(JSON.stringify(part)))
      const [ofContact, ofEvent] = [testedBy(contact, resolve), testedBy(own, rows.resolve)]
      return ofContact && ofEvent && [...ofContact, ...ofEvent.map((each) => ({ ...each, kind: `event ${each.kind}` }))]
    },
    (tested, values) => {
      const conditions = [...shared.map((part) => compile(part, rows.resolve)), isAmong(tested, values)]
      return rows.some(sql.join(conditions, sql` AND `), special.of ?? [])
    },
  )
  const left = new Set<unknown>(others.map(({ branch }) => branch))
  const taken = new Set(split.map(({ branch }) => branch).filter((branch) => !left.has(branch)))
  return { tuples, others: branches.filter((branch) => !taken.has(branch)) }
}

/** The conditions of a branch on the contact and on one event of it; null unless there is exactly one such event. */
function splitAtEvent(branch: unknown): { branch: unknown; contact: Part[]; event: Part[] } | null {
  const parts = partsOf(branch)
  const [condition, ...more] = parts?.filter((part) => 'events' in part) ?? []
  const operators = condition?.['events']
  if (!parts || more.length > 0 || !isObject(operators) || Object.keys(operators).length !== 1) return null
  const event = partsOf(operators['$elemMatch'])
  return event && event.length > 0 ? { branch, contact: parts.filter((part) => part !== condition), event } : null
}

/**
 * The conditions of an object, all of which must hold, each with one name; null if it is not an object of conditions.
 */
function partsOf(condition: unknown): Part[] | null {
  if (!isObject(condition)) return null
  const parts = Object.entries(condition).map(([name, value]): Part[] | null => {
    if (name !== '$and') return [{ [name]: value }]
    if (!Array.isArray(value) || value.length === 0 || value.some((each) => isObject(each) && '$and' in each))
      return null
    const inner = value.map(partsOf)
    return inner.every((each) => each !== null) ? inner.flat() : null
  })
  return parts.every((each) => each !== null) ? parts.flat() : null
}

/** The fields that conditions test, in order; null if the conditions do more than list values. */
function testedBy(parts: readonly Part[] | null, resolve: FieldResolver): Tested[] | null {
  const tested = parts?.flatMap(Object.entries).map(([name, test]) => readTest(name, test, resolve)) ?? [null]
  const known = tested.filter((each) => each !== null)
  return known.length === tested.length ? known : null
}

const mostOperations = 10

function readTest(name: string, test: unknown, resolve: FieldResolver): Tested | null {
  const field = resolve(name)
  // Fields with many operations are counted condition by condition.
  if (!field || field.equals || (field.weight ?? 0) > mostOperations) return null
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
