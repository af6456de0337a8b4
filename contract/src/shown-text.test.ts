import { expect, test } from 'vitest'
import { shownJson, shownText } from './shown-text.ts'

test.each([
  ['a\u202Etxt.exe', 'a\\u202Etxt.exe'],
  ['ad\u200Bmin', 'ad\\u200Bmin'],
  ['ad\u200Dmin', 'ad\\u200Dmin'],
  ['one\u2028two\u0007', 'one\\u2028two\\u0007'],
  ['soft\u00ADhyphen \u2066x\u2069 \uFEFF', 'soft\\u00ADhyphen \\u2066x\\u2069 \\uFEFF'],
  ['\u{E0041}tag', '\\u{E0041}tag'],
  ['\u3164', '\\u3164'],
])('%j is shown as %j', (text, shown) => expect(shownText(text)).toBe(shown))

test.each(['Łukasz Müller', 'می‌خواهم', 'क्‍ष', '👩‍👩‍👧 ❤️', 'two\nlines\tand tabs', '名前', 'مرحبا'])(
  '%j stays as it is',
  (text) => expect(shownText(text)).toBe(text),
)

test('escaped JSON keeps its value', () => {
  const value = { name: 'a\u202Eb\u{E0041}\u200D', list: ['\u0001', '"\\', '👩‍👧'] }
  const json = shownJson(JSON.stringify(value))
  expect(JSON.parse(json)).toEqual(value)
  expect(json).not.toMatch(/[\u200D\u202E\u{E0041}]/u)
  expect(json).toContain('\\u202e')
})
