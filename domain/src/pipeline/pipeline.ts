/** Names and values as JSON has them. */
export type Row = Record<string, unknown>

/** Stages of the filter language, each working on the rows of the one before (`contract/src/filter.ts` describes them). */
export type Pipeline = readonly Stage[]

export type Stage =
  | { kind: 'match'; condition: Condition }
  /** The stages of a saved filter. */
  | { kind: 'saved'; id: string }
  | { kind: 'unwind'; of: unknown }
  | Group
  | { kind: 'addFields'; fields: Row }
  | { kind: 'project'; choices: Row }
  /** By field: 1 is ascending, -1 descending. */
  | { kind: 'sort'; order: Row }
  | { kind: 'skip'; rows: number }
  | { kind: 'limit'; rows: number }
  | { kind: 'count'; name: string }
  /** A stage that no compiler accepts, kept so that it is refused with its own message. */
  | { kind: 'unread'; json: Row }

export type StageKind = Stage['kind']

/**
 * One row for each value of the keys, with a column for each key and each value. Without keys it is one row of all. Keys
 * that are not named have one key at most, whose column is called `_id`.
 */
export type Group = { kind: 'group'; keys: readonly Key[]; isNamed: boolean; values: readonly Accumulator[] }

/** Parts of dates, as expressions and conditions name them after a `$`. */
export const dateParts = ['year', 'month', 'dayOfMonth', 'hour', 'dayOfWeek'] as const
export type DatePart = (typeof dateParts)[number]

/** Periods of a date that follow each other across years, by the unit of `$dateTrunc`. Weeks begin on Monday. */
export const periods = ['by day', 'by week', 'by month', 'by quarter', 'by year'] as const
export type Period = (typeof periods)[number]

/** A part or a period of a date, as keys have them. */
export type KeyPart = DatePart | Period

export const isPeriod = (part: KeyPart | null): part is Period => part?.startsWith('by ') === true

/** A key of a group: a field, a part or a period of a date, or a computed value. */
export type Key = FieldKey | { kind: 'computed'; name: string; expression: unknown }
export type FieldKey = { kind: 'field'; name: string; field: string; part: KeyPart | null }

/**
 * A value computed of a group. `operator` is without its `$`; null for one that no compiler accepts. `where`: only rows
 * that meet it count.
 */
export type Computation = { operator: string | null; of: unknown; where?: Condition }

/** A value of a group with its name. `ratio`: the dividend and the divisor of a `divide`, whose `of` is null. */
export type Accumulator = Computation & { name: string; ratio?: readonly [Computation, Computation] }

/** Terms that must all hold. */
export type Condition = readonly Term[]

export type Term =
  | { kind: 'and' | 'or' | 'nor'; of: readonly Condition[] }
  /** One event meets the condition. */
  | { kind: 'event'; condition: Condition }
  /** Words of a full-text search. */
  | { kind: 'words'; of: unknown }
  /** `test`: the value that the field must have, or operators. */
  | { kind: 'field'; field: string; test: unknown }
  /** A term that no compiler accepts. */
  | { kind: 'unread'; name: string; of: unknown }

/** A row for each event of a contact. */
export const unwindEvents: Stage = { kind: 'unwind', of: '$events' }

/** The start of the names of fields of events, among the fields of contacts. */
export const eventPrefix = 'events.'

export const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
