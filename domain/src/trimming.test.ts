import { expect, test } from 'vitest'
import { trimmed, trimmedEnd } from './trimming.ts'

test('characters are removed at the ends and kept in between', () => {
  expect(trimmed(' . a . b. ', ' .')).toBe('a . b')
  expect(trimmedEnd(' . a . b. ', ' .')).toBe(' . a . b')
  for (const text of ['', ' ', '. .']) {
    expect(trimmed(text, ' .')).toBe('')
    expect(trimmedEnd(text, ' .')).toBe('')
  }
})
