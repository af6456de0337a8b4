import { calculateTable, wholeValue } from '@portico/domain/dashboards/calculated-columns'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { ColumnOfRows } from '@portico/contract/dashboards/cell-columns'
import { datePartText } from '@portico/domain/dashboards/date-part-words'
import type { Definition } from '@portico/contract/dashboards/definition'
import { type ReportCell, reportedCells } from '@portico/contract/dashboards/reported-cells'
import { foldName } from '@portico/domain/names'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { AppError } from '#platform/app-error.ts'

/** Rows of a cell as a report writes them: a heading for each column, and the values in their order. */
export type ReportTable = { headings: string[]; rows: unknown[][] }

/** The cells that a report takes. `note` says that chosen ones are left out; null where none is. */
export type Reported = { cells: ReportCell[]; note: string | null }

/**
 * The tables and charts that a report takes: the chosen ones, or all. Chosen ones that are gone are left out, and said.
 * @throws cell_failed where none is left
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

/** The chosen tables and charts that a dashboard does not have, by their ids. */
export const goneCells = (cells: readonly ReportCell[], chosen: readonly string[]): string[] =>
  chosen.filter((id) => !cells.some((cell) => cell.id === id))

export const noReportedCells = 'The dashboard has no table or chart.'

export const unknownCell = (id: string): string => `The dashboard has no table or chart with the id ${id}.`

const allGone = 'None of the chosen tables and charts is on the dashboard any more. Choose others.'

const goneNote = (gone: number, chosen: number): string =>
  `${gone} of the ${chosen} chosen tables and charts ${gone === 1 ? 'is' : 'are'} no longer on the dashboard and ${gone === 1 ? 'was' : 'were'} left out.`

/** The rows of an answer under these columns, with calculated ones. */
export function tableOf(chart: CellChart, rows: readonly Row[], columns: readonly ColumnOfRows[]): ReportTable {
  const known = new Map(columns.map((column) => [column.name, column]))
  const labelOf = (name: string): string => known.get(name)?.label ?? name
  const valueOf = (row: Row, name: string): unknown => {
    const [value, part] = [row[name] ?? null, known.get(name)?.key?.part]
    return part && typeof value === 'number' ? datePartText(value, part) : value
  }
  const names = columns.map(({ name }) => name)
  const calculated = chart.type === 'CalculatedTable' ? (chart.calculatedColumns ?? []) : []
  if (calculated.length === 0) {
    return { headings: names.map(labelOf), rows: rows.map((row) => names.map((name) => valueOf(row, name))) }
  }
  const table = calculateTable(names, rows, calculated)
  return {
    headings: table.columns.map(({ name }) => labelOf(name)),
    rows: table.rows.map((values, at) =>
      table.columns.map((column) =>
        column.isCalculated
          ? wholeValue(values.get(foldName(column.name)) ?? null, column)
          : valueOf(rows[at] ?? {}, column.name),
      ),
    ),
  }
}
