import { expect, test } from 'vitest'
import { describeCondition } from './describe-condition.ts'
import type { FilterField } from './filter.ts'

const fields: FilterField[] = [
  { name: 'City', type: 'string', isIndexed: false },
  { name: 'Age', type: 'number', isIndexed: false },
  { name: 'Born', type: 'day', isIndexed: false },
]

test.each([
  [{ city: 'Chicago' }, 'City is “Chicago”'],
  [{ City: null }, 'City has no value'],
  [{ City: { $regex: '^Chi', $options: 'i' } }, 'City starts with “Chi”'],
  [{ City: { $in: ['Chicago', 'Boston'] } }, 'City is “Chicago” or “Boston”'],
  [{ Age: { $eq: 7 } }, 'Age is 7'],
  [{ Age: { $gte: 18, $lt: 21 } }, 'Age is at least 18 and Age is less than 21'],
  [{ Age: { $not: { $gt: 5 } } }, 'Not: Age is more than 5'],
  [{ Born: { $month: 2 } }, 'The month of Born is 2'],
  [{ events: { $elemMatch: { event_code: 'buy' } } }, 'With an event whose event_code is “buy”'],
  [
    { events: { $not: { $elemMatch: { event_code: 'buy', price: { $gt: 10 } } } } },
    'Not: With an event whose event_code is “buy” and price is more than 10',
  ],
  [{ $text: { $search: 'wind' } }, 'With the words “wind”'],
  [{ $or: [{ City: 'Chicago' }, { Age: 7 }] }, null],
  [{ Age: { $gte: 1, $in: [null] } }, null],
  [{ Town: 'Chicago' }, null],
])('%j in words is %j', (condition, text) => {
  expect(describeCondition(condition, fields)).toBe(text)
})
