import { normalizeText } from './unicode.ts'
import { withoutOuterSpace } from './white-space.ts'

/** A name of a column or field as it is kept: without white space around it, and composed (NFC). */
export const tidyName = (name: string): string => normalizeText(withoutOuterSpace(name), 'NFC')

/**
 * The one way in which names compare "without regard to case": accounts, policies, groups, fields, files and everything
 * else that has a name. Unicode's simple case folding of the composed, trimmed name; it maps letters one by one, so
 * "Maße" and "Masse" remain two names. The server stores the result where names are unique (`name_key`), because `lower` of
 * a database depends on its collation (ADR 0082).
 *
 * `İ`, which programs and databases lower-case in different ways, counts as `i`, as does an `i` with a second dot.
 */
export const foldName = (name: string): string => foldText(name.trim())

/** The same for a text in which outer spaces count. */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  const folded = Array.from(normalizeText(text, 'NFC'), foldLetter).join('')
  return normalizeText(folded.replaceAll(secondDots, 'i'), 'NFC')
}

// oxlint-disable-next-line no-control-regex -- ASCII includes them
const isAscii = /^[\x00-\x7f]*$/
const secondDots = /i\u0307+/g

/** Letters whose simple folding JavaScript does not have. */
const exceptions: Record<string, string> = { İ: 'i', ı: 'ı' }

function foldLetter(letter: string): string {
  // Through upper case, which ς and σ, or ſ and s, have in common. Longer results are no simple folding.
  const upper = oneLetter(letter.toUpperCase()) ?? letter
  return exceptions[letter] ?? oneLetter(upper.toLowerCase()) ?? letter
}

function oneLetter(text: string): string | undefined {
  return text.length === String.fromCodePoint(text.codePointAt(0) ?? 0).length ? text : undefined
}

/**
 * Letters of ASCII in lower case, all others as they are: for endings of files and other words that only ASCII letters make
 * up, so that `K` (kelvin) is no `k`.
 */
export const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const isSameName = (one: string, other: string): boolean => foldName(one) === foldName(other)

/**
 * Finds an item by its name: the one written exactly so, or else the first that differs in letter case only (`foldText`). So two
 * fields of an earlier release whose names are equal now can both be reached. White space around a name makes it another
 * one: conditions of policies judge the names that a request has as they are written.
 */
export function findByName<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
): (name: string) => Item | undefined {
  const exact = new Map<string, Item>()
  const folded = new Map<string, Item>()
  for (const item of items) {
    const name = nameOf(item)
    const key = foldText(name)
    if (!exact.has(name)) exact.set(name, item)
    if (!folded.has(key)) folded.set(key, item)
  }
  return (name) => exact.get(name) ?? folded.get(foldText(name))
}
