import { expect, test } from 'vitest'
import { usesFullText } from './full-text.ts'
import { parsePipeline } from './pipeline-json.ts'

const search = { $text: { $search: 'anna' } }

test.each([
  [[{ $match: search }]],
  [[{ $sort: { City: 1 } }, { $match: { City: 'Bern', ...search } }]],
  [[{ $match: { $or: [{ City: 'Bern' }, { $nor: [{ $and: [search] }] }] } }]],
])('%j searches the full text', (stages) => expect(usesFullText(parsePipeline(stages))).toBe(true))

test.each([
  [[]],
  [[{ $match: { City: '$text' } }]],
  [[{ $match: { City: '"$text"' } }]],
  [[{ $match: { City: { $in: ['$text'] } } }]],
  [[{ $group: { _id: '$text' } }]],
  [[{ $match: null }, { $match: [] }, { $match: { $or: 'Bern', $and: [null] } }]],
])('%j does not search the full text', (stages) => expect(usesFullText(parsePipeline(stages))).toBe(false))
