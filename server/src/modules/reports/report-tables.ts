import type { Definition } from '@portico/contract/dashboards/definition'
import { type ReportCell, reportedCells } from '@portico/contract/dashboards/reported-cells'
import { AppError } from '#platform/app-error.ts'

/** The cells of a report. `note` lists chosen cells that are left out; null if none are. */
export type Reported = { cells: ReportCell[]; note: string | null }

/**
 * Returns the tables and charts of a report: the chosen ones, or all. Chosen ones that no longer exist are left out and
 * noted.
 * @throws cell_failed if none is left
 */
export function cellsToReport(definition: Definition, chosen: readonly string[] | undefined): Reported {
  const cells = reportedCells(definition)
  if (cells.length === 0) throw new AppError('cell_failed', undefined, noReportedCells)
  if (!chosen) return { cells, note: null }
  const gone = goneCells(cells, chosen).length
  if (gone === chosen.length) throw new AppError('cell_failed', undefined, allGone)
  return {
    cells: cells.filter(({ id }) => chosen.includes(id)),
    note: gone === 0 ? null : goneNote(gone, chosen.length),
  }
}

/** Returns the ids of chosen tables and charts that a dashboard does not have. */
export const goneCells = (cells: readonly ReportCell[], chosen: readonly string[]): string[] =>
  chosen.filter((id) => !cells.some((cell) => cell.id === id))

export const noReportedCells = 'The dashboard has no table or chart.'

export const unknownCell = (id: string): string => `The dashboard has no table or chart with the id ${id}.`

const allGone = 'None of the chosen tables and charts is on the dashboard any more. Choose others.'

const goneNote = (gone: number, chosen: number): string =>
  `${gone} of the ${chosen} chosen tables and charts ${gone === 1 ? 'is' : 'are'} no longer on the dashboard and ${gone === 1 ? 'was' : 'were'} left out.`

/** Adds to an error the name of the cell it is about. */
export function namingCell(error: unknown, title: string): unknown {
  return error instanceof AppError ? new AppError(error.code, error.details, `${title}: ${error.message}`) : error
}
