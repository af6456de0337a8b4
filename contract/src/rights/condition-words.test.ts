import { expect, test } from 'vitest'
import { conditionOperators } from '../policies.ts'
import { conditionInWords, conditionsInWords } from './condition-words.ts'

test('a condition is a sentence that names the part of the request, the comparison and the value', () => {
  expect(conditionInWords('query::limit::eq::100')).toBe('“limit” in the query is “100”')
  expect(conditionInWords('param::1::nsw::a::b')).toBe('the second value in the path does not begin with “a::b”')
  expect(conditionInWords('param::7::eq::x')).toBe('the 8th value in the path is “x”')
  expect(conditionInWords('body::status::in::draft, final')).toBe('“status” in the body is one of “draft”, “final”')
  expect(conditionInWords('not a condition')).toBe('not a condition')
  const words = conditionOperators.map((operator) => conditionInWords(`query::a::${operator}::b`))
  expect(new Set(words).size).toBe(conditionOperators.length)
})

test('several conditions are joined as the policy joins them', () => {
  const conditions = ['query::limit::eq::100', 'body::a::neq::b']
  expect(conditionsInWords(conditions, 'and')).toBe(
    'Only if “limit” in the query is “100”, and “a” in the body is not “b”.',
  )
  expect(conditionsInWords(conditions, 'or')).toContain('“100”, or “a”')
  expect(conditionsInWords([], 'and')).toBe('Always.')
})
