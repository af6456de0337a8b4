import { expect, test } from 'vitest'
import { memoized } from './memoized.ts'

test('a result is computed once, and the oldest is evicted', () => {
  const computed: string[] = []
  const length = memoized(2, (text) => {
    computed.push(text)
    return text.length === 0 ? null : text.length
  })
  expect([length('a'), length(''), length('a'), length('')]).toEqual([1, null, 1, null])
  expect(computed).toEqual(['a', ''])
  expect([length('bb'), length('a')]).toEqual([2, 1])
  expect(computed).toEqual(['a', '', 'bb', 'a'])
})

test('long texts are not cached', () => {
  let computed = 0
  const lengthOf = memoized(10, (text) => {
    computed += 1
    return text.length
  })
  for (const length of [1000, 1000, 1001, 1001]) expect(lengthOf('a'.repeat(length))).toBe(length)
  expect(computed).toBe(3)
})
