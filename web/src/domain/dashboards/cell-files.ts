import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { tableOf } from '@portico/contract/dashboards/cell-table'
import { guardFormula, plainNumber } from '@portico/contract/exported-values'
import { cellStyles } from '@portico/contract/workbook/cell-styles'
import { CellTooLong, tooLongText } from '@portico/contract/workbook/sheet-columns'
import { sheetNames } from '@portico/contract/workbook/sheet-names'
import { valueRow } from '@portico/contract/workbook/value-rows'
import {
  sheetBeginning,
  sheetEnd,
  sheetPath,
  workbookParts,
  workbookType,
} from '@portico/contract/workbook/workbook-parts'
import { shownNumber } from '@portico/domain/decimals'
import { isTimeZone } from '@portico/domain/scheduler/zone-offsets'
import { strToU8, zipSync } from 'fflate'
import { formatNumber } from '#lib/formats.ts'
import { accountTimeZone } from '#lib/session/session.ts'
import { fileName } from '#ui/chart/chart-image.ts'
import { saveFile } from '#ui/save-file.ts'
import { askCell, type CellSource, wholeCell } from './dashboard-queries.ts'

type Answer = Pick<CellAnswer, 'fields' | 'rows'>

/** Maximum number of a table's rows that are saved; the server returns this many at once. */
const mostRows = 50_000
const rowsAtOnce = 5000

/**
 * Downloads the rows of a cell as a file named after it. Without an answer, reads the rows first, in the cell's order.
 * @throws Error saying why there is no file
 */
export async function saveRows(
  chart: CellChart,
  source: CellSource,
  known: CellAnswer | undefined,
  type: 'csv' | 'xlsx',
): Promise<void> {
  const answer = known ?? (await readAllRows(source))
  const name = fileName(chart.title || chart.type)
  if (type === 'csv') return saveFile(new Blob([csvOf(chart, answer)], { type: 'text/csv' }), `${name}.csv`)
  saveFile(new Blob([workbookOf(chart, answer)], { type: workbookType }), `${name}.xlsx`)
}

async function readAllRows(source: CellSource): Promise<CellAnswer> {
  const first = await askCell(source, { ...wholeCell, limit: rowsAtOnce })
  if (first.total > mostRows) {
    throw new Error(
      `This table has ${formatNumber(first.total)} rows, and at most ${formatNumber(mostRows)} can be saved here. A scheduled report has all of them.`,
    )
  }
  const rows = [...first.rows]
  while (rows.length < first.total) {
    const page = await askCell(source, { ...wholeCell, skip: rows.length, limit: rowsAtOnce })
    if (page.rows.length === 0) break
    rows.push(...page.rows)
  }
  return { ...first, rows }
}

/** The rows of a cell as CSV, with its columns in the first line, including calculated ones. */
export function csvOf(chart: CellChart, answer: Answer): string {
  const { columns, rows } = tableOf(chart, answer)
  return [columns.map(({ name }) => name), ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return plainNumber(String(shownNumber(value)))
  const text = typeof value === 'string' ? guardFormula(value) : JSON.stringify(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * The rows of a cell as a workbook with one sheet.
 * @throws Error naming a column with a text that is too long for a sheet
 */
export function workbookOf(chart: CellChart, answer: Answer): Uint8Array<ArrayBuffer> {
  const { columns, rows } = tableOf(chart, answer)
  const styles = cellStyles()
  const writing = { columns, styles, timeZone: shownZone() }
  try {
    const xml = rows.map((values, at) => valueRow(at + 2, values, writing)).join('')
    const sheet = `${sheetBeginning(columns)}${xml}${sheetEnd}`
    const name = sheetNames()(chart.title || chart.type)
    const parts = [...workbookParts([name], styles), [sheetPath(1), sheet]] as const
    return zipSync(Object.fromEntries(parts.map(([path, text]) => [path, strToU8(text)])))
  } catch (error) {
    if (!(error instanceof CellTooLong)) throw error
    throw new Error(`${tooLongText(columns[error.column]?.name)} Save the table as CSV.`, { cause: error })
  }
}

/** The zone in which the screen shows moments. An older browser may not know its name. */
function shownZone(): string {
  const zone = accountTimeZone()
  return zone !== undefined && isTimeZone(zone) ? zone : Intl.DateTimeFormat().resolvedOptions().timeZone
}
