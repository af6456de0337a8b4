import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import type { DashboardCell } from '@portico/contract/dashboards/definition'

/** Rows of cells. Rows are never empty, and there is always a cell. */
export type Layout = DashboardCell[][]

/** Position of a cell, counted from 0. */
export type Place = { row: number; at: number }

export type Direction = 'left' | 'right' | 'up' | 'down'

const newId = (): string => crypto.randomUUID().slice(0, 8)
const { most, least } = dashboardLimits.cellWidth

const newCell = (): DashboardCell => ({ id: newId(), cols: most })

const cellCount = (layout: Layout): number => layout.reduce((sum, row) => sum + row.length, 0)
export const isFull = (layout: Layout): boolean => cellCount(layout) >= dashboardLimits.cells

export function placeOf(layout: Layout, id: string): Place | null {
  for (const [row, cells] of layout.entries()) {
    const at = cells.findIndex((cell) => cell.id === id)
    if (at !== -1) return { row, at }
  }
  return null
}

const withoutEmptyRows = (layout: Layout): Layout => layout.filter((row) => row.length > 0)

/** The layout with one row replaced; cells that are not given are removed. */
const withRow = (layout: Layout, row: number, cells: DashboardCell[]): Layout =>
  layout.map((each, at) => (at === row ? cells : each))

const changeCell = (layout: Layout, id: string, change: (cell: DashboardCell) => DashboardCell): Layout =>
  layout.map((row) => row.map((cell) => (cell.id === id ? change(cell) : cell)))

export const setChart = (layout: Layout, id: string, chart: CellChart): Layout =>
  changeCell(layout, id, (cell) => ({ ...cell, chart }))

/** `cols`: 4 to 12 of the twelve columns of a row. */
export const setWidth = (layout: Layout, id: string, cols: number): Layout =>
  changeCell(layout, id, (cell) => ({ ...cell, cols: Math.min(most, Math.max(least, Math.round(cols))) }))

/** Deletes a cell. The last one leaves an empty cell of full width. */
export function deleteCell(layout: Layout, id: string): Layout {
  const left = withoutEmptyRows(layout.map((row) => row.filter((cell) => cell.id !== id)))
  return left.length > 0 ? left : [[newCell()]]
}

/** Puts a cell right after another. */
function insertAfter(layout: Layout, id: string, cell: DashboardCell): Layout {
  const place = placeOf(layout, id)
  if (!place) return layout
  return withRow(layout, place.row, (layout[place.row] ?? []).toSpliced(place.at + 1, 0, cell))
}

/** A copy of a cell, right after it. */
export function copyCell(layout: Layout, id: string): Layout {
  const place = placeOf(layout, id)
  const cell = place && layout[place.row]?.[place.at]
  return cell ? insertAfter(layout, id, { ...structuredClone(cell), id: newId() }) : layout
}

/** Adds a cell after another one, or fills that one if it is empty. */
export function addCell(layout: Layout, id: string, cell: Omit<DashboardCell, 'id'>): Layout {
  const place = placeOf(layout, id)
  const before = place && layout[place.row]?.[place.at]
  if (!before) return layout
  return before.chart
    ? insertAfter(layout, id, { ...cell, id: newId() })
    : changeCell(layout, id, (empty) => ({ ...empty, ...cell }))
}

/** Moves a cell, and all after it in its row, to a new row below. */
export function startRow(layout: Layout, id: string): Layout {
  const place = placeOf(layout, id)
  const row = place && layout[place.row]
  if (!place || !row || place.at === 0) return layout
  return layout.toSpliced(place.row, 1, row.slice(0, place.at), row.slice(place.at))
}

/** Whether a cell can move in that direction. */
export function canMove(layout: Layout, id: string, direction: Direction): boolean {
  return move(layout, id, direction) !== layout
}

/** Moves a cell within its row, or to the row above or below: at the top and the bottom, to a row of its own. */
export function move(layout: Layout, id: string, direction: Direction): Layout {
  const place = placeOf(layout, id)
  const row = place && layout[place.row]
  const cell = row?.[place?.at ?? -1]
  if (!place || !row || !cell) return layout
  if (direction === 'left' || direction === 'right') {
    const to = place.at + (direction === 'left' ? -1 : 1)
    if (to < 0 || to >= row.length) return layout
    return withRow(layout, place.row, row.toSpliced(place.at, 1).toSpliced(to, 0, cell))
  }
  const to = place.row + (direction === 'up' ? -1 : 1)
  const isAlone = row.length === 1
  if (to < 0 || to >= layout.length) {
    if (isAlone) return layout
    const left = withRow(layout, place.row, row.toSpliced(place.at, 1))
    return direction === 'up' ? [[cell], ...left] : [...left, [cell]]
  }
  return moveTo(layout, id, { row: to, at: Math.min(place.at, layout[to]?.length ?? 0) })
}

/** Moves a cell to a position in the layout as shown, before the cell that is there. */
export function moveTo(layout: Layout, id: string, to: Place): Layout {
  const from = placeOf(layout, id)
  const cell = from && layout[from.row]?.[from.at]
  if (!from || !cell || !layout[to.row]) return layout
  const at = from.row === to.row && from.at < to.at ? to.at - 1 : to.at
  if (from.row === to.row && from.at === at) return layout
  const without = layout.map((row) => row.filter((each) => each.id !== id))
  return withoutEmptyRows(withRow(without, to.row, (without[to.row] ?? []).toSpliced(at, 0, cell)))
}

/** Moves a cell to a row of its own, above the row with this number in the layout as shown. */
export function moveToNewRow(layout: Layout, id: string, row: number): Layout {
  const from = placeOf(layout, id)
  const cell = from && layout[from.row]?.[from.at]
  if (!from || !cell) return layout
  const isAlone = layout[from.row]?.length === 1
  if (isAlone && (row === from.row || row === from.row + 1)) return layout
  const without = layout.map((each) => each.filter((other) => other.id !== id))
  return withoutEmptyRows(without.toSpliced(row, 0, [cell]))
}
