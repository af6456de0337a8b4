/**
 * Estimates the number of guesses needed to find a value. Guesses are made in order of likelihood: numbers by counting,
 * words from a dictionary, days of a century one by one, anything else by trying all characters.
 */
export type ValueKind = 'day' | 'digits' | 'email' | 'words' | 'word and number' | 'random'

/** Guesses that a stranger can make within a day: 500 misses from each of a hundred addresses. */
const guessesPerDay = 50_000

const daysOfCentury = 36_525

/** Number of common first names, last names or places. */
const dictionaryWords = 20_000
// A longer word is composed of two.
const wordMaxLength = 12

/**
 * Number of characters of a value that are rated. A cell may have a million; guessing more than the first ones is not
 * realistic.
 */
export const mostJudged = 500

export function kindOfValue(text: string): ValueKind {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return 'day'
  if (/^[\d\s+()./-]+$/.test(text) && /\d/.test(text)) return 'digits'
  if (/^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/.test(text)) return 'email'
  if (/^[\p{L}\p{M}\s'’.-]+$/u.test(text)) return 'words'
  // Random ids alternate between letters and digits.
  const changes = text.match(/\d(?=\p{L})|\p{L}(?=\d)/gu)?.length ?? 0
  return changes < 2 && text.length < 20 ? 'word and number' : 'random'
}

/**
 * The number of guesses that certainly find the value.
 * @param isPurl the word of a PURL is composed of two, usually first and last name
 */
function guessesFor(text: string, isPurl = false): number {
  const digits = text.match(/\d/g)?.length ?? 0
  switch (kindOfValue(text)) {
    case 'day':
      return daysOfCentury
    case 'digits':
      return 10 ** digits
    case 'email':
      // First and last name at a known domain.
      return dictionaryWords ** 2
    case 'words': {
      const words = text.split(/[\s'’.-]+/).filter((word) => word !== '')
      const isJoined = words.length === 1 && (isPurl || text.length > wordMaxLength)
      const parts = isJoined ? 2 : words.length
      return dictionaryWords ** Math.max(1, parts)
    }
    case 'word and number':
      return dictionaryWords ** (isPurl ? 2 : 1) * 10 ** digits
    case 'random':
      return 36 ** Math.min(text.length, 150)
  }
}

/**
 * The share of contacts that guessing finds within a day, from the values of a sample; each entry is one contact.
 * @param purlAt the index of the PURL among the values, -1 if there is none
 */
export function guessableShare(sample: readonly (readonly string[])[], purlAt = -1): number {
  const shares = sample.map((texts) => {
    const guesses = texts.reduce((product, text, at) => product * guessesFor(text, at === purlAt), 1)
    return Math.min(1, guessesPerDay / guesses)
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}
