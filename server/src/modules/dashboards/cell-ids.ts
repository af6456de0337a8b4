import { cellIdLength, type Definition } from '@portico/contract/dashboards/definition'

/** The definition with an id added to each cell that has none. */
export function withCellIds(definition: Definition): Definition {
  const known = new Set(definition.layout.flat().map(({ id }) => id))
  const layout = definition.layout.map((cells) =>
    cells.map((cell) => (cell.id === '' ? { ...cell, id: newId(known) } : cell)),
  )
  return { ...definition, layout }
}

/** Creates an id that is not among the known ones, and adds it to them. */
function newId(known: Set<string>): string {
  const id = crypto.randomUUID().slice(0, cellIdLength)
  if (known.has(id)) return newId(known)
  known.add(id)
  return id
}
