import { z } from 'zod'
import { filterLimits } from './filter.ts'

// What filters and pipelines are made of: the tables below are the stages and operators that the server knows, and what
// the API's description shows. A request is not checked by them but where it is compiled, which can say what is wrong with
// it and knows the account's fields; so they take everything that can be right, and refuse what never is.
// How it all works together is told in filter.ts.

const names = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[]

const Value = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .describe('Of the field’s type; a date as `2026-01-31` or `2026-01-31T09:30:00Z`. Null and "" mean: no value.')
const List = z.array(Value).max(filterLimits.listValues)
const Bound = z.union([z.string(), z.number()])

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
}

/** Operators that compare a field: all of one object have to hold. */
export const FieldTests = z.strictObject({
  ...optional(fieldTests),
  get $not(): z.ZodOptional {
    return FieldTests.optional()
  },
})
export const fieldOperators = [...names(fieldTests), '$not'] as const
export type FieldOperator = (typeof fieldOperators)[number]

const FieldTest = z.union([Value, FieldTests]).describe('A value the field has to have, or operators.')

/** Conditions on one event: on its own fields, or by any other name on what the application recorded with it. */
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

/** Conditions by names of fields, all of which have to hold. */
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
    // A field that an earlier stage has made may be called like these, and is compared like any other then.
    events: z.union([EventsTest, FieldTest]).optional(),
    location: z.union([LocationTest, FieldTest]).optional(),
  })
  .catchall(FieldTest)

const Constant = z.union([z.string(), z.number(), z.boolean()])

// Recursive, and each operator takes one operand or several: how many is told where it is compiled.
const Operands: z.ZodType = z.lazy(() => z.union([Expression, z.array(Expression)]))
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
}
/** Operators that work something out of other expressions. */
export type ExpressionOperator = keyof typeof expressions

/** `"$field"`, a constant, or one operator over expressions. */
export const Expression = z.union([
  Constant,
  z.strictObject(optional({ ...expressions, $literal: Constant })).describe('Exactly one operator.'),
])

const accumulators = {
  $sum: Expression,
  $avg: Expression,
  $min: Expression,
  $max: Expression,
  $count: z.strictObject({}),
  $size: z.strictObject({ $addToSet: z.string() }).describe('How many different values there are.'),
}
export const accumulatorNames = names(accumulators)
export type AccumulatorName = (typeof accumulatorNames)[number]

/** What is worked out of all rows of a group. */
export const Accumulator = z.strictObject(optional(accumulators)).describe('Exactly one operator.')

const GroupKey = z
  .union([z.null(), Expression, z.record(z.string(), Expression)])
  .describe(`An expression, an object of one to ${filterLimits.groupKeys} by name, or null for one row of all.`)

const Order = z.record(z.string(), z.union([z.literal(1), z.literal(-1)]))

/** What says which contacts are meant. */
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
/** Stages of a pipeline, which may stand in any order. */
export const pipelineStages = names(givingStages)
export type PipelineStage = (typeof pipelineStages)[number]

const savedStage = { $predefined: z.string().describe('Id of a saved filter, whose stages stand in its place.') }

/** Which contacts are meant. Rows of other lists are filtered in the same way, by their own fields alone. */
export const Filter = stagesOf({ ...whichStages, ...savedStage })
/** What is given of them. */
export const Pipeline = stagesOf({ ...givingStages, ...savedStage })

function stagesOf(table: Record<string, z.ZodType>) {
  const stages = Object.entries(table).map(([name, stage]) => z.strictObject({ [name]: stage }))
  return z.array(z.union(stages)).max(filterLimits.stages)
}

function optional<T extends Record<string, z.ZodType>>(table: T): { [Name in keyof T]: z.ZodOptional<T[Name]> } {
  const entries = Object.entries(table).map(([name, schema]) => [name, schema.optional()])
  // The same names, each of which may be left out.
  return Object.fromEntries(entries) as { [Name in keyof T]: z.ZodOptional<T[Name]> }
}
