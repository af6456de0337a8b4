import { expect, test } from 'vitest'
import { eventsBehind as findEvents } from './behind.ts'
import { parsePipeline, writePipeline } from './pipeline-json.ts'
import type { Row } from './pipeline.ts'

const fields = [
  { name: 'City', type: 'string' as const },
  { name: 'Joined', type: 'date' as const },
]
const unwind = { $unwind: '$events' }
const byCity = { $group: { _id: { City: '$City' }, count: { $count: {} } } }
const byCode = { $group: { _id: { Code: '$events.event_code' }, count: { $count: {} } } }

/** As stages of the filter language. */
function eventsBehind(stages: Row[], group: Row | null, known: Parameters<typeof findEvents>[2]): Row[] | null {
  const events = findEvents(parsePipeline(stages), group, known)
  return events && writePipeline(events)
}

test('a group of contacts covers all their events', () => {
  expect(eventsBehind([byCity], { City: 'Oslo' }, fields)).toEqual([{ $match: { City: 'Oslo' } }, unwind])
})

test('contacts selected by an event cover only matching events', () => {
  const clicked = { events: { $elemMatch: { event_code: 'click', event_date: { $gte: '2026-01-01' } } } }
  expect(eventsBehind([{ $match: { $and: [{ City: 'Oslo' }, clicked] } }, byCity], { City: 'Oslo' }, fields)).toEqual([
    { $match: { City: 'Oslo' } },
    { $match: { $and: [{ City: 'Oslo' }, clicked] } },
    unwind,
    { $match: { $and: [{ 'events.event_code': 'click' }, { 'events.event_date': { $gte: '2026-01-01' } }] } },
  ])
})

test('contacts selected by several events cover events that match any of them', () => {
  const stages: Row[] = [
    { $match: { events: { $elemMatch: { event_code: 'click' } } } },
    { $match: { events: { $elemMatch: { event_code: 'open' } } } },
  ]
  expect(eventsBehind(stages, null, fields)).toEqual([
    ...stages,
    unwind,
    { $match: { $or: [{ 'events.event_code': 'click' }, { 'events.event_code': 'open' }] } },
  ])
})

test('a group of events covers exactly those events', () => {
  expect(eventsBehind([unwind, byCode], { Code: 'click' }, fields)).toEqual([
    unwind,
    { $match: { 'events.event_code': 'click' } },
  ])
})

test('a total covers the events of everything that it sums', () => {
  const total = { $group: { _id: null, count: { $count: {} } } }
  expect(eventsBehind([{ $match: { City: 'Oslo' } }, total], {}, fields)).toEqual([
    { $match: { City: 'Oslo' } },
    unwind,
  ])
})

test('groups by a computed value cannot be turned into a filter', () => {
  const computed: Row[] = [{ $addFields: { Half: { $divide: ['$Age', 2] } } }, { $group: { _id: '$Half' } }]
  expect(eventsBehind(computed, { _id: 1 }, fields)).toBeNull()
  expect(eventsBehind([{ $group: { _id: '$Unknown' } }], { _id: 'x' }, fields)).toBeNull()
})

test('a subtotal covers all groups of the other level', () => {
  const both = { $group: { _id: { City: '$City', Code: '$events.event_code' }, n: { $sum: 1 } } }
  expect(eventsBehind([unwind, both], { City: 'Oslo' }, fields)).toEqual([{ $match: { City: 'Oslo' } }, unwind])
})
