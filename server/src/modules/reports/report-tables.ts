import { calculateTable, wholeValue } from '@portico/contract/dashboards/calculated-columns'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { isChartKind } from '@portico/contract/dashboards/cell-kinds'
import type { ColumnOfRows } from '@portico/contract/dashboards/cell-columns'
import { datePartText } from '@portico/contract/dashboards/date-part-words'
import type { Definition } from '@portico/contract/dashboards/definition'
import { foldName } from '@portico/contract/names'
import type { Row } from '@portico/contract/dashboards/groups'

/** Rows of a cell as a report writes them: a heading for each column, and the values in their order. */
export type ReportTable = { headings: string[]; rows: unknown[][] }

/** A cell whose rows a report writes. */
export type ReportCell = { id: string; title: string; chart: CellChart }

/** The tables and charts of a dashboard, row by row. */
export const reportedCells = ({ layout }: Definition): ReportCell[] =>
  layout
    .flat()
    .flatMap(({ id, chart }) => (chart && isReported(chart) ? [{ id, chart, title: chart.title || chart.type }] : []))

export const noReportedCells = 'The dashboard has no table or chart.'

/** Whether a cell has rows that a report can write. */
const isReported = ({ type, filter }: CellChart): boolean =>
  filter !== undefined && (isChartKind(type) || ['Table', 'PaginaTable', 'CalculatedTable', 'Pivot'].includes(type))

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
