import type { Field } from '@portico/contract/contacts'
import { expect, test } from 'vitest'
import { seenText } from './membership-texts.ts'

const fields = [
  { name: 'City', type: 'string' },
  { name: 'Born', type: 'day' },
  { name: 'Spent', type: 'number', format: { style: 'currency', decimals: 2, currency: 'USD' } },
] as Field[]
const leaf: Parameters<typeof seenText>[0] = { kind: 'condition', isMet: true, condition: {}, values: [], events: null }

test.each([
  [{ values: [{ field: 'City', value: 'Boston' }] }, 'Its City is Boston'],
  [{ values: [{ field: 'City', value: null }] }, 'Its City has no value'],
  [{ values: [{ field: 'Born', value: '1996-02-29' }] }, 'Its Born is 2/29/1996'],
  [{ values: [{ field: 'Spent', value: 1250.5 }] }, 'Its Spent is $1,250.50'],
  [{ values: [{ field: 'purl', value: 'ada' }] }, 'Its purl is ada'],
  [
    {
      values: [
        { field: 'latitude', value: 41.5 },
        { field: 'longitude', value: -87 },
      ],
    },
    'It is at 41.5, -87',
  ],
  [
    {
      values: [
        { field: 'latitude', value: null },
        { field: 'longitude', value: null },
      ],
    },
    'It has no place',
  ],
  [{ events: { all: 0, meeting: 0, latest: null } }, 'It has no events'],
  [{ events: { all: 1, meeting: 0, latest: null } }, 'Not its only event'],
  [{ events: { all: 3, meeting: 0, latest: null } }, 'None of its 3 events'],
  [{}, null],
])('%j is %j', (seen, text) => {
  expect(seenText({ ...leaf, ...seen }, fields)).toBe(text)
})

test('events that meet a condition are counted, with the day of the last', () => {
  const events = { all: 3, meeting: 2, latest: '2026-05-06T12:00:00.000Z' }
  expect(seenText({ ...leaf, events }, fields)).toMatch(/^2 of its 3 events, last on 5\/6\/2026/)
})
