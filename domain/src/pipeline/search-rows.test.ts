import { expect, test } from 'vitest'
import type { Row } from './pipeline.ts'
import { parsePipeline, writePipeline } from './pipeline-json.ts'
import { pickChoosing, readColumns, readSavedId, readSearchKind, readSort, takeChoosing } from './search-rows.ts'

const match = { $match: { City: 'Oslo' } }

test.each<[string, Row[]]>([
  ['contacts', []],
  ['contacts', [match, { $predefined: '1' }, { $sort: { City: 1 } }, { $project: { City: 1 } }]],
  ['pipeline', [match, { $limit: 5 }]],
  ['pipeline', [{ $addFields: { A: 1 } }]],
  ['pipeline', [{ $lookup: {} }]],
  ['rows', [{ $group: { _id: '$City' } }]],
  ['rows', [{ $unwind: '$events' }]],
  ['rows', [{ $count: 'n' }]],
  ['rows', [{ $project: { A: '$City' } }]],
])('the kind of a search is %s: %j', (kind, stages) => expect(readSearchKind(parsePipeline(stages))).toBe(kind))

test('the order, columns and saved filter of a search are read', () => {
  const stages = parsePipeline([{ $sort: { A: 1 } }, { $sort: { B: -1 } }, { $project: { A: 1, B: 0, C: true } }])
  expect(readSort(stages)).toEqual({ field: 'B', direction: 'desc' })
  expect(readColumns(stages)).toEqual(['A', 'C'])
  expect(readSort([])).toBeNull()
  expect(readSavedId(parsePipeline([{ $predefined: '7' }]))).toBe('7')
  expect(readSavedId(parsePipeline([{ $predefined: '7' }, match]))).toBeNull()
})

test('an unreadable stage is kept with those that select contacts, so that the server refuses it', () => {
  const broken = { $match: {}, $limit: 1 }
  const stages = parsePipeline([match, broken, { $limit: 5 }, match])
  expect(writePipeline(takeChoosing(stages))).toEqual([match, broken])
  expect(writePipeline(pickChoosing(stages))).toEqual([match, broken, match])
})
