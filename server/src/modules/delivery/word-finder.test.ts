import { expect, test } from 'vitest'
import { wordFinder } from './word-finder.ts'

/** Tries each word at each place. */
const naive = (words: readonly string[], text: string): number[] =>
  Array.from(text, (_, at) =>
    Math.max(0, ...words.map((word) => (text.slice(0, at + 1).endsWith(word) ? word.length : 0))),
  )

test('finds the longest word that ends at each position, including nested and overlapping words', () => {
  expect([...wordFinder(['he', 'she', 'his', 'hers'])('ushers')]).toEqual([0, 0, 0, 3, 0, 4])
  expect([...wordFinder(['abcd', 'bc', 'cde'])('abcde')]).toEqual([0, 0, 2, 4, 3])
  expect([...wordFinder([])('abc')]).toEqual([0, 0, 0])
  expect([...wordFinder(['a'])('')]).toEqual([])
})

test('finds random words in random texts', () => {
  let seed = 7
  const below = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * limit)
  }
  const text = (length: number): string => Array.from({ length }, () => 'ab\u4E00'.charAt(below(3))).join('')
  for (let round = 0; round < 300; round++) {
    const words = Array.from({ length: 1 + below(8) }, () => text(1 + below(5)))
    const read = text(40)
    expect([words, read, [...wordFinder(words)(read)]]).toEqual([words, read, naive(words, read)])
  }
})
