import { filterLimits } from '@portico/contract/filter'
import { sql } from 'kysely'
import { findByName, foldName } from '@portico/domain/names'
import { oneByOne } from '#platform/rows/one-by-one.ts'
import { compileAccumulator } from './filter-accumulator.ts'
import { compileExpression } from './filter-expression.ts'
import {
  type FilterField,
  fieldOf,
  invalidFilter,
  isObject,
  type Sql,
  undeclaredField,
  unknownOperator,
} from './filter-field.ts'
import { isCut, type Level, whereList, wrapLevel } from './filter-level.ts'

type Column = Pick<FilterField, 'name' | 'type' | 'sql' | 'variants' | 'weight'>

/** Sums and averages of one `$group` that are computed for all groups at once. */
const fewSums = 20
/** The table of all groups takes twice the memory of a sort (`hash_mem_multiplier`). */
const tableAreas = 2
/** How much larger a sum becomes, with digits from 10^308 down to 10^-308, than when its group is added to the table. */
const sumGrowth = 8

/** `{$group: {_id: key, name: {$accumulator: …}}}`: a row for each value of its keys. */
export function groupLevel(level: Level, group: unknown, alias: string): Level {
  if (!isObject(group) || !Object.hasOwn(group, '_id')) {
    throw invalidFilter('"$group" needs an object with "_id", the key to group by.')
  }
  const { _id: id, ...accumulators } = group
  const from = isCut(level) ? wrapLevel(level, `${alias}_of`) : level
  const keys = readKeys(id).map(([name, key]): Column => ({ ...compileExpression(name, key, from), name }))
  const { tally } = from
  const { extremeTexts, sums } = tally
  const values = Object.entries(accumulators).map(([name, accumulator]) => compileAccumulator(name, accumulator, from))
  const columns = [...keys, ...values]
  requireNames(columns.map(({ name }) => name))
  // Without keys and accumulators, the result is one row.
  const selected = columns.length === 0 ? [{ name: '_id', type: 'string' as const, sql: sql`NULL::text` }] : columns
  // By position: in an expression repeated here, the parameters would have different numbers.
  const groupBy = keys.length === 0 ? sql`` : sql`GROUP BY ${sql.raw(keys.map((_key, at) => at + 1).join())}`
  const hasSums = tally.sums > sums
  const isOneByOne = tally.extremeTexts > extremeTexts || tally.sums > sums + fewSums
  tally.areas += isOneByOne ? 1 : hasSums ? tableAreas * sumGrowth : tableAreas
  const having = keys.length === 0 ? sql`HAVING count(*) > 0` : isOneByOne ? sql`HAVING ${oneByOne}` : sql``
  return rowsLevel(level, alias, selected, keys.length, () => {
    // A value without a declared type keeps the type of its JSON.
    const list = selected.map((column, at) => sql`${column.variants?.json ?? column.sql} AS ${sql.id(`f${at}`)}`)
    return sql`SELECT ${sql.join(list)} FROM ${from.from()} ${whereList(from.where)} ${groupBy} ${having}`
  })
}

/** `{$count: name}`: one row with the number of rows. */
export function countLevel(level: Level, name: unknown, alias: string): Level {
  if (typeof name !== 'string') throw invalidFilter('"$count" needs a name.')
  requireNames([name])
  const from = isCut(level) ? wrapLevel(level, `${alias}_of`) : level
  const column: Column = { name, type: 'number', sql: sql`count(*)::float8` }
  return rowsLevel(level, alias, [column], 0, () => {
    return sql`SELECT ${column.sql} AS f0 FROM ${from.from()} ${whereList(from.where)}`
  })
}

function rowsLevel(level: Level, alias: string, columns: Column[], keys: number, select: () => Sql): Level {
  const { textOrder, timeZone, tally } = level
  const fields = columns.map(({ name, type, variants, weight = 1 }, at): FilterField => {
    const value = sql.id(alias, `f${at}`)
    if (!variants) return { ...fieldOf(name, type, value, textOrder, timeZone), weight }
    const typed = { text: sql`(${value} #>> '{}')`, json: value, kind: sql`jsonb_typeof(${value})`, isOfEvent: false }
    return { ...undeclaredField(name, typed, textOrder), weight }
  })
  return {
    kind: 'rows',
    isWhole: false,
    textOrder,
    timeZone,
    tally,
    resolve: findByName(fields, ({ name }) => name),
    from: () => sql`(${select()}) AS ${sql.id(alias)}`,
    where: [],
    sort: null,
    order: () =>
      fields
        .slice(0, keys)
        .flatMap(({ orderBy, ordered }) => (orderBy ?? [ordered]).map((term) => ({ sql: term, isDescending: false }))),
    skip: 0,
    limit: null,
    columns: columns.map(({ name }) => name),
    added: [],
    without: new Set(),
  }
}

/** The keys with their column names: `_id`, or the names in an object. */
function readKeys(id: unknown): [string, unknown][] {
  if (id === null) return []
  if (typeof id === 'string') return [['_id', id]]
  if (!isObject(id)) throw invalidFilter('"_id" of "$group" is a field such as "$City", a part of a date, or null.')
  const keys = Object.entries(id)
  if (keys.length === 1 && keys[0]?.[0].startsWith('$')) return [['_id', id]]
  if (keys.length === 0 || keys.length > filterLimits.groupKeys) {
    throw invalidFilter(`"$group" takes one to ${filterLimits.groupKeys} keys.`)
  }
  return keys
}

/** Rejects duplicate names, and names that look like operators. */
export function requireNames(names: string[]): void {
  if (names.length > filterLimits.fields) throw invalidFilter(`A stage can add at most ${filterLimits.fields} fields.`)
  const seen = new Set<string>()
  for (const name of names) {
    if (name.startsWith('$')) throw unknownOperator(name)
    if (name === '' || name === '__proto__' || name.length > filterLimits.nameLength || name.includes('\0')) {
      throw invalidFilter(`"${name}" cannot be the name of a field.`)
    }
    if (seen.has(foldName(name))) throw invalidFilter(`"${name}" is named twice.`)
    seen.add(foldName(name))
  }
}
