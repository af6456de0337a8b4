import type { DashboardCell, Definition } from '@portico/contract/dashboards/definition'

/** What a save has changed, in words: "Added “Contacts by city”. Renamed to “Sales”." */
export function changesInWords(before: Saved | null, after: Saved): string {
  if (!before) return 'Created.'
  const parts = [
    ...(before.name === after.name ? [] : [`Renamed to ${quoted(after.name)}`]),
    ...(isSame(before.tags.toSorted(), after.tags.toSorted()) ? [] : ['Changed the tags']),
    ...(isSame(before.sharing, after.sharing) ? [] : ['Changed the sharing']),
    ...cellChanges(before.definition, after.definition),
  ]
  return parts.length === 0 ? 'Saved without changes.' : `${parts.join('. ')}.`
}

export type Saved = { name: string; tags: readonly string[]; sharing: unknown; definition: Definition }

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const quoted = (text: string): string => `“${text}”`

function cellChanges(before: Definition, after: Definition): string[] {
  const [old, now] = [before.layout.flat(), after.layout.flat()]
  const oldById = new Map(old.map((cell) => [cell.id, cell]))
  const nowIds = new Set(now.map(({ id }) => id))
  const added = now.filter(({ id }) => !oldById.has(id))
  const removed = old.filter(({ id }) => !nowIds.has(id))
  const changed = now.filter((cell) => {
    const known = oldById.get(cell.id)
    return known && !isSame(known.chart, cell.chart)
  })
  const shape = ({ layout }: Definition) =>
    layout.map((row) => row.filter(({ id }) => oldById.has(id) && nowIds.has(id)).map(({ id, cols }) => [id, cols]))
  const hasMoved = !isSame(
    shape(before).filter((row) => row.length > 0),
    shape(after).filter((row) => row.length > 0),
  )
  return [
    ...named('Added', added),
    ...named('Removed', removed),
    ...named('Changed', changed),
    ...(hasMoved ? ['Moved or resized cells'] : []),
  ]
}

const mostNames = 5

function named(verb: string, cells: DashboardCell[]): string[] {
  if (cells.length === 0) return []
  const names = cells
    .slice(0, mostNames)
    .map(({ chart }) => (chart?.title ? quoted(chart.title) : (chart?.type ?? 'an empty cell')))
  const more = cells.length - names.length
  return [`${verb} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`]
}
