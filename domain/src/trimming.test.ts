import { expect, test } from 'vitest'
import { trimmed, trimmedEnd } from './trimming.ts'

test('the characters at the ends are left out, those within stay', () => {
  expect(trimmed(' . a . b. ', ' .')).toBe('a . b')
  expect(trimmedEnd(' . a . b. ', ' .')).toBe(' . a . b')
  for (const text of ['', ' ', '. .']) {
    expect(trimmed(text, ' .')).toBe('')
    expect(trimmedEnd(text, ' .')).toBe('')
  }
})
