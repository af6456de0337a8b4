import { expect, test } from 'vitest'
import { isFoundByTrigrams, isServedByTrigrams } from './trigram-patterns.ts'

test.each(['abc', '^abc', 'abc$', 'xabc+', 'ab1', 'a\\.bcd', '.*abc.*', 'abcd?', 'abc[0-9]', 'abc(de)?', 'b{2}abc'])(
  '%s has three letters in a row',
  (pattern) => {
    expect(isServedByTrigrams(pattern, { isAsciiOnly: true })).toBe(true)
  },
)

test.each([
  '',
  'ab',
  'a.b.c',
  'abc?',
  'abc*',
  'abc{0,2}',
  'a{123}',
  'ab\\d\\d',
  '(abc)?',
  '[abc]',
  'abc|x',
  'abc(d|e)',
  'a b c',
  '\\abc',
  '\\',
  'ab{',
])('%s has no three letters in a row', (pattern) => {
  expect(isServedByTrigrams(pattern, { isAsciiOnly: true })).toBe(false)
})

test('letters of other scripts count where the database knows them', () => {
  for (const text of ['Москва', 'Zü1ü', '東京都']) {
    expect(isServedByTrigrams(text, { isAsciiOnly: true })).toBe(false)
    expect(isServedByTrigrams(text, { isAsciiOnly: false })).toBe(true)
  }
})

test.each(['abc', 'Zürich', 'Москва', 'οδοσ', 'ΟΔΟΣ', '東京', '[a-z]+\\d', 'a\\.b', '\\bx', 'ÅÄÖ', 'e\u0301'])(
  'trigrams find what %s matches',
  (pattern) => {
    expect(isFoundByTrigrams(pattern)).toBe(true)
  },
)

test.each([
  'ſage',
  'İstanbul',
  'ıstanbul',
  '\u212aelvin',
  'οδος',
  'µm',
  'straße',
  'ŉ',
  'ﬀ',
  'ϐ',
  'Ꭰ',
  '[à-ž]',
  '[ab]é',
  '\\u0131',
  '\\x4b',
  '\\1',
  '\\p',
])('trigrams might not find what %s matches', (pattern) => {
  expect(isFoundByTrigrams(pattern)).toBe(false)
})
