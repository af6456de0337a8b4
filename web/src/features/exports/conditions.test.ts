import { describe, expect, test } from 'vitest'
import {
  type Condition,
  conditionFields,
  describeCondition,
  operatorsFor,
  stagesOf,
  valueProblem,
  withField,
} from './conditions.ts'

const fields = conditionFields([
  { name: 'State', type: 'string', isIndexed: false },
  { name: 'Score', type: 'number', isIndexed: true },
  { name: 'Active', type: 'boolean', isIndexed: false },
  { name: 'Since', type: 'date', isIndexed: false },
])
const where = (field: string, operator: Condition['operator'], value: string): Condition => ({
  key: field,
  field,
  operator,
  value,
})
const matchOf = (...conditions: Condition[]) => stagesOf(conditions, fields)[0]?.['$match']

describe('stages', () => {
  test('none without conditions', () => {
    expect(stagesOf([], fields)).toEqual([])
  })

  test.each([
    ['State', '=', 'WA', { State: 'WA' }],
    ['State', '=', '', { State: '' }],
    ['State', '!=', 'WA', { State: { $ne: 'WA' } }],
    ['State', 'contains', 'a.b', { State: { $regex: 'a\\.b', $options: 'i' } }],
    ['State', 'starts', 'W', { State: { $regex: '^W', $options: 'i' } }],
    ['State', 'ends', '(1)', { State: { $regex: '\\(1\\)$', $options: 'i' } }],
    ['State', 'in', 'WA, OR', { State: { $in: ['WA', 'OR'] } }],
    ['Score', '>=', '40', { Score: { $gte: 40 } }],
    ['Score', '>', '-1.5', { Score: { $gt: -1.5 } }],
    ['Score', 'in', '1,2', { Score: { $in: [1, 2] } }],
    ['Active', '=', 'false', { Active: false }],
    ['Since', '<', '2026-01-31', { Since: { $lt: '2026-01-31' } }],
    ['Since', '<=', '2026-01-31', { Since: { $lte: '2026-01-31' } }],
    ['Import', '=', '3', { Import: 3 }],
  ] as const)('%s %s %j', (field, operator, value, expected) => {
    expect(matchOf(where(field, operator, value))).toEqual(expected)
  })

  test('all have to hold, also two of the same field', () => {
    expect(matchOf(where('Score', '>', '1'), where('Score', '<', '9'))).toEqual({
      $and: [{ Score: { $gt: 1 } }, { Score: { $lt: 9 } }],
    })
  })
})

describe('values', () => {
  test.each([
    ['string', '=', '', null],
    ['string', '!=', '', null],
    ['string', 'contains', '', 'Value is required!'],
    ['string', 'in', 'WA,,OR', 'Value is invalid!'],
    ['number', '=', '', 'Value is required!'],
    ['number', '=', 'twelve', 'Value is invalid!'],
    ['number', '=', '1e3', null],
    ['number', 'in', '1, 2', null],
    ['number', 'in', '1, x', 'Value is invalid!'],
    ['date', '=', '2026-02-30', 'Value is invalid!'],
    ['date', '=', '2026-02-28', null],
    ['boolean', '=', '', 'Value is required!'],
    ['boolean', '=', 'true', null],
  ] as const)('a %s %s %j: %s', (type, operator, value, problem) => {
    expect(valueProblem(where('x', operator, value), type)).toBe(problem)
  })
})

test('each type has its operators', () => {
  expect(operatorsFor('number')).toEqual(['=', '!=', '>', '>=', '<', '<=', 'in'])
  expect(operatorsFor('date')).not.toContain('in')
  expect(operatorsFor('boolean')).toEqual(['=', '!='])
  expect(operatorsFor('string')).toContain('contains')
})

test('another field keeps what makes sense for it', () => {
  const [state, score] = fields
  if (!state || !score) throw new Error('two fields are there')
  expect(withField(where('State', 'contains', 'W'), score, state)).toMatchObject({
    field: 'Score',
    operator: '=',
    value: '',
  })
  expect(withField(where('Score', '>', '4'), { name: 'purlNumber', type: 'number' }, score)).toMatchObject({
    field: 'purlNumber',
    operator: '>',
    value: '4',
  })
})

test('is told in words, open where it is not complete', () => {
  expect(describeCondition(where('State', 'in', 'WA,OR'), fields)).toBe('in (WA, OR)')
  expect(describeCondition(where('State', '=', ''), fields)).toBe('= (no value)')
  expect(describeCondition(where('Score', '>=', ''), fields)).toBe('>= …')
  expect(describeCondition(where('', '=', ''), fields)).toBe('= …')
})
