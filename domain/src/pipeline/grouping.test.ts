import { describe, expect, test } from 'vitest'
import { readGrouping, readRowKind, readShownGrouping } from './grouping.ts'
import type { Row } from './pipeline.ts'
import { parsePipeline } from './pipeline-json.ts'

const fields = [
  { name: 'City', type: 'string' as const },
  { name: 'Score', type: 'number' as const },
  { name: 'Joined', type: 'date' as const },
]
const shown = (...stages: Row[]) => readShownGrouping(parsePipeline(stages), fields)
const narrowing = (...stages: Row[]) => readGrouping(parsePipeline(stages), fields)

describe.each([
  { what: 'shown', read: shown },
  { what: 'narrowed by', read: narrowing },
])('groups of $what', ({ read }) => {
  test('have columns for their keys and values', () => {
    const named = { City: '$City', 'Joined (month)': { $month: '$Joined' } }
    expect(read({ $group: { _id: named, count: { $count: {} }, mean: { $avg: '$Score' } } })).toEqual({
      keys: [
        { name: 'City', field: 'City', part: null, type: 'string' },
        { name: 'Joined (month)', field: 'Joined', part: 'month', type: 'date' },
      ],
      values: ['count', 'mean'],
      sums: ['count'],
    })
    expect(read({ $group: { _id: '$events.is_trigger', n: { $sum: 1 } } })?.keys).toEqual([
      { name: '_id', field: 'events.is_trigger', part: null, type: 'boolean' },
    ])
    expect(read({ $group: { _id: null, n: { $sum: 1 } } })).toEqual({ keys: [], values: ['n'], sums: ['n'] })
  })

  test('recognize event and contact fields in any letter case', () => {
    expect(read({ $group: { _id: '$events.Event_Date' } })?.keys).toMatchObject([{ type: 'date' }])
    expect(read({ $group: { _id: '$score' } })?.keys).toMatchObject([{ type: 'number' }])
    expect(read({ $group: { _id: '$purlNumber' } })?.keys).toMatchObject([{ type: 'number' }])
  })

  test('have no keys from expressions', () => {
    expect(read({ $group: { _id: { $concat: ['$City', '!'] } } })).toBeNull()
    expect(read({ $match: { City: 'Oslo' } })).toBeNull()
  })
})

test('a ratio is a percentage that does not add up, and a sum of some contacts does', () => {
  const some = { $sum: { $cond: { if: { City: 'Oslo' }, then: 1 } } }
  expect(shown({ $group: { _id: '$City', some, rate: { $divide: [some, { $count: {} }] } } })).toMatchObject({
    values: ['some', 'rate'],
    sums: ['some'],
    formats: { rate: { style: 'percent' } },
  })
})

test('a key computed by an earlier stage is not a field, even if it has the name of one', () => {
  const text = { $addFields: { joined: { $toString: '$Joined' } } }
  const byJoined = { $group: { _id: '$Joined' } }
  expect(narrowing(text, byJoined)).toBeNull()
  expect(shown(text, byJoined)?.keys).toEqual([{ name: '_id', field: 'Joined', part: null, type: 'string' }])
  expect(shown({ $project: { Joined: 1 } }, byJoined)?.keys).toMatchObject([{ type: 'date' }])
})

test('a key recomputed by a later stage is no longer part of a date', () => {
  const byMonth = { $group: { _id: { M: { $month: '$Joined' } } } }
  const later = { $addFields: { M: { $add: ['$M', 12] } } }
  expect(narrowing(byMonth, later)).toBeNull()
  expect(shown(byMonth, later)?.keys).toEqual([{ name: 'M', field: 'Joined', part: null, type: 'string' }])
})

test('groups of groups keep the types of the fields that they pass on', () => {
  const first = { $group: { _id: { Day: '$Joined', Y: { $year: '$Joined' } }, Joined: { $count: {} } } }
  const typed = (key: string) => shown(first, { $group: { _id: key } })?.keys[0]?.type
  expect(typed('$day')).toBe('date')
  expect(typed('$Y')).toBe('string')
  expect(typed('$Joined')).toBe('string')
})

test('the rows of a pipeline are contacts, events or groups', () => {
  const kind = (...stages: Row[]) => readRowKind(parsePipeline(stages))
  const unwind = { $unwind: '$events' }
  expect(kind({ $match: {} }, { $limit: 5 })).toBe('contacts')
  expect(kind(unwind)).toBe('events')
  expect(kind(unwind, { $group: { _id: null } })).toBe('groups')
})
