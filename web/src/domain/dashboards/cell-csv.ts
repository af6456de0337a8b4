import { groupingOfChart } from '@portico/contract/dashboards/narrowing'
import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { rowsCsv } from '#domain/charts'
import { fileName, saveFile } from '#ui/chart/chart-image.ts'
import { columnsOfCell } from './cells/group-columns.ts'

/** The rows of a cell as CSV, with its columns in the first line. */
export const csvOf = (chart: CellChart, answer: CellAnswer): string =>
  rowsCsv({
    columns: columnsOfCell(chart, answer),
    keys: groupingOfChart(chart, answer.fields)?.keys ?? [],
    rows: answer.rows,
  })

/** Downloads the rows as a file named after the cell. */
export function saveCsv(chart: CellChart, answer: CellAnswer): void {
  const name = fileName(chart.title || chart.type)
  saveFile(new Blob([csvOf(chart, answer)], { type: 'text/csv' }), `${name}.csv`)
}
