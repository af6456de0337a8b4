import { z } from 'zod'
import { canonicalJson, jsonIn } from './json-values.ts'
import { ReadText, readBy } from './read-text.ts'

/**
 * Unchecked stages of the filter language, a MongoDB-style pipeline; see `filter-stages.ts` for each stage.
 *
 * **Selecting contacts** (`find` of lists, exports, deletes, saved filters): any number of `{$match: {…}}`, with
 * `{field: value}` and `$eq $ne $gt $gte $lt $lte $in $nin $exists $regex` (and `$options: 'i'`) and `$not`, joined by
 * `$and $or $nor`; of dates also `$year $month $dayOfMonth $hour $dayOfWeek`, each with a whole number. Of contacts
 * also:
 * - `events: {$elemMatch: {…}}`: one event meets all conditions. Its fields are those of `eventFields`; any other name
 *   is a detail that the application has recorded, compared by the type of the value: text, number or boolean.
 * - `location: {$geoWithin: {$centerSphere: [[longitude, latitude], miles / 3963.2]}}`.
 * - `$text: {$search: 'words'}`: full-text search for words that begin with these; the best match comes first.
 * - A stage `{$predefined: id}` is replaced by the stages of a saved filter.
 *
 * **Pipelines** (`aggregate`): stages in any order, each working on the rows of the one before.
 * - `{$unwind: '$events'}`: a row for each event; its fields are called `events.event_code` and so on.
 * - `{$group: {_id: key, name: {accumulator}}}`: `key` is `'$City'`, a part of a date such as `{$month: '$Joined'}`,
 *   a period across years such as `{$dateTrunc: {date: '$Joined', unit: 'month'}}`, an object of one or two of them by name (`{City: '$City', Month: {…}}`), or null for one row of all. Accumulators:
 *   `$sum $avg $min $max` of a field or expression, `{$sum: 1}` or `{$count: {}}`, and `{$size: {$addToSet: '$City'}}`,
 *   the number of different values. `{$sum: {$cond: {if: {City: 'Oslo'}, then: '$Age'}}}` computes of those rows only that
 *   meet a condition, as in a `$match` but without events, places and words; `then: 1` counts them; all accumulators but
 *   `$count` take it. `{$divide: [{accumulator}, {accumulator}]}` is the ratio of two. Rows are flat: `_id` or the names of the keys, and the accumulators; null where
 *   there is no value. The different values of a field are a `$group` without accumulators.
 * - `{$addFields: {name: expression}}`, `{$project: {name: 1 | 0 | expression}}`: expressions are `'$field'`, constants,
 *   `$add $subtract $multiply $divide $round $concat $toString $literal`, and parts of dates, `$year $month $dayOfMonth
 *   $hour $dayOfWeek` (1 is Sunday), and periods: `$dateTrunc` gives the first day of a day, week (from Monday), month,
 *   quarter or year as `2026-10-01`. Without a value for an operand there is none, nor for a division by zero; `$round` takes 2.5 to 3.
 * - `$sort`, `$skip`, `$limit`, `{$count: name}`.
 *
 * Fields have the names that their owner gave them, in any letter case; contacts also have `_id`, `purl`, `basePurl`,
 * `purlNumber` and `Import`. A value has to be of the field's type: text, a number, true or false, a date as
 * `2026-01-31` (the whole day, in the account's time zone) or `2026-01-31T09:30:00Z` (the moment). Parts of dates are
 * those in the account's time zone. A field of days has no time zone: a moment is compared with it as its day in the
 * account's time zone, and the hour of a day is 0.
 *
 * Rows without a value are found by `$ne`, `$nin`, `$not`, `$nor`, `$exists: false`, `null` and the empty text, never
 * by a comparison or `$regex`; sorted, they come last either way. Text is compared letter by letter, as it was typed:
 * 'anna' is not 'Anna', in `$eq` and `$in` as in `$regex`, groups and distinct values, because only then can an
 * index find it at once, and two different values never become one. `$regex` with `$options: 'i'` and `$text` ignore
 * case. `$gt`, `$lt` and sorting go by the order that people expect (letter case and accents count last).
 */
export const Stages = readBy(z.array(z.record(z.string(), z.unknown())), (stages) => ReadText.stages(stages))
export type Stages = z.output<typeof Stages>

/** Stages of a pipeline, which may also transform rows. */
export const PipelineStages = readBy(z.array(z.record(z.string(), z.unknown())), (stages) => ReadText.stages(stages))

/**
 * Stages as the text of their JSON. Any other text stays as it is: it is refused later, where the account's fields are
 * known, with the other problems of a filter.
 */
export const stagesText = (schema: z.ZodType<string, string>) =>
  readBy(schema.transform(canonicalJson), (text) => {
    const stages = jsonIn(text)
    return Array.isArray(stages) ? ReadText.stages(stages) : text
  })

/** Radius of the earth in miles, by which `$centerSphere` divides a distance. */
export const earthRadiusMiles = 3963.2

export { eventFields } from '@portico/domain/event-fields'
export { filterLimits } from '@portico/domain/filter-limits'
