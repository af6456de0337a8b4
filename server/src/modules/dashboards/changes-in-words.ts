import { isDeepStrictEqual } from 'node:util'
import type { SharedWith } from '@portico/contract/dashboards'
import type { DashboardCell, Definition } from '@portico/contract/dashboards/definition'

/** The parts that a save can change. */
export type Content = { name: string; tags: readonly string[]; definition: Definition; sharedWith: SharedWith }

/** The changes between two states of a dashboard, as sentences: "Added Contacts by city. Shared with everyone." */
export function changesInWords(before: Content, after: Content): string {
  const sentences = [
    ...(before.name === after.name ? [] : [`Renamed to "${after.name}".`]),
    ...(isSameSet(before.tags, after.tags) ? [] : ['Changed the tags.']),
    ...cellChanges(before.definition, after.definition),
    ...(isDeepStrictEqual(before.sharedWith, after.sharedWith) ? [] : [sharingInWords(after.sharedWith)]),
  ]
  return sentences.length === 0 ? 'No changes.' : sentences.join(' ')
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  isDeepStrictEqual(new Set(one), new Set(other))

function cellChanges(before: Definition, after: Definition): string[] {
  const [old, now] = [before.layout.flat(), after.layout.flat()]
  const oldById = new Map(old.map((cell) => [cell.id, cell]))
  const ids = new Set(now.map(({ id }) => id))
  const removed = old.filter(({ id }) => !ids.has(id))
  const added = now.filter(({ id }) => !oldById.has(id))
  const kept = now.filter(({ id }) => oldById.has(id))
  const changed = kept.filter(({ id, chart }) => !isDeepStrictEqual(oldById.get(id)?.chart, chart))
  const resized = kept.filter(({ id, cols }) => oldById.get(id)?.cols !== cols)
  const inPlace = longestInOrder(
    old.map(({ id }) => id),
    kept.map(({ id }) => id),
  )
  const moved = kept.filter(({ id }) => !inPlace.has(id))
  const sentences = [
    listed('Added', added),
    listed('Removed', removed),
    listed('Changed', changed),
    listed('Moved', moved),
    listed('Resized', resized),
  ].filter((sentence) => sentence !== null)
  const areRowsSame = isDeepStrictEqual(idsByRow(before), idsByRow(after))
  return sentences.length > 0 || areRowsSame ? sentences : ['Changed the rows.']
}

const idsByRow = ({ layout }: Definition): string[][] => layout.map((cells) => cells.map(({ id }) => id))

/** The longest list of ids that have the same order in both lists. */
function longestInOrder(before: readonly string[], after: readonly string[]): Set<string> {
  /** For each id of `after` so far: the longest sequence of ids that ends with it, by their positions in `before`. */
  const runs: { ids: string[]; at: number }[] = []
  for (const id of after) {
    const at = before.indexOf(id)
    const earlier = runs.filter((run) => run.at < at).toSorted((one, other) => other.ids.length - one.ids.length)[0]
    runs.push({ ids: [...(earlier?.ids ?? []), id], at })
  }
  return new Set(runs.toSorted((one, other) => other.ids.length - one.ids.length)[0]?.ids)
}

const mostNamed = 5
const listFormat = new Intl.ListFormat('en-GB')

function listed(verb: string, cells: readonly DashboardCell[]): string | null {
  if (cells.length === 0) return null
  const names = cells.slice(0, mostNamed).map(nameOf)
  const others = cells.length - names.length
  return `${verb} ${listFormat.format(others > 0 ? [...names, `${others} more`] : names)}.`
}

function nameOf({ chart }: DashboardCell): string {
  if (!chart) return 'an empty cell'
  return chart.title.trim() === '' ? `a cell without a title (${chart.type})` : chart.title
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

function sharingInWords({ paids, aids, users }: SharedWith): string {
  const people = users === 'all' ? 'everyone' : counted(users.length, 'person', 'people')
  if (aids !== 'all') return `Shared with ${people} in ${counted(aids.length, 'account', 'accounts')}.`
  if (paids === 'all') return `Shared with ${people} in all accounts.`
  return `Shared with ${people} in all accounts of ${counted(paids.length, 'parent account', 'parent accounts')}.`
}
