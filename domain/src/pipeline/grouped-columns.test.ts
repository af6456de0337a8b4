import { expect, test } from 'vitest'
import { parsePipeline } from './pipeline-json.ts'
import { readGroupedColumns } from './search-rows.ts'

test.each<[string, Record<string, unknown>[], string[] | null]>([
  ['what does not group', [{ $match: { City: 'Rome' } }, { $sort: { City: 1 } }], null],
  [
    'two levels and a value',
    [{ $group: { _id: { City: '$City', Year: { $year: '$Joined' } }, n: {} } }],
    ['City', 'Year', 'n'],
  ],
  ['a single key', [{ $group: { _id: '$City', n: {} } }], ['_id', 'n']],
  ['a part of a date', [{ $group: { _id: { $year: '$Joined' } } }], ['_id']],
  ['one row of all', [{ $group: { _id: null, n: {} } }], ['n']],
  ['nothing at all', [{ $group: { _id: null } }], ['_id']],
  ['fields added', [{ $group: { _id: '$City', n: {} } }, { $addFields: { N: 1, more: 2 } }], ['_id', 'N', 'more']],
  [
    'what is projected',
    [{ $group: { _id: '$City', n: {}, m: {} } }, { $project: { m: 1, twice: {} } }],
    ['_id', 'm', 'twice'],
  ],
  ['without the key', [{ $group: { _id: '$City', n: {} } }, { $project: { _id: 0, n: 1 } }], ['n']],
  ['what is left', [{ $group: { _id: '$City', n: {}, m: {} } }, { $project: { m: 0 } }], ['_id', 'n']],
  ['groups of groups', [{ $group: { _id: '$City' } }, { $group: { _id: null, n: {} } }], ['n']],
  ['a count of groups', [{ $group: { _id: '$City' } }, { $sort: { _id: 1 } }, { $count: 'cities' }], ['cities']],
])('the columns of %s', (_what, stages, columns) => {
  expect(readGroupedColumns(parsePipeline(stages))).toEqual(columns)
})
