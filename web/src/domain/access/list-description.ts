import { formatCount } from '#lib/formats.ts'
import type { Noun } from './bulk.ts'

/** Under the heading of a list: how many there are or were found, and a sentence that has to be known. */
export function describeList(
  { found, search }: { found: number | undefined; search: string },
  { one, many }: Noun,
  sentence: string | null = null,
): string {
  if (found === undefined) return ' '
  const count = `${formatCount(found, one, many)}${search ? ' found' : ''}`
  return sentence === null ? count : `${count}. ${sentence}`
}
