import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { columnsOfCell } from './cells/group-columns.ts'

/** Texts that programs for spreadsheets would read as formulas; an apostrophe before them stops that. */
const formula = /^[=+\-@\t\r]/

function csvField(value: unknown): string {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
  const guarded = typeof value === 'string' && formula.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** The rows of a cell as CSV, with its columns in the first line. */
export function csvOf(chart: CellChart, answer: CellAnswer): string {
  const columns = columnsOfCell(chart, answer)
  const lines = answer.rows.map((row) => columns.map(({ name }) => csvField(row[name])).join(','))
  return `${[columns.map(({ label }) => csvField(label)).join(','), ...lines].join('\r\n')}\r\n`
}

/** Downloads the rows as a file named after the cell. */
export function saveCsv(chart: CellChart, answer: CellAnswer): void {
  const url = URL.createObjectURL(new Blob([csvOf(chart, answer)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${(chart.title || chart.type).replaceAll(/[^\p{L}\p{N} _-]/gu, '').trim() || 'cell'}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
