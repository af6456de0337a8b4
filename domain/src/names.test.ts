import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findByName, foldName, isSameName, tidyName } from './names.ts'

/** Every character of Unicode that letter case, composition or trimming can change. */
const letters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
  (letter) =>
    /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}\p{M}\s]/u.test(letter) ||
    (!/\p{Cs}/u.test(letter) && letter.normalize('NFC') !== letter),
)

/** Between others, since white space at the ends is trimmed. */
const inName = (letter: string): string => `x${letter}x`

describe('the fold of names', () => {
  test('folds a folded name into itself, for every character', () => {
    const folded = letters.map((letter) => foldName(inName(letter)))
    expect(folded.filter((name) => foldName(name) !== name)).toEqual([])
  })

  test('folds a folded name into itself, whatever characters meet in it', () => {
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

  test("makes equal what Unicode's simple case folding makes equal, and İ and i besides", () => {
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

  test('makes a name in lower case equal to the name, for every character', () => {
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
  ])('%j and %j are one name', (one, other) => expect(isSameName(one, other)).toBe(true))

  test.each([
    ['Maße', 'Masse'],
    ['Sınıf', 'Sinif'],
    ['a b', 'ab'],
    ['ﬁn', 'fin'],
    ['é', 'e'],
  ])('%j and %j are two names', (one, other) => expect(isSameName(one, other)).toBe(false))
})

test.each([
  ['\u00a0Name\u200b', 'Name'],
  ['\ufeff\u3000', ''],
  ['Pre\u0301 nom\u00ad', 'Pr\u00e9 nom'],
])('%j is kept as %j', (name, kept) => expect(tidyName(name)).toBe(kept))

describe('an item', () => {
  const items = ['École', 'E\u0301COLE', 'Age'].map((name, at) => ({ name, at }))
  const find = findByName(items, ({ name }) => name)

  test('is found by its name as it is written, before others of an equal name', () => {
    expect(find('E\u0301COLE')?.at).toBe(1)
    expect(find('École')?.at).toBe(0)
  })

  test('is found by an equal name, the first one of several', () => {
    expect(find('école')?.at).toBe(0)
    expect(find('AGE')?.at).toBe(2)
    // Conditions of policies judge the name as it is written.
    for (const name of [' AGE', 'AGE ', '\tage', '\u00a0age']) expect(find(name)).toBeUndefined()
  })

  test('is not found by another name', () => expect(find('Aged')).toBeUndefined())
})
