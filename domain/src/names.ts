import { normalizeText } from './unicode.ts'
import { withoutOuterSpace } from './white-space.ts'

/** Returns the name of a column or field as stored: without surrounding white space, and composed (NFC). */
export const tidyName = (name: string): string => normalizeText(withoutOuterSpace(name), 'NFC')

/**
 * The only way in which names compare "without regard to case": accounts, policies, groups, fields, files and
 * everything else that has a name. Unicode's simple case folding of the composed, trimmed name; it maps letters one by
 * one, so "Maße" and "Masse" remain two names. The server stores the result where names are unique (`name_key`),
 * because a database's `lower` depends on its collation (ADR 0082).
 *
 * `İ`, which programs and databases lower-case differently, counts as `i`, as does an `i` with a second dot.
 */
export const foldName = (name: string): string => foldText(name.trim())

/** The same for a text whose outer spaces count. */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  const folded = Array.from(normalizeText(text, 'NFC'), foldLetter).join('')
  return normalizeText(folded.replaceAll(secondDots, 'i'), 'NFC')
}

// oxlint-disable-next-line no-control-regex -- ASCII includes them
const isAscii = /^[\x00-\x7f]*$/
const secondDots = /i\u0307+/g

/** Letters whose simple folding JavaScript lacks. */
const exceptions: Record<string, string> = { İ: 'i', ı: 'ı' }

function foldLetter(letter: string): string {
  // By upper case, which ς and σ, or ſ and s, share. Longer results are not simple foldings.
  const upper = oneLetter(letter.toUpperCase()) ?? letter
  return exceptions[letter] ?? oneLetter(upper.toLowerCase()) ?? letter
}

function oneLetter(text: string): string | undefined {
  return text.length === String.fromCodePoint(text.codePointAt(0) ?? 0).length ? text : undefined
}

/** Lower-cases ASCII letters only, for file extensions and other words of such letters: `K` (kelvin) is not a `k`. */
export const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const isSameName = (one: string, other: string): boolean => foldName(one) === foldName(other)

/**
 * Finds an item by its name: the one with exactly this name, otherwise the first that differs only in letter case
 * (`foldText`). This reaches both of two fields from an earlier release whose names are equal now. White space around a
 * name makes it a different one: conditions of policies check the names of a request as they are written.
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
