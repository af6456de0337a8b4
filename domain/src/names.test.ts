import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findByName, foldName, isSameName, tidyName } from './names.ts'

/** All Unicode characters that changes of letter case, composition or trimming can change. */
const letters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
  (letter) =>
    /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}\p{M}\s]/u.test(letter) ||
    (!/\p{Cs}/u.test(letter) && letter.normalize('NFC') !== letter),
)

/** Puts the character between others, since white space at the ends is trimmed. */
const inName = (letter: string): string => `x${letter}x`

describe('the fold of names', () => {
  test('is idempotent for every character', () => {
    const folded = letters.map((letter) => foldName(inName(letter)))
    expect(folded.filter((name) => foldName(name) !== name)).toEqual([])
  })

  test('is idempotent for any combination of characters', () => {
    const odd = Array.from('iIİıΣςσßẞKÅᾳﬁ \u0307\u0301\u0323\u0345\u3000\ufeff')
    const names = fc.oneof(fc.string({ unit: fc.constantFrom(...odd) }), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(names, (name) => {
        const folded = foldName(name)
        expect(foldName(folded)).toBe(folded)
      }),
      { numRuns: 3000 },
    )
  })

  test('equates exactly what simple case folding of Unicode equates, plus İ and i', () => {
    // Regular expressions with these flags compare by simple case folding.
    const isFoldedAlike = (one: string, other: string): boolean =>
      new RegExp(`^\\u{${one.codePointAt(0)?.toString(16)}}$`, 'iu').test(other)
    const composed = letters.filter((letter) => letter.normalize('NFC') === letter && letter.trim() !== '')
    const others = composed.filter((letter) => !isFoldedAlike(foldName(letter), letter))
    expect(others).toEqual(['İ'])
    const groups = Map.groupBy(composed, foldName)
    const different = [...groups.values()].filter(
      ([first = '', ...more]) => !more.every((one) => isFoldedAlike(first, one)),
    )
    expect(different).toEqual([['I', 'i', 'İ']])
  })

  test('equates every character with its lower case', () => {
    expect(letters.filter((letter) => !isSameName(inName(letter.toLowerCase()), inName(letter)))).toEqual([])
  })

  test.each([
    ['  Sales\t', 'sALES'],
    ['Prénom', 'Pre\u0301NOM'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['İstanbul', 'istanbul'],
    ['İstanbul', 'i\u0307stanbul'],
    ['I\u0307stanbul', 'istanbul'],
    ['\u212aelvin', 'kelvin'],
    ['µ-values', 'μ-values'],
    ['ſummary', 'Summary'],
    ['STRAẞE', 'straße'],
  ])('treats %j and %j as the same name', (one, other) => expect(isSameName(one, other)).toBe(true))

  test.each([
    ['Maße', 'Masse'],
    ['Sınıf', 'Sinif'],
    ['a b', 'ab'],
    ['ﬁn', 'fin'],
    ['é', 'e'],
  ])('treats %j and %j as different names', (one, other) => expect(isSameName(one, other)).toBe(false))
})

test.each([
  ['\u00a0Name\u200b', 'Name'],
  ['\ufeff\u3000', ''],
  ['Pre\u0301 nom\u00ad', 'Pr\u00e9 nom'],
])('%j is tidied to %j', (name, kept) => expect(tidyName(name)).toBe(kept))

describe('finding an item by name', () => {
  const items = ['École', 'E\u0301COLE', 'Age'].map((name, at) => ({ name, at }))
  const find = findByName(items, ({ name }) => name)

  test('prefers the exact name to an equal one', () => {
    expect(find('E\u0301COLE')?.at).toBe(1)
    expect(find('École')?.at).toBe(0)
  })

  test('takes the first of several equal names', () => {
    expect(find('école')?.at).toBe(0)
    expect(find('AGE')?.at).toBe(2)
    // Conditions of policies check the name as it is written.
    for (const name of [' AGE', 'AGE ', '\tage', '\u00a0age']) expect(find(name)).toBeUndefined()
  })

  test('returns nothing for another name', () => expect(find('Aged')).toBeUndefined())
})
