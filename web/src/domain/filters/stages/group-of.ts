import { findByName } from '@portico/domain/names'
import {
  type Accumulator,
  type Computation,
  eventPrefix,
  isObject,
  type Key,
  type Pipeline,
  type Stage,
  type Term,
} from '@portico/domain/pipeline/pipeline'
import { flatten } from '@portico/domain/pipeline/terms'
import {
  conditionOf,
  eventConditionOf,
  unexpectedField,
  unknownOperator,
  unreadable,
  unshowable,
} from './condition-of.ts'
import {
  type Condition,
  type EventCondition,
  eventFieldName,
  type Figure,
  type FilterField,
  type GroupBy,
  type GroupKey,
  groupLimits,
  isEventField,
  type Measure,
  measureOperators,
} from './filter.ts'
import { keyName, measureNames } from './group-stages.ts'

/**
 * The grouping of stages as the builder writes them: a row for each event and the conditions on these, if any, then
 * `group`, `sort` and `limit`.
 * @throws {FilterParseError} for others
 */
export function groupOf(
  [unwind, ...conditions]: Pipeline,
  [group, ...later]: Pipeline,
  fields: readonly FilterField[],
): GroupBy {
  if (group?.kind !== 'group' || !group.isNamed) throw unshowable()
  const [id, id2 = null, ...others] = group.keys.map(keyOf)
  if (!id || others.length > 0) throw unshowable()
  const read = {
    id,
    id2,
    isOfEvents: unwind !== undefined,
    events: conditions.flatMap(eventsOf),
    measures: group.values.map((value) => measureOf(value, fields)),
  }
  const names = measureNames(read)
  const measures = read.measures.map((measure, index) => without(measure, names[index]))
  return {
    ...read,
    id: without(id, usualName(id)),
    id2: id2 && without(id2, usualName(id2)),
    measures,
    ...orderOf(later, [id.name, ...(id2 ? [id2.name] : [])], group.values),
  }
}

const usualName = ({ field, part }: GroupKey): string => keyName({ field, part })

/** Leaves out the usual name. */
function without<T extends { name?: string }>(named: T, usual: string | undefined): T {
  if (named.name !== usual) return named
  const { name: _name, ...rest } = named
  return rest as T
}

function eventsOf(stage: Stage): EventCondition[] {
  if (stage.kind !== 'match') throw unshowable()
  return flatten(stage.condition).map((term) => eventConditionOf(ofEvent(term)))
}

/** A condition on the rows of events names their fields with a prefix. */
function ofEvent(term: Term): Term {
  if (term.kind !== 'field' || !isEventField(term.field)) throw unshowable()
  return { ...term, field: term.field.slice(eventPrefix.length) }
}

function orderOf(
  later: Pipeline,
  keys: readonly (string | undefined)[],
  values: readonly Accumulator[],
): Pick<GroupBy, 'sortBy' | 'sort' | 'limit'> {
  const [sort, limit, ...more] = later[0]?.kind === 'sort' ? later : [undefined, ...later]
  if (more.length > 0 || (limit !== undefined && limit.kind !== 'limit')) throw unshowable()
  if (limit && !groupLimits.some((known) => known === limit.rows)) throw unshowable()
  const rows = limit?.rows ?? null
  if (sort?.kind !== 'sort') return { sortBy: null, sort: 1, limit: rows }
  const [direction, ...others] = new Set(Object.values(sort.order))
  if ((direction !== 1 && direction !== -1) || others.length > 0) throw unshowable()
  const names = Object.keys(sort.order)
  const value = values.findIndex(({ name }) => names.length === 1 && name === names[0])
  const isByKeys = names.length === keys.length && names.every((name, index) => name === keys[index])
  if (value === -1 && !isByKeys) throw unshowable()
  return { sortBy: isByKeys ? 'id' : value, sort: direction, limit: rows }
}

function keyOf(key: Key): GroupKey {
  if (key.kind === 'field') return { field: key.field, part: key.part, name: key.name }
  const [entry, ...more] = isObject(key.expression) ? Object.entries(key.expression) : []
  if (!entry || more.length > 0) throw unshowable()
  throw unknownOperator(entry[0])
}

function measureOf({ name, ratio, ...value }: Accumulator, fields: readonly FilterField[]): Measure {
  if (!ratio) return { ...figureOf(value, fields), name }
  return { ...figureOf(ratio[0], fields), name, divisor: figureOf(ratio[1], fields) }
}

function figureOf({ operator: written, of, where = [] }: Computation, fields: readonly FilterField[]): Figure {
  if (written === null) throw unshowable()
  const conditions = flatten(where).map((term) => conditionOfValue(term, fields))
  const own = conditions.length > 0 && { conditions }
  if (written === 'count' || (written === 'sum' && of === 1 && own)) return { operator: 'count', field: null, ...own }
  const operator = measureOperators.find((known) => known === written)
  if (!operator) throw unknownOperator(`$${written}`)
  const path = operator === 'size' && isObject(of) ? of['$addToSet'] : of
  if (typeof path !== 'string' || !path.startsWith('$')) throw unshowable()
  return { operator, field: path.slice(1), ...own }
}

/** A condition of a value, on a field of contacts or (with its prefix) of events. */
function conditionOfValue(term: Term, fields: readonly FilterField[]): Condition {
  if (term.kind === 'words' || term.kind === 'event') throw unshowable()
  if (term.kind === 'field' && isEventField(term.field)) {
    const { isCustom: _isCustom, field, ...condition } = eventConditionOf(ofEvent(term))
    return { ...condition, field: eventFieldName(field) }
  }
  if (term.kind !== 'field' && term.kind !== 'unread') throw unreadable(term)
  // A field whose name begins with a dollar sign looks like an operator.
  const [written, test] = term.kind === 'field' ? [term.field, term.test] : [term.name, term.of]
  const field = findByName(fields, ({ name }) => name)(written)
  if (!field) throw term.kind === 'field' ? unexpectedField(written) : unreadable(term)
  return conditionOf(field.name, field.type, test)
}
