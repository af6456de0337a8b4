import { expect, test } from 'vitest'
import { isBlank, whiteSpace, withoutOuterSpace } from './white-space.ts'

const ofUnicode = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((letter) =>
  /\p{White_Space}/u.test(letter),
)

test('includes all white space of Unicode and JavaScript, and zero-width characters', () => {
  expect(ofUnicode.filter((letter) => !whiteSpace.includes(letter))).toEqual([])
  expect(ofUnicode.length).toBe(25)
  const others = Array.from(whiteSpace).filter((letter) => !ofUnicode.includes(letter))
  expect(others.filter((letter) => !/\p{Cf}/u.test(letter))).toEqual([])
  expect(whiteSpace.length).toBe(new Set(whiteSpace).size)
})

test.each(Array.from(whiteSpace, (letter) => [`U+${letter.charCodeAt(0).toString(16)}`, letter]))(
  '%s is trimmed only at the ends',
  (_, letter) => {
    expect(withoutOuterSpace(`${letter}${letter}a${letter}b${letter}`)).toBe(`a${letter}b`)
    expect(isBlank(letter)).toBe(true)
  },
)

test.each(['a', '.', '\u0000', '\u001f', '\u2800', '\u0301'])('%j is not blank', (text) => {
  expect(isBlank(text)).toBe(false)
})
