import type { SegmentEntry, SegmentNight, SegmentUse } from '@portico/contract/segments'
import { formatCount, formatNumber } from '#lib/formats.ts'

export const kindLabels: Record<SegmentUse['kind'], readonly [one: string, many: string]> = {
  segment: ['segment', 'segments'],
  dashboard: ['dashboard', 'dashboards'],
  'export schedule': ['export schedule', 'export schedules'],
  'report schedule': ['report schedule', 'report schedules'],
  export: ['export', 'exports'],
}

/** The uses of a segment: '2 exports, 1 dashboard'; empty if nothing uses it. */
export const usesText = (uses: SegmentEntry['uses']): string =>
  uses.map(({ kind, items }) => formatCount(items, ...kindLabels[kind])).join(', ')

/** Says what stops working when the segment is deleted; undefined if nothing does. Finished exports stay. */
export function warningOf({
  uses,
  showInSubaccounts,
}: Pick<SegmentEntry, 'uses' | 'showInSubaccounts'>): string | undefined {
  const used = uses.filter(({ kind }) => kind !== 'export')
  const parts = [
    ...(used.length > 0 ? [`It is used by ${usesText(used)}, which will stop working.`] : []),
    ...(showInSubaccounts ? ['Sub-accounts may use it too.'] : []),
  ]
  return parts.length > 0 ? parts.join(' ') : undefined
}

const daysOfWeek = 7
const msPerDay = 86_400_000

/** The latest count; undefined if there is none. */
export const latestCount = (nights: readonly SegmentNight[] | null): number | undefined =>
  nights?.findLast(({ contacts }) => contacts !== null)?.contacts ?? undefined

/** By how many contacts the latest count differs from that of a week before, or the first one since; null without both. */
export function weekChange(nights: readonly SegmentNight[] | null): number | null {
  const counted = (nights ?? []).flatMap(({ night, contacts }) => (contacts === null ? [] : [{ night, contacts }]))
  const last = counted.at(-1)
  if (!last) return null
  const first = Date.parse(last.night) - daysOfWeek * msPerDay
  const before = counted.find(({ night }) => Date.parse(night) >= first)
  return before && before !== last ? last.contacts - before.contacts : null
}

/** A difference with its sign: '+12', '−3', '0'. */
export const signed = (value: number): string =>
  value > 0 ? `+${formatNumber(value)}` : value < 0 ? `−${formatNumber(-value)}` : '0'

/** A trend in words, for people who do not see the line. */
export function trendText(nights: readonly SegmentNight[]): string {
  const counts = nights.flatMap(({ contacts }) => contacts ?? [])
  if (counts.length === 0) return 'No nightly counts yet'
  const [first = 0] = counts
  return `${formatCount(counts.length, 'night')}: from ${formatNumber(first)} to ${formatNumber(counts.at(-1) ?? 0)} contacts`
}
