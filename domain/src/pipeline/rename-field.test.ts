import { expect, test } from 'vitest'
import type { Row } from './pipeline.ts'
import { parsePipeline, writePipeline } from './pipeline-json.ts'
import { keepsMeaning, renameField } from './rename-field.ts'

const rename = (stages: Row[], from = 'City', to = 'Town') => {
  const { pipeline, columnOf } = renameField(parsePipeline(stages), { from, to })
  return { stages: writePipeline(pipeline), columnOf }
}
const renamed = (stages: Row[]): Row[] => rename(stages).stages

test('conditions, sorts and column choices are renamed in any letter case; events and values are not', () => {
  expect(
    renamed([
      {
        $match: { city: 'City', events: { $elemMatch: { City: 1 } }, $or: [{ City: { $in: ['$City'] } }, { Age: 1 }] },
      },
      { $match: { 'events.City': 1, $text: { $search: 'City' } } },
      { $sort: { City: -1, Age: 1 } },
      { $project: { City: 1, Age: 1 } },
    ]),
  ).toEqual([
    { $match: { Town: 'City', events: { $elemMatch: { City: 1 } }, $or: [{ Town: { $in: ['$City'] } }, { Age: 1 }] } },
    { $match: { 'events.City': 1, $text: { $search: 'City' } } },
    { $sort: { Town: -1, Age: 1 } },
    { $project: { Town: 1, Age: 1 } },
  ])
})

test('expressions are renamed, constants are not', () => {
  const before = { $concat: ['$City', 'City', { $literal: '$City' }, { $toString: { $add: ['$CITY', 1] } }] }
  const after = { $concat: ['$Town', 'City', { $literal: '$City' }, { $toString: { $add: ['$Town', 1] } }] }
  expect(renamed([{ $addFields: { Both: before } }])).toEqual([{ $addFields: { Both: after } }])
})

test('a column that overwrites the field is renamed, one of a projection keeps its name', () => {
  expect(
    renamed([{ $addFields: { City: { $toLower: '$City' } } }, { $match: { City: 'x' } }, { $sort: { City: 1 } }]),
  ).toEqual([{ $addFields: { Town: { $toLower: '$Town' } } }, { $match: { Town: 'x' } }, { $sort: { Town: 1 } }])
  expect(renamed([{ $project: { City: { $toLower: '$City' } } }, { $match: { City: 'x' } }])).toEqual([
    { $project: { City: { $toLower: '$Town' } } },
    { $match: { City: 'x' } },
  ])
})

const saved: Record<string, Row[]> = {
  lower: [{ $addFields: { City: { $toLower: '$City' } } }],
  groups: [{ $group: { _id: { City: '$City' }, 'sum of Age': { $sum: '$Age' } } }],
  inner: [{ $predefined: 'lower' }, { $match: { City: 'x' } }],
  itself: [{ $predefined: 'itself' }],
  town: [{ $addFields: { Town: 'x' } }],
}
const savedOf = (id: string) => (saved[id] ? parsePipeline(saved[id]) : null)

test('columns from saved filters are resolved', () => {
  const { columnOf } = renameField(parsePipeline([{ $predefined: 'groups' }]), { from: 'Age', to: 'Years' }, savedOf)
  expect(['sum of Age', 'Age'].map(columnOf)).toEqual(['sum of Years', 'Age'])
  const grouped = renameField(parsePipeline([{ $predefined: 'groups' }, { $match: { City: 'x' } }]), cityTown, savedOf)
  expect(writePipeline(grouped.pipeline)).toEqual([{ $predefined: 'groups' }, { $match: { Town: 'x' } }])
})

const cityTown = { from: 'City', to: 'Town' }
const keeps = (stages: Row[]): boolean =>
  keepsMeaning(
    (definition: Row[], rename) => {
      const { pipeline, isClear } = renameField(parsePipeline(definition), rename, rename.saved)
      return { renamed: writePipeline(pipeline), isClear }
    },
    stages,
    { ...cityTown, saved: savedOf },
  )

test.each<[boolean, string, Row[]]>([
  [true, 'letter case alone differs afterwards', [{ $match: { city: 'x' } }]],
  [true, 'the field is computed', [{ $addFields: { City: 'x' } }, { $match: { City: 'x' } }]],
  [true, 'a saved filter computes the field', [{ $predefined: 'lower' }, { $match: { City: 'x' } }]],
  [true, 'a saved filter within another does', [{ $predefined: 'inner' }, { $sort: { City: 1 } }]],
  [true, 'a saved filter uses itself or is gone', [{ $predefined: 'itself' }, { $predefined: 'gone' }]],
  [true, 'the new name is that of a column of groups', [{ $group: { _id: '$Age', Town: { $sum: 1 } } }]],
  [true, 'the new name is all that a projection has', [{ $project: { Town: '$City' } }, { $match: { Town: 'x' } }]],
  [false, 'the new name is computed', [{ $addFields: { Town: 'x' } }, { $match: { City: 'x' } }]],
  [false, 'the new name is computed, and the old one not read', [{ $addFields: { town: 'x' } }]],
  [false, 'a projection has both', [{ $project: { City: 1, Town: '$Age' } }]],
  [false, 'a saved filter computes the new name', [{ $predefined: 'town' }, { $match: { City: 'x' } }]],
  [false, 'the new name is read', [{ $match: { Town: 'x' } }]],
  [false, 'both are read', [{ $sort: { City: 1, Town: 1 } }]],
  [false, 'a key of groups would be named after the field', [{ $group: { _id: { Town: '$City' } } }]],
  [
    false,
    'a saved filter means a computed column here',
    [{ $group: { _id: '$Age', City: { $max: '$Age' } } }, { $predefined: 'lower' }],
  ],
])('%s: %s', (isKept, _what, stages) => {
  expect(keeps(stages)).toBe(isKept)
})

test('group columns named after the field are renamed, and so are later stages', () => {
  const { stages, columnOf } = rename([
    { $group: { _id: { City: '$City', Y: { $year: '$Born' } }, 'max of City': { $max: '$City' }, n: { $count: {} } } },
    { $sort: { 'max of City': 1, City: -1 } },
    { $addFields: { Long: '$City' } },
  ])
  expect(stages).toEqual([
    { $group: { _id: { Town: '$Town', Y: { $year: '$Born' } }, 'max of Town': { $max: '$Town' }, n: { $count: {} } } },
    { $sort: { 'max of Town': 1, Town: -1 } },
    { $addFields: { Long: '$Town' } },
  ])
  expect(['City', 'max of City', 'n', 'Long'].map(columnOf)).toEqual(['Town', 'max of Town', 'n', 'Long'])
})

test('other group columns keep their names, even if another field has that name', () => {
  const stages = [{ $group: { _id: { Place: '$City', Town: '$Age' }, City: { $sum: '$Age' } } }, { $sort: { City: 1 } }]
  expect(renamed(stages)).toEqual([
    { $group: { _id: { Place: '$Town', Town: '$Age' }, City: { $sum: '$Age' } } },
    { $sort: { City: 1 } },
  ])
  expect(renamed([{ $group: { _id: '$City', Town: { $count: {} } } }])).toEqual([
    { $group: { _id: '$Town', Town: { $count: {} } } },
  ])
  expect(renamed([{ $group: { _id: { City: '$City', Town: '$Age' } } }])).toEqual([
    { $group: { _id: { City: '$Town', Town: '$Age' } } },
  ])
})

test('conditions of values and parts of ratios are renamed', () => {
  const opted = (field: string) => ({ $sum: { $cond: { if: { $and: [{ [field]: 'Oslo' }] }, then: 1 } } })
  const group = (field: string) => ({
    $group: {
      _id: null,
      n: opted(field),
      size: { $size: { $addToSet: { $cond: { if: { [field]: 'x' }, then: `$${field}` } } } },
      rate: { $divide: [opted(field), { $avg: '$Age' }] },
    },
  })
  expect(renamed([group('City')])).toEqual([group('Town')])
})

test('date parts and numeric names are written as by the filter builder', () => {
  const group = { $group: { _id: { 'Born (month)': { $month: '$Born' } } } }
  expect(rename([group], 'Born', 'Birthday').stages).toEqual([
    { $group: { _id: { 'Birthday (month)': { $month: '$Birthday' } } } },
  ])
  expect(rename([{ $group: { _id: { City: '$City' } } }], 'City', '2024').stages).toEqual([
    { $group: { _id: { '"2024"': '$2024' } } },
  ])
})

test('a pipeline without the field stays as it is', () => {
  const stages = [{ $match: { Age: 1 } }, { $group: { _id: { Age: '$Age' }, n: { $sum: '$Age' } } }, { $limit: 5 }]
  expect(renamed(stages)).toEqual(stages)
})
