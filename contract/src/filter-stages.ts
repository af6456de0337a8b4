import { z } from 'zod'
import { filterLimits } from './filter.ts'

// The stages and operators that the server knows, for the API's description. Requests are not checked by these schemas
// but by the compiler, which knows the account's fields and gives better messages; so the schemas accept everything
// that can be valid. See filter.ts for how the language works.

const names = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[]

const Value = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .describe('Of the field’s type; a date as `2026-01-31` or `2026-01-31T09:30:00Z`. Null and "" mean: no value.')
const List = z.array(Value).max(filterLimits.listValues)
const Bound = z.union([z.string(), z.number()])

const DatePart = z.number().int()
/** Operators that compare a part of a date with a whole number. */
export const datePartOperators = ['$year', '$month', '$dayOfMonth', '$hour', '$dayOfWeek'] as const
export type DatePartOperator = (typeof datePartOperators)[number]

const fieldTests = {
  $eq: Value,
  $ne: Value,
  $gt: Bound,
  $gte: Bound,
  $lt: Bound,
  $lte: Bound,
  $in: List,
  $nin: List,
  $exists: z.boolean(),
  $regex: z.string().max(filterLimits.patternLength),
  $options: z.enum(['', 'i']).describe('Of `$regex`: `i` takes no notice of the case of letters.'),
  $year: DatePart,
  $month: DatePart,
  $dayOfMonth: DatePart,
  $hour: DatePart,
  $dayOfWeek: DatePart.describe('1 is Sunday.'),
}

/** Units of `$dateTrunc`; weeks begin on Monday. */
export const dateUnits = ['day', 'week', 'month', 'quarter', 'year'] as const
export type DateUnit = (typeof dateUnits)[number]

/** Operators that compare a field. All operators of an object must hold. */
export const FieldTests = z.strictObject({
  ...optional(fieldTests),
  get $not(): z.ZodOptional {
    return FieldTests.optional()
  },
})
export const fieldOperators = [...names(fieldTests), '$not'] as const
export type FieldOperator = (typeof fieldOperators)[number]

const FieldTest = z.union([Value, FieldTests]).describe('A value the field has to have, or operators.')

/** Conditions on one event: on its fields, or on its details by any other name. */
export const EventCondition = z
  .object({
    get $and(): z.ZodOptional {
      return z.array(EventCondition).min(1).optional()
    },
    get $or(): z.ZodOptional {
      return z.array(EventCondition).min(1).optional()
    },
    get $nor(): z.ZodOptional {
      return z.array(EventCondition).min(1).optional()
    },
  })
  .catchall(FieldTest)

const Circle = z.tuple([z.tuple([z.number(), z.number()]), z.number().min(0)])

export const EventsTest = z.strictObject({
  $elemMatch: EventCondition.optional().describe('One event meets all the conditions.'),
  get $not(): z.ZodOptional {
    return EventsTest.optional()
  },
})
export const LocationTest = z.strictObject({
  $geoWithin: z
    .strictObject({ $centerSphere: Circle })
    .optional()
    .describe('Within a circle: `[[longitude, latitude], miles / 3963.2]`.'),
  get $not(): z.ZodOptional {
    return LocationTest.optional()
  },
})
export const WordsTest = z.strictObject({
  $search: z.string().max(filterLimits.searchLength).optional(),
  get $not(): z.ZodOptional {
    return WordsTest.optional()
  },
})

/** Conditions by names of fields, all of which must hold. */
export const Condition = z
  .object({
    get $and(): z.ZodOptional {
      return z.array(Condition).min(1).optional()
    },
    get $or(): z.ZodOptional {
      return z.array(Condition).min(1).optional()
    },
    get $nor(): z.ZodOptional {
      return z.array(Condition).min(1).optional()
    },
    $text: WordsTest.optional(),
    // A field created by an earlier stage may have one of these names, and is then compared like any other.
    events: z.union([EventsTest, FieldTest]).optional(),
    location: z.union([LocationTest, FieldTest]).optional(),
  })
  .catchall(FieldTest)

const Constant = z.union([z.string(), z.number(), z.boolean()])

// Recursive. Each operator takes one operand or several; the compiler checks how many.
const Operands: z.ZodType = z.lazy(() => z.union([Expression, z.array(Expression)]))
const PeriodOfDate: z.ZodType = z
  .lazy(() => z.strictObject({ date: Expression, unit: z.enum(dateUnits) }))
  .describe('The first day of the period that the date is in, in the account’s time zone. Weeks begin on Monday.')
const expressions = {
  $add: Operands,
  $subtract: Operands,
  $multiply: Operands,
  $divide: Operands,
  $round: Operands,
  $concat: Operands,
  $toString: Operands,
  $year: Operands,
  $month: Operands,
  $dayOfMonth: Operands,
  $hour: Operands,
  $dayOfWeek: Operands,
  $dateTrunc: PeriodOfDate,
}
/** Operators over other expressions. */
export type ExpressionOperator = keyof typeof expressions

/** `"$field"`, a constant, or one operator over expressions. */
export const Expression = z.union([
  Constant,
  z.strictObject(optional({ ...expressions, $literal: Constant })).describe('Exactly one operator.'),
])

/** A value of those rows only that meet a condition on their fields. */
const conditional = <T extends z.ZodType>(of: T) =>
  z.union([of, z.strictObject({ $cond: z.strictObject({ if: Condition, then: of }) })])

const accumulators = {
  $sum: conditional(Expression),
  $avg: conditional(Expression),
  $min: conditional(Expression),
  $max: conditional(Expression),
  $count: z.strictObject({}),
  $size: z.strictObject({ $addToSet: conditional(z.string()) }).describe('How many different values there are.'),
}
export const accumulatorNames = names(accumulators)
export type AccumulatorName = (typeof accumulatorNames)[number]

const Computation = z.strictObject(optional(accumulators)).describe('Exactly one operator.')

/** A value computed from all rows of a group, or from those that meet a condition, or the ratio of two such values. */
export const Accumulator = z.union([
  Computation,
  z.strictObject({ $divide: z.tuple([Computation, Computation]) }).describe('No value after a division by zero.'),
])

const GroupKey = z
  .union([z.null(), Expression, z.record(z.string(), Expression)])
  .describe(`An expression, an object of one to ${filterLimits.groupKeys} by name, or null for one row of all.`)

const Order = z.record(z.string(), z.union([z.literal(1), z.literal(-1)]))

/** Stages that select contacts. */
const whichStages = { $match: Condition }
const givingStages = {
  ...whichStages,
  $unwind: z.union([
    z.literal('$events'),
    z.strictObject({ path: z.literal('$events'), preserveNullAndEmptyArrays: z.boolean().optional() }),
  ]),
  $group: z.object({ _id: GroupKey }).catchall(Accumulator),
  $addFields: z.record(z.string(), Expression),
  $project: z.record(z.string(), Expression).describe('1 gives a field, 0 leaves it out, else what is to be given.'),
  $sort: Order,
  $skip: z.number().int().min(0),
  $limit: z.number().int().min(1),
  $count: z.string().min(1),
}
/** Stages of a pipeline, in any order. */
export const pipelineStages = names(givingStages)
export type PipelineStage = (typeof pipelineStages)[number]

const savedStage = { $predefined: z.string().describe('Id of a saved filter, which is replaced by its stages.') }

/** Selects contacts. Rows of other lists are filtered in the same way, by their own fields only. */
export const Filter = stagesOf({ ...whichStages, ...savedStage })
/** Selects and transforms contacts. */
export const Pipeline = stagesOf({ ...givingStages, ...savedStage })

function stagesOf(table: Record<string, z.ZodType>) {
  const stages = Object.entries(table).map(([name, stage]) => z.strictObject({ [name]: stage }))
  return z.array(z.union(stages)).max(filterLimits.stages)
}

function optional<T extends Record<string, z.ZodType>>(table: T): { [Name in keyof T]: z.ZodOptional<T[Name]> } {
  const entries = Object.entries(table).map(([name, schema]) => [name, schema.optional()])
  // The same names, all optional.
  return Object.fromEntries(entries) as { [Name in keyof T]: z.ZodOptional<T[Name]> }
}
