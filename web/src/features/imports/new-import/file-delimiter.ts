import type { ImportDelimiter } from '@portico/contract/imports'

/** Delimiters with their characters. */
export const signs: Record<ImportDelimiter, string> = { comma: ',', tab: '\t', pipe: '|', semicolon: ';' }
// The names are its keys.
const names = Object.keys(signs) as ImportDelimiter[]

export const delimiterOfSign = (sign: string | null): ImportDelimiter | null =>
  names.find((name) => signs[name] === sign) ?? null

/** Number of records from which the delimiter is found. */
const examined = 25

/**
 * Finds the delimiter from the first records of a text: the one that splits most of them into the same number of cells,
 * as titles above a header and commas in texts do not. Otherwise, the one that splits the first record most often. Null
 * if none splits it.
 */
export function findDelimiter(text: string): ImportDelimiter | null {
  const records = countSigns(text)
  const [first] = records
  if (!first) return null
  const regular = names.flatMap((name) => {
    const counts = records.map((record) => record[name])
    const usual = mostFrequent(counts.filter((count) => count > 0))
    const share = counts.filter((count) => count === usual).length
    return usual > 0 && share * 2 > records.length
      ? [{ name, rank: [Number(first[name] === usual), share, usual] }]
      : []
  })
  const best = regular.toSorted((one, other) => compareRanks(other.rank, one.rank))[0]
  if (best) return best.name
  const most = names.reduce((found, name) => (first[name] > first[found] ? name : found))
  return first[most] > 0 ? most : null
}

const compareRanks = (one: readonly number[], other: readonly number[]): number =>
  one.map((value, at) => value - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0

/** The number that occurs most often, the larger of two; 0 if there is none. */
function mostFrequent(counts: readonly number[]): number {
  const occurrences = new Map<number, number>()
  for (const count of counts) occurrences.set(count, (occurrences.get(count) ?? 0) + 1)
  const [best] = [...occurrences].toSorted(([one, ofOne], [other, ofOther]) => ofOther - ofOne || other - one)
  return best?.[0] ?? 0
}

/** How often each delimiter occurs outside quotes, for each of the first records that are not empty. */
function countSigns(text: string): Record<ImportDelimiter, number>[] {
  const records: Record<ImportDelimiter, number>[] = []
  let counts = noSigns()
  let length = 0
  let isQuoted = false
  for (let at = 0; at < text.length && records.length < examined; at++) {
    const char = text.charAt(at)
    if (char === '"') isQuoted = !isQuoted
    if (!isQuoted && (char === '\n' || char === '\r')) {
      if (length > 0) records.push(counts)
      counts = noSigns()
      length = 0
      continue
    }
    length++
    const name = isQuoted ? null : delimiterOfSign(char)
    if (name) counts[name]++
  }
  // The last record may be cut off.
  if (length > 0 && records.length < 2) records.push(counts)
  return records
}

const noSigns = (): Record<ImportDelimiter, number> => ({ comma: 0, tab: 0, pipe: 0, semicolon: 0 })
