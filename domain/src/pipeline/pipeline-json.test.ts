import {
  array,
  assert,
  constant,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  property,
  record,
  tuple,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filterLimits } from '../filter-limits.ts'
import { writeCondition } from './condition-json.ts'
import type { Row, Stage } from './pipeline.ts'
import { parsePipeline, readPipeline, writePipeline } from './pipeline-json.ts'

const only = (json: Row): Stage | undefined => parsePipeline([json])[0]

describe('a stage is parsed into its kind', () => {
  test.each<[Row, Stage]>([
    [{ $predefined: '7' }, { kind: 'saved', id: '7' }],
    [{ $unwind: '$events' }, { kind: 'unwind', of: '$events' }],
    [{ $addFields: { A: '$B' } }, { kind: 'addFields', fields: { A: '$B' } }],
    [{ $project: { A: 1 } }, { kind: 'project', choices: { A: 1 } }],
    [{ $sort: { A: -1 } }, { kind: 'sort', order: { A: -1 } }],
    [{ $skip: 2 }, { kind: 'skip', rows: 2 }],
    [{ $limit: 3 }, { kind: 'limit', rows: 3 }],
    [{ $count: 'n' }, { kind: 'count', name: 'n' }],
    [
      { $match: { City: 'Oslo', $or: [{ A: 1 }, { $nor: [{ B: 2 }] }] } },
      {
        kind: 'match',
        condition: [
          { kind: 'field', field: 'City', test: 'Oslo' },
          {
            kind: 'or',
            of: [
              [{ kind: 'field', field: 'A', test: 1 }],
              [{ kind: 'nor', of: [[{ kind: 'field', field: 'B', test: 2 }]] }],
            ],
          },
        ],
      },
    ],
    [
      { $match: { events: { $elemMatch: { os: 'x' } }, $text: { $search: 'anna' } } },
      {
        kind: 'match',
        condition: [
          { kind: 'event', condition: [{ kind: 'field', field: 'os', test: 'x' }] },
          { kind: 'words', of: { $search: 'anna' } },
        ],
      },
    ],
    [
      { $match: { events: { $not: { $elemMatch: { os: 'x' } } } } },
      { kind: 'match', condition: [{ kind: 'field', field: 'events', test: { $not: { $elemMatch: { os: 'x' } } } }] },
    ],
  ])('%j', (json, stage) => expect(only(json)).toEqual(stage))
})

describe('a group is parsed into its keys and values', () => {
  const field = (name: string, of: string, part: string | null = null) => ({ kind: 'field', name, field: of, part })
  test.each<[Row, object]>([
    [{ _id: null }, { keys: [], isNamed: false, values: [] }],
    [{ _id: '$City' }, { keys: [field('_id', 'City')], isNamed: false }],
    [{ _id: { $month: '$Joined' } }, { keys: [field('_id', 'Joined', 'month')], isNamed: false }],
    [
      { _id: { C: '$City', Y: { $year: '$Joined' } } },
      { keys: [field('C', 'City'), field('Y', 'Joined', 'year')], isNamed: true },
    ],
    [{ _id: {} }, { keys: [], isNamed: true }],
    [{ _id: 'City' }, { keys: [{ kind: 'computed', name: '_id', expression: 'City' }] }],
    [{ _id: { A: { $concat: ['$A'] } } }, { keys: [{ kind: 'computed', name: 'A', expression: { $concat: ['$A'] } }] }],
    [{ _id: { $month: 'Joined' } }, { keys: [{ kind: 'computed', name: '_id', expression: { $month: 'Joined' } }] }],
    [{ _id: null, n: { $count: {} } }, { values: [{ name: 'n', operator: 'count', of: {} }] }],
    [{ _id: null, n: { $sum: '$A' } }, { values: [{ name: 'n', operator: 'sum', of: '$A' }] }],
    [
      { _id: null, n: { $avg: { $cond: { if: { City: 'Oslo' }, then: '$A' } } } },
      { values: [{ name: 'n', operator: 'avg', of: '$A', where: [{ kind: 'field', field: 'City', test: 'Oslo' }] }] },
    ],
    [
      { _id: null, n: { $size: { $addToSet: { $cond: { if: { A: 1 }, then: '$B' } } } } },
      {
        values: [
          { name: 'n', operator: 'size', of: { $addToSet: '$B' }, where: [{ kind: 'field', field: 'A', test: 1 }] },
        ],
      },
    ],
    [
      { _id: null, n: { $divide: [{ $sum: '$A' }, { $count: {} }] } },
      {
        values: [
          {
            name: 'n',
            operator: 'divide',
            of: null,
            ratio: [
              { operator: 'sum', of: '$A' },
              { operator: 'count', of: {} },
            ],
          },
        ],
      },
    ],
    [{ _id: null, n: { $divide: ['$A'] } }, { values: [{ name: 'n', operator: 'divide', of: ['$A'] }] }],
    [
      { _id: null, n: { $sum: { $cond: { if: {}, then: 1, else: 0 } } } },
      { values: [{ name: 'n', operator: 'sum', of: { $cond: { if: {}, then: 1, else: 0 } } }] },
    ],
    [{ _id: null, n: 5 }, { values: [{ name: 'n', operator: null, of: 5 }] }],
    [{ _id: null, n: { $sum: 1, $avg: 1 } }, { values: [{ name: 'n', operator: null, of: { $sum: 1, $avg: 1 } }] }],
  ])('%j', (group, read) => expect(only({ $group: group })).toMatchObject(read))
})

test.each<[Row]>([
  [{}],
  [{ $match: {}, $sort: { A: 1 } }],
  [{ $match: null }],
  [{ $match: [] }],
  [{ $group: { n: { $count: {} } } }],
  [{ $group: 'City' }],
  [{ $limit: '5' }],
  [{ $count: 5 }],
  [{ $predefined: null }],
  [{ $lookup: {} }],
])('%j is kept unread', (json) => expect(only(json)).toEqual({ kind: 'unread', json }))

test('terms that no compiler accepts are kept unread', () => {
  const condition = { $or: 'x', $and: [null], $where: 1, $nor: [{ A: 1 }, 2] }
  expect(only({ $match: condition })).toEqual({
    kind: 'match',
    condition: Object.entries(condition).map(([name, of]) => ({ kind: 'unread', name, of })),
  })
})

test('conditions beyond the depth limit are kept unread without overflowing the stack', () => {
  const nest = (depth: number): Row => JSON.parse('{"$and":['.repeat(depth) + '{"A":1}' + ']}'.repeat(depth)) as Row
  expect(JSON.stringify(only({ $match: nest(filterLimits.depth) }))).not.toContain('unread')
  expect(JSON.stringify(only({ $match: nest(filterLimits.depth + 1) }))).toContain('unread')
  const deep = [{ $match: nest(5000) }]
  expect(writePipeline(parsePipeline(deep))).toEqual(deep)
})

test('only lists of objects are read as pipelines', () => {
  expect(readPipeline([])).toEqual([])
  for (const json of [null, {}, 'x', [1], [null], [[]]]) expect(readPipeline(json)).toBeNull()
})

test('terms of the same name are all kept', () => {
  const range = [
    { kind: 'field' as const, field: 'A', test: { $gt: 1 } },
    { kind: 'field' as const, field: 'A', test: { $lt: 9 } },
  ]
  expect(writeCondition(range)).toEqual({ $and: [{ A: { $gt: 1 } }, { A: { $lt: 9 } }] })
})

const name = constantFrom('City', 'events', 'events.os', '_id', '1', '__proto__', '$A', '')
const operators = [
  '$match $predefined $unwind $group $addFields $project $sort $skip $limit $count'.split(' '),
  '$and $or $nor $text $elemMatch $month $sum $gt'.split(' '),
].flat()
const objects = dictionary(oneof(name, constantFrom(...operators)), jsonValue({ maxDepth: 2 }))
const conditions = oneof(
  objects,
  record({ $and: array(objects), City: jsonValue() }),
  record({ events: record({ $elemMatch: objects }) }),
)
const keys = oneof(constant(null), constant('$City'), record({ $year: constant('$Joined') }), objects)
const operands = oneof(
  constant('$A'),
  jsonValue({ maxDepth: 1 }),
  record({ $cond: record({ if: record({ City: constantFrom('Oslo', null) }), then: constantFrom('$A', 1) }) }),
)
const figures = oneof(
  record({ $sum: operands }),
  record({ $avg: operands }),
  record({ $size: record({ $addToSet: operands }) }),
)
const values = oneof(objects, dictionary(name, oneof(figures, record({ $divide: array(figures, { maxLength: 3 }) }))))
const groups = tuple(keys, values).map(([id, values]) => ({ ...values, _id: id }))
const stages = oneof(
  objects,
  record({ $match: conditions }),
  record({ $group: groups }),
  tuple(constantFrom(...operators), objects).map(([operator, value]) => ({ [operator]: value })),
)

test('every pipeline is written back unchanged', () => {
  assert(
    property(array(stages), (json) => {
      const written = writePipeline(parsePipeline(json))
      expect(JSON.parse(JSON.stringify(written))).toEqual(JSON.parse(JSON.stringify(json)))
    }),
    { numRuns: 1000 },
  )
})
