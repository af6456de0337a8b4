import { filterLimits } from '@portico/contract/filter'
import { Filter, Pipeline } from '@portico/contract/filter-stages'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Crowd, crowdOf, json } from '#test/kit/crowd.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let crowd: Crowd

beforeAll(async () => {
  portal = await startPortal()
  crowd = await crowdOf(portal)
})
afterAll(() => portal.close())

describe('a query is refused', () => {
  test.each<[string, string, unknown[]]>([
    ['Unknown Operator: "$lookup"', 'a stage', [{ $lookup: {} }]],
    ['Unknown Operator: "$where"', 'code', [{ $match: { $where: '1' } }]],
    ['Unknown Operator: "$all"', 'an operator of events', [{ $match: { events: { $all: [] } } }]],
    ['Unknown Operator: "$size"', 'an operator on a value', [{ $match: { Age: { $size: 1 } } }]],
    ['Unknown Operator: "$near"', 'an operator of the place', [{ $match: { location: { $near: [] } } }]],
    ['Unknown Operator: "$box"', 'another shape', [{ $match: { location: { $geoWithin: { $box: [] } } } }]],
    ['Unknown Operator: "$language"', 'an option of words', [{ $match: { $text: { $search: 'a', $language: 'de' } } }]],
    ['Unknown Operator: "$push"', 'an accumulator', [{ $group: { _id: null, x: { $push: '$Age' } } }]],
    ['Unknown Operator: "$first"', 'what is measured', [{ $group: { _id: null, x: { $size: { $first: '$Age' } } } }]],
    ['Unknown Operator: "$function"', 'an operator of expressions', [{ $addFields: { x: { $function: {} } } }]],
    [
      'Unknown Operator: "$constructor"',
      'an operator that every object has',
      [{ $addFields: { x: { $constructor: 1 } } }],
    ],
    ['Unknown Operator: "$x"', 'a name like an operator', [{ $addFields: { $x: 1 } }]],
    [
      'Unknown Operator: "$text"',
      'words of groups',
      [{ $group: { _id: '$City' } }, { $match: { $text: { $search: 'a' } } }],
    ],
    ['Unexpected field in standard filter: "Nme"', 'a field', [{ $match: { Nme: 1 } }]],
    ['Unexpected field in standard filter: "events"', 'events as a value', [{ $group: { _id: '$events' } }]],
    [
      'Unexpected field in standard filter: "events.event_code"',
      'a field of events that are not unwound',
      [{ $match: { 'events.event_code': 'x' } }],
    ],
    ['Unexpected field in standard filter: "location"', 'the place as a value', [{ $sort: { location: 1 } }]],
    [
      'Unexpected field in standard filter: "Name"',
      'what a group has lost',
      [{ $group: { _id: '$City' } }, { $match: { Name: 'x' } }],
    ],
    [
      'Unexpected field in standard filter: "Age"',
      'what a projection has left out',
      [{ $project: { Name: 1 } }, { $sort: { Age: 1 } }],
    ],
    ['Unexpected field in standard filter: "Nme"', 'leaving out what is not there', [{ $project: { Nme: 0 } }]],
    ['"events" can only be matched by its own operators.', 'a value for events', [{ $match: { events: 'open' } }]],
    ['The condition of "events" is empty.', 'nothing of events', [{ $match: { events: {} } }]],
    [
      '"$elemMatch" needs an object with at least one condition.',
      'an event of any kind',
      [{ $match: { events: { $elemMatch: {} } } }],
    ],
    [
      '"$geoWithin" needs {"$centerSphere": [[longitude, latitude], miles / 3963.2]}.',
      'no circle',
      [{ $match: { location: { $geoWithin: { $centerSphere: [[1], 1] } } } }],
    ],
    [
      'Latitude: Value should be between -90 and 90!',
      'a latitude beyond the pole',
      [{ $match: { location: { $geoWithin: { $centerSphere: [[0, 90.5], 1] } } } }],
    ],
    [
      'Longitude: Value should be between -180 and 180!',
      'a longitude beyond the line',
      [{ $match: { location: { $geoWithin: { $centerSphere: [[-181, 0], 1] } } } }],
    ],
    [
      'The radius of "$centerSphere" cannot be less than 0.',
      'a negative radius',
      [{ $match: { location: { $geoWithin: { $centerSphere: [[0, 0], -1] } } } }],
    ],
    ['"$search" needs a text.', 'no words', [{ $match: { $text: { $search: 1 } } }]],
    ['"$search" needs at least one word.', 'signs for words', [{ $match: { $text: { $search: '!?' } } }]],
    [
      `"$search" takes at most ${filterLimits.searchWords} words.`,
      'many words',
      [{ $match: { $text: { $search: 'a '.repeat(21) } } }],
    ],
    [
      `"$search" takes at most ${filterLimits.searchLength} characters.`,
      'a long text',
      [{ $match: { $text: { $search: 'a'.repeat(1001) } } }],
    ],
    [
      '"$group" needs an object with "_id", the key to group by.',
      'a group of nothing',
      [{ $group: { n: { $sum: 1 } } }],
    ],
    [
      '"_id" of "$group" is a field such as "$City", a part of a date, or null.',
      'a list of keys',
      [{ $group: { _id: ['$City'] } }],
    ],
    [
      `"$group" takes one to ${filterLimits.groupKeys} keys.`,
      'three keys',
      [{ $group: { _id: { a: '$City', b: '$Age', c: '$Name' } } }],
    ],
    ['"n" is named twice.', 'a name for two', [{ $group: { _id: { n: '$City' }, n: { $sum: 1 } } }]],
    [
      '"$cond" takes {"if": {"City": "Oslo"}, "then": "$Age"}: a condition, and a value.',
      'another value in its place',
      [{ $group: { _id: null, x: { $sum: { $cond: { if: { City: 'Oslo' }, then: 1, else: 0 } } } } }],
    ],
    [
      '"$cond" takes {"if": {"City": "Oslo"}, "then": "$Age"}: a condition, and a value.',
      'a value without a condition',
      [{ $group: { _id: null, x: { $avg: { $cond: { if: {}, then: '$Age' } } } } }],
    ],
    [
      'Unexpected field in standard filter: "events"',
      'a value of contacts with an event',
      [{ $group: { _id: null, x: { $sum: { $cond: { if: { events: { $elemMatch: { os: 'x' } } }, then: 1 } } } } }],
    ],
    [
      'Unknown Operator: "$text"',
      'a value of contacts with words',
      [{ $group: { _id: null, x: { $sum: { $cond: { if: { $text: { $search: 'a' } }, then: 1 } } } } }],
    ],
    ['Unknown Operator: "$cond"', 'a condition elsewhere', [{ $addFields: { x: { $cond: { if: {}, then: 1 } } } }]],
    [
      '"$divide" in a "$group" takes two values, such as [{"$sum": "$Age"}, {"$sum": 1}].',
      'half a ratio',
      [{ $group: { _id: null, x: { $divide: [{ $sum: 1 }] } } }],
    ],
    [
      '"$divide" in a "$group" takes numbers only.',
      'a ratio of texts',
      [{ $group: { _id: null, x: { $divide: [{ $max: '$Name' }, { $sum: 1 }] } } }],
    ],
    [
      'Unknown Operator: "$divide"',
      'a ratio of ratios',
      [{ $group: { _id: null, x: { $divide: [{ $divide: [] }, { $sum: 1 }] } } }],
    ],
    ['"$sum" takes numbers only.', 'a sum of texts', [{ $group: { _id: null, x: { $sum: '$Name' } } }]],
    ['"$avg" takes numbers only.', 'an average of dates', [{ $group: { _id: null, x: { $avg: '$Since' } } }]],
    ['"$count" in a "$group" takes {}.', 'a count of something', [{ $group: { _id: null, x: { $count: '$Age' } } }]],
    [
      '"$size" in a "$group" takes {"$addToSet": "$City"}.',
      'a size of something',
      [{ $group: { _id: null, x: { $size: '$City' } } }],
    ],
    [
      '"$addToSet" needs a field, such as "$City".',
      'distinct constants',
      [{ $group: { _id: null, x: { $size: { $addToSet: 1 } } } }],
    ],
    ['"x" needs one operator, such as {"$sum": 1}.', 'a value in a group', [{ $group: { _id: null, x: '$Age' } }]],
    ['"$month" needs a date.', 'the month of a text', [{ $group: { _id: { $month: '$Name' } } }]],
    ['"$unwind" takes "$events" only.', 'another list', [{ $unwind: '$Name' }]],
    [
      '"$unwind" must come before "$group", "$project" and "$count", and only once.',
      'events of groups',
      [{ $group: { _id: '$City' } }, { $unwind: '$events' }],
    ],
    [
      '"$unwind" must come before "$group", "$project" and "$count", and only once.',
      'events of events',
      [{ $unwind: '$events' }, { $unwind: '$events' }],
    ],
    ['"$addFields" needs an object of fields.', 'no fields', [{ $addFields: {} }]],
    ['"$addFields" cannot change "_id".', 'another id', [{ $addFields: { _id: 1 } }]],
    ['"$addFields" cannot change "events.x".', 'another event', [{ $addFields: { 'events.x': 1 } }]],
    [
      'An expression has exactly one operator.',
      'two operators',
      [{ $addFields: { x: { $add: [1], $multiply: [1] } } }],
    ],
    ['An expression takes numbers, text, true and false, not null.', 'null as a value', [{ $addFields: { x: null } }]],
    ['"$add" takes numbers only.', 'adding a text', [{ $addFields: { x: { $add: ['$Name', 1] } } }]],
    ['"$add" takes at least one value.', 'adding nothing', [{ $addFields: { x: { $add: [] } } }]],
    ['"$subtract" takes two values.', 'subtracting three', [{ $addFields: { x: { $subtract: [1, 2, 3] } } }]],
    ['"$divide" takes two values.', 'dividing one', [{ $addFields: { x: { $divide: [1] } } }]],
    [
      '"$round" takes a number and, optionally, a number of decimals.',
      'rounding three',
      [{ $addFields: { x: { $round: [1, 2, 3] } } }],
    ],
    ['"$toString" takes one value.', 'the text of two', [{ $addFields: { x: { $toString: [1, 2] } } }]],
    [
      '"$concat" joins text; convert other values with "$toString".',
      'joining numbers',
      [{ $addFields: { x: { $concat: ['a', '$Age'] } } }],
    ],
    ['"$concat" takes at least one value.', 'joining nothing', [{ $addFields: { x: { $concat: [] } } }]],
    [
      'A number that the filter computes is too large.',
      'more than a number can be',
      [{ $match: { Age: { $gt: 1 } } }, { $addFields: { x: { $multiply: ['$Age', 1e308, 10] } } }],
    ],
    ['"$project" needs an object of fields.', 'a projection of nothing', [{ $project: {} }]],
    [
      '"$project" either includes or excludes fields, not both: "Age" is 0.',
      'both',
      [{ $project: { Name: 1, Age: 0 } }],
    ],
    ['"$count" needs a name.', 'a count without a name', [{ $count: 1 }]],
    ['"" cannot be the name of a field.', 'a name that is empty', [{ $count: '' }]],
    ['"$sort" takes one to 4 fields.', 'an empty order', [{ $sort: {} }]],
    ['"$sort" of "Age" is 1 or -1.', 'another order', [{ $sort: { Age: 2 } }]],
    ['"$skip" needs a whole number of at least 0.', 'half a row', [{ $skip: 0.5 }]],
    ['"$limit" needs a whole number of at least 1.', 'no row', [{ $limit: 0 }]],
    ['Each stage of a filter has exactly one operator.', 'two stages in one', [{ $limit: 1, $skip: 1 }]],
    [
      `A filter takes at most ${filterLimits.stages} stages.`,
      'many stages',
      Array.from({ length: 21 }, () => ({ $match: {} })),
    ],
    [
      `The filter is nested more than ${filterLimits.depth} deep.`,
      'an expression in itself',
      [{ $addFields: { x: Array.from({ length: 21 }).reduce((inner) => ({ $add: [inner] }), 1) } }],
    ],
    [
      `"x8" needs more than ${filterLimits.operations} operations.`,
      'a field that doubles and doubles',
      Array.from({ length: 12 }, (_stage, at) => ({
        $addFields: { [`x${at}`]: { $add: at === 0 ? [1, 1] : [`$x${at - 1}`, `$x${at - 1}`] } },
      })),
    ],
    [
      `A stage can add at most ${filterLimits.fields} fields.`,
      'many fields',
      [{ $addFields: Object.fromEntries(Array.from({ length: 1001 }, (_field, at) => [`f${at}`, 1])) }],
    ],
  ])('%s (%s)', async (message, _what, stages) => {
    expect(await crowd.refusal(...stages)).toBe(message)
  })

  test.each<[string, unknown[]]>([
    ['a stage', [{ $lookup: {} }]],
    ['two stages in one', [{ $limit: 1, $skip: 1 }]],
    ['an operator on a value', [{ $match: { Age: { $size: 1 } } }]],
    ['an operator within $not', [{ $match: { $or: [{ Age: { $not: { $size: 1 } } }] } }]],
    ['an operator of events', [{ $match: { events: { $all: [] } } }]],
    ['another shape', [{ $match: { location: { $geoWithin: { $box: [] } } } }]],
    ['an accumulator', [{ $group: { _id: null, x: { $push: '$Age' } } }]],
    ['an operator of expressions', [{ $addFields: { x: { $add: [1, { $function: {} }] } } }]],
    ['half a row', [{ $skip: 0.5 }]],
    ['another order', [{ $sort: { Age: 2 } }]],
  ])('for %s, also by the description of the API', async (_what, stages) => {
    expect(await crowd.refusal(...stages)).toMatch(/Unknown Operator|needs|is 1 or -1|exactly one/)
    expect(Pipeline.safeParse(stages).success).toBe(false)
    expect(Filter.safeParse(stages).success).toBe(false)
  })

  test('for stages in find that do not return contacts', async () => {
    for (const stage of ['$group', '$unwind', '$addFields', '$count', '$project', '$limit']) {
      const answer = await crowd.ask(`find=${json([{ [stage]: {} }])}`)
      expect(answer.body).toMatchObject({ error: { code: 'invalid_filter', message: `Unknown Operator: "${stage}"` } })
    }
  })

  test('for both find and aggregate', async () => {
    const answer = await crowd.ask(`find=${json([])}&aggregate=${json([])}`)
    expect(answer.body).toMatchObject({
      error: { code: 'invalid_input', message: 'aggregate: Give either "find" or "aggregate".' },
    })
  })
})
