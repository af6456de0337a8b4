import { calculateTable, wholeValue } from '@portico/domain/dashboards/calculated-columns'
import { foldName } from '@portico/domain/names'
import { groupingOfChart } from '@portico/contract/dashboards/dashboard-cells'
import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { rowsCsv } from '#domain/charts'
import { fileName, saveFile } from '#ui/chart/chart-image.ts'
import { columnsOfCell } from './cells/group-columns.ts'

/** The rows of a cell as CSV, with its columns in the first line, calculated ones among them. */
export function csvOf(chart: CellChart, answer: CellAnswer): string {
  const own = columnsOfCell(chart, answer)
  const keys = groupingOfChart(chart, answer.fields)?.keys ?? []
  const calculated = chart.type === 'CalculatedTable' ? (chart.calculatedColumns ?? []) : []
  const names = own.map(({ name }) => name)
  const table = calculateTable(names, answer.rows, calculated)
  const labels = new Map(own.map(({ name, label }) => [name, label]))
  return rowsCsv({
    columns: table.columns.map(({ name }) => ({ name, label: labels.get(name) ?? name })),
    keys,
    rows: answer.rows.map((row, at) => {
      const ofRow = table.columns.filter(({ isCalculated }) => isCalculated)
      const values = ofRow.map((column) => [
        column.name,
        wholeValue(table.rows[at]?.get(foldName(column.name)) ?? null, column),
      ])
      return { ...row, ...Object.fromEntries(values) }
    }),
  })
}

/** Downloads the rows as a file named after the cell. */
export function saveCsv(chart: CellChart, answer: CellAnswer): void {
  const name = fileName(chart.title || chart.type)
  saveFile(new Blob([csvOf(chart, answer)], { type: 'text/csv' }), `${name}.csv`)
}
