import { type Field, type FieldType, internalFields } from '@portico/contract/contacts'
import { eventFields } from '@portico/contract/filter'
import { findEventField } from '@portico/domain/event-fields'
import { eventPrefix, type KeyPart, type Pipeline } from '@portico/domain/pipeline/pipeline'

/** The twelve operators as specification 3 §9 writes them, and whether there is a value. */
export type Operator =
  | '='
  | '!='
  | 'contains'
  | 'starts'
  | 'ends'
  | '>'
  | '>='
  | '<'
  | '<='
  | 'in'
  | 'nin'
  | 'regex'
  | 'filled'
  | 'empty'

/** Operators that need no value, as lists show them. */
export const valuelessOperators: Partial<Record<Operator, string>> = { filled: 'has a value', empty: 'has no value' }

const presence: Operator[] = ['filled', 'empty']

const dateOperators: Operator[] = ['=', '!=', '<', '<=', '>', '>=']
const operatorsByType: Record<FieldType, readonly Operator[]> = {
  string: ['=', '!=', 'contains', 'starts', 'ends', 'in', 'nin', 'regex', ...presence],
  number: [...dateOperators, 'in', 'nin', ...presence],
  date: [...dateOperators, ...presence],
  day: [...dateOperators, ...presence],
  boolean: ['=', '!=', ...presence],
}

/** Ids look like text but are not: the server compares them and never searches inside them. */
const idOperators: Operator[] = ['=', '!=', 'in', 'nin']
export const isId = (field: string): boolean => field === '_id'

type Kind = { name: string; type: FieldType }

export const operatorsFor = ({ name, type }: Kind): readonly Operator[] =>
  isId(name) ? idOperators : operatorsByType[type]

const misleading: readonly Operator[] = ['!=', 'nin', 'empty']

/** Operators for events: the test is whether a matching event exists, so `!=`, `nin` and `empty` would mislead. */
export const eventOperatorsFor = ({ type }: Kind): readonly Operator[] =>
  operatorsByType[type].filter((operator) => !misleading.includes(operator))

/** One condition on a field. Its value is text: a day as yyyy-MM-dd, `true` or `false`, a comma-separated list. */
export type Condition = { field: string; type: FieldType; operator: Operator; value: string }

/** A condition on an event; `isCustom` for a field that an application recorded besides those of every event. */
export type EventCondition = Condition & { isCustom: boolean }

/** One event that meets all of the conditions. */
export type EventRow = { conditions: EventCondition[] }

/** Within `distance` miles of a place. */
export type Place = { distance: number; latitude: number; longitude: number }

/**
 * A key to group contacts or events by; `part` (or period) of dates only. An event's field is called `events.event_code`.
 * `name`: of its column, unless it is the usual one.
 */
export type GroupKey = { field: string; part: KeyPart | null; name?: string }

/** `size` is the number of different values. */
export const measureOperators = ['sum', 'max', 'min', 'avg', 'count', 'size'] as const
export type MeasureOperator = (typeof measureOperators)[number]

/** The operators that the builder offers: `distinct` stands for no measure. */
export const groupOperators = ['sum', 'max', 'min', 'avg', 'count', 'distinct', 'size'] as const
export type GroupOperator = (typeof groupOperators)[number]

/**
 * A figure computed of each group. `field`: null with `count`, which needs none. `conditions`: only contacts or events that
 * meet all of them count; they name fields of events with their prefix.
 */
export type Figure = { operator: MeasureOperator; field: string | null; conditions?: Condition[] }

/** A value of each group: a figure, or its ratio to another one. `name`: as of a key. */
export type Measure = Figure & { name?: string; divisor?: Figure }

export const groupLimits = [5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300] as const

export type GroupBy = {
  id: GroupKey
  id2: GroupKey | null
  /** Groups are of events, instead of contacts. */
  isOfEvents: boolean
  /** Conditions that each event of the groups meets. */
  events: EventCondition[]
  /** In order; without any, each group is listed once (`distinct`). */
  measures: Measure[]
  /** By the keys, by a measure, or not at all. */
  sortBy: 'id' | number | null
  sort: 1 | -1
  /** Null for all groups. */
  limit: number | null
}

/** Stages that rows cannot show. `problem` is the reason, for users. */
export type Advanced = { stages: Pipeline; problem: string }

/** Everything that the builder's tabs hold. */
export type Filter = {
  standard: Condition[]
  behavioral: EventRow[]
  location: Place | null
  /** Words to search for in all texts; empty for none. */
  fullText: string
  groupBy: GroupBy | null
  /** Fields to show, in order; empty for the default ones. */
  columns: string[]
  sort: { field: string; order: 1 | -1 } | null
  /** Id of a saved filter, which replaces everything else. */
  predefined: string | null
  /** Replaces everything else too. */
  advanced: Advanced | null
}

export const emptyFilter: Filter = {
  standard: [],
  behavioral: [],
  location: null,
  fullText: '',
  groupBy: null,
  columns: [],
  sort: null,
  predefined: null,
  advanced: null,
}

/** Maximum number of standard conditions, unless the builder's caller sets another. */
export const maxConditions = 4

/** A field that can be filtered by. */
export type FilterField = Pick<Field, 'format' | 'isIndexed' | 'name' | 'type'>

/** Fields to filter, group, show and sort contacts by, including the portal's own. */
export const filterFields = (fields: readonly Field[]): FilterField[] => [...fields, ...internalFields]

export const behavioralFields: FilterField[] = Object.entries(eventFields).map(([name, type]) => ({
  name,
  type,
  isIndexed: true,
}))

/**
 * The number of an import is a name: not available for calculations. Values of own fields of events have types of their own;
 * only their numbers are calculated with.
 */
export const isCalculable = ({ name, type }: Kind): boolean =>
  (type === 'number' && name !== 'Import') ||
  (isEventField(name) && findEventField(name.slice(eventPrefix.length)) === undefined)

/** Fields for which applications record a few recurring values: they are offered. */
export const listedEventFields: readonly string[] = ['app_code', 'event_code', 'pdid']

/** Fields to group by and to compute values of: those of contacts and of events, with the account's own ones. */
export const groupFields = (fields: readonly FilterField[], ownOfEvents: readonly string[]): FilterField[] => [
  ...fields,
  ...behavioralFields.map((field) => ({ ...field, name: eventFieldName(field.name) })),
  ...ownOfEvents.map((name) => ({ name: eventFieldName(name), type: 'string' as const, isIndexed: true })),
]

export const isEventField = (field: string): boolean => field.startsWith(eventPrefix)
export const eventFieldName = (name: string): string => eventPrefix + name

/** Changes the field of a condition: the operator stays if the type allows it, the value if the type is the same. */
export function withField<C extends Condition>(
  condition: C,
  { name, type }: FilterField,
  allowed = operatorsFor({ name, type }),
): C {
  return {
    ...condition,
    field: name,
    type,
    operator: allowed.includes(condition.operator) ? condition.operator : '=',
    value: condition.type === type ? condition.value : '',
  }
}
