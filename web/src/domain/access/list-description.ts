import { formatCount } from '#lib/formats.ts'
import type { Noun } from './bulk.ts'

/** The text below a list's heading: how many items there are or were found, and an important sentence. */
export function describeList(
  { found, search }: { found: number | undefined; search: string },
  { one, many }: Noun,
  sentence: string | null = null,
): string {
  if (found === undefined) return ' '
  const count = `${formatCount(found, one, many)}${search ? ' found' : ''}`
  return sentence === null ? count : `${count}. ${sentence}`
}
