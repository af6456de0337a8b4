import { expect, test } from 'vitest'
import { emptyFilter, type Filter } from './filter.ts'
import { sentenceOf } from './sentence-of.ts'

const city = { field: 'City', type: 'string', operator: '=', value: 'Paris' } as const

test.each<[Partial<Filter>, string]>([
  [{}, 'All contacts.'],
  [{ standard: [city] }, 'Contacts whose City is “Paris”.'],
  [
    { standard: [city, { field: 'Age', type: 'number', operator: '>=', value: '40' }] },
    'Contacts whose City is “Paris” and Age is at least 40.',
  ],
  [
    { standard: [{ ...city, operator: 'in', value: 'Paris, Rome,Bern' }] },
    'Contacts whose City is “Paris”, “Rome” or “Bern”.',
  ],
  [
    { standard: [{ ...city, operator: 'in', value: Array.from({ length: 3010 }, (_, at) => `c${at}`).join() }] },
    'Contacts whose City is “c0”, “c1”, “c2”, “c3”, “c4”, “c5”, “c6”, “c7”, “c8” or 3,001 more.',
  ],
  [{ standard: [{ ...city, value: '' }] }, 'Contacts whose City has no value.'],
  [{ standard: [{ ...city, operator: '!=', value: '' }] }, 'Contacts whose City has a value.'],
  [
    { standard: [{ field: 'Joined', type: 'date', operator: '<', value: '2026-01-31' }] },
    'Contacts whose Joined is before 1/31/2026.',
  ],
  [
    { standard: [{ field: 'Born', type: 'day', operator: '>=', value: '2026-01-31' }] },
    'Contacts whose Born is on or after 1/31/2026.',
  ],
  [
    {
      standard: [city],
      behavioral: [
        { conditions: [{ field: 'event_code', type: 'string', operator: '=', value: 'open', isCustom: false }] },
      ],
    },
    'Contacts whose City is “Paris”, and with an event whose event_code is “open”.',
  ],
  [
    { location: { distance: 1, latitude: 47.4, longitude: 8.5 }, fullText: 'anna' },
    'Contacts within 1 mile of 47.4, 8.5, and with the words “anna”.',
  ],
  [{ sort: { field: 'Age', order: -1 } }, 'All contacts, sorted by Age, last first.'],
  [
    { columns: ['City', 'Age'], sort: { field: 'Age', order: 1 } },
    'All contacts, showing City and Age, sorted by Age.',
  ],
  [{ columns: ['A', 'B', 'C', 'D', 'E', 'F'] }, 'All contacts, showing 6 columns.'],
  [{ standard: [{ field: 'Age', type: 'number', operator: 'in', value: '010, 7' }] }, 'Contacts whose Age is 10 or 7.'],
  [
    {
      groupBy: {
        id: { field: 'City', part: null },
        id2: { field: 'Joined', part: 'month' },
        isOfEvents: false,
        events: [],
        measures: [{ operator: 'count', field: null }],
        sortBy: 0,
        sort: -1,
        limit: 50,
      },
    },
    'All contacts, grouped by City and the month of Joined: counted, most first, at most 50.',
  ],
  [
    {
      groupBy: {
        id: { field: 'Joined', part: 'by quarter' },
        id2: { field: 'City', part: null },
        isOfEvents: false,
        events: [],
        measures: [{ operator: 'count', field: null }],
        sortBy: 'id',
        sort: 1,
        limit: 50,
      },
    },
    'All contacts, grouped by each quarter of Joined and City: counted, first to last, at most 50.',
  ],
  [
    {
      groupBy: {
        id: { field: 'City', part: null },
        id2: null,
        isOfEvents: false,
        events: [],
        measures: [{ operator: 'avg', field: 'Age' }],
        sortBy: 'id',
        sort: 1,
        limit: 5,
      },
    },
    'All contacts, grouped by City: the average of Age, first to last, at most 5.',
  ],
  [
    {
      groupBy: {
        id: { field: 'events.event_path', part: null, name: 'Page' },
        id2: null,
        isOfEvents: true,
        events: [{ field: 'event_path', type: 'string', operator: 'filled', value: '', isCustom: false }],
        measures: [
          { operator: 'count', field: null, name: 'Visits' },
          { operator: 'size', field: '_id', name: 'Visitors' },
        ],
        sortBy: null,
        sort: 1,
        limit: null,
      },
    },
    'All contacts, events whose event_path has a value grouped by events.event_path: counted and the number of different values of _id.',
  ],
  [
    {
      groupBy: {
        id: { field: 'City', part: null },
        id2: null,
        isOfEvents: false,
        events: [],
        measures: [
          { operator: 'sum', field: 'Age', conditions: [city] },
          { operator: 'count', field: null, conditions: [city], divisor: { operator: 'count', field: null } },
        ],
        sortBy: 'id',
        sort: 1,
        limit: 5,
      },
    },
    'All contacts, grouped by City: the sum of Age where City is “Paris” and the count where City is “Paris” divided by the count, first to last, at most 5.',
  ],
  [{ predefined: '17', standard: [city] }, 'Contacts of a saved filter.'],
])('%j reads: %s', (part, sentence) => {
  expect(sentenceOf({ ...emptyFilter, ...part })).toBe(sentence)
})

test('a saved filter is shown by its name', () => {
  expect(sentenceOf({ ...emptyFilter, predefined: '17' }, 'Best customers')).toBe(
    'Contacts of the saved filter “Best customers”.',
  )
})
