import { calculateTable, type TableColumn, withFix } from '@portico/domain/dashboards/calculated-columns'
import { addRunning, type Running } from '@portico/domain/dashboards/running-values'
import { datePartText } from '@portico/domain/dashboards/date-part-words'
import type { ColumnValue } from '@portico/domain/dashboards/expression'
import { shownNumber } from '@portico/domain/decimals'
import { isDateType } from '@portico/domain/field-types'
import { foldName } from '@portico/domain/names'
import { findGroup, formatOf, type KnownField, typeOf } from '@portico/domain/pipeline/grouping'
import { isPeriod, type Row } from '@portico/domain/pipeline/pipeline'
import type { SheetColumn } from '../workbook/sheet-columns.ts'
import type { CellChart } from './cell-chart.ts'
import { type ColumnOfRows, columnsOfRows } from './cell-columns.ts'
import { hasAxes } from './axis-kinds.ts'
import { groupingOfChart, parseFilter } from './dashboard-cells.ts'

/** Rows of a cell for a file: the columns, and the values in their order. */
export type CellTable = { columns: SheetColumn[]; rows: unknown[][] }

/** `total`: of all groups, where there are more than the rows. */
type Answer = { rows: readonly Row[]; fields: readonly KnownField[]; total?: number }

/**
 * The rows of an answer, with calculated columns at their places, and running values after their own. Months and days of the
 * week go by their names, periods by their first days. `columns`: those of the first page, where the answer is a further one.
 */
export function tableOf(chart: CellChart, answer: Answer, columns = columnsOfRows(chart, answer)): CellTable {
  const running = chart.portico?.display?.running
  if (running && hasAxes(chart.type)) return runningTable(chart, answer, { columns, running })
  const { rows } = answer
  const known = new Map(columns.map((column) => [column.name, column]))
  const columnOf = sheetColumns(chart, answer.fields, known)
  const names = columns.map(({ name }) => name)
  const calculated = chart.type === 'CalculatedTable' ? (chart.calculatedColumns ?? []) : []
  if (calculated.length === 0) {
    return { columns: names.map(columnOf), rows: rows.map((row) => names.map((name) => valueOf(row, known.get(name)))) }
  }
  const table = calculateTable(names, rows, calculated)
  return {
    columns: table.columns.map(({ name, isCalculated }): SheetColumn => {
      const format = chart.portico?.formats?.[name]
      return isCalculated ? { name, type: 'number', ...(format && { format }) } : columnOf(name)
    }),
    rows: table.rows.map((values, at) =>
      table.columns.map((column) =>
        column.isCalculated
          ? wholeValue(values.get(foldName(column.name)) ?? null, column)
          : valueOf(rows[at] ?? {}, known.get(column.name)),
      ),
    ),
  }
}

/** The rows of a chart with the running values that it shows. */
function runningTable(
  chart: CellChart,
  answer: Answer,
  { columns, running }: { columns: ColumnOfRows[]; running: Record<string, Running> },
): CellTable {
  const { portico: { display: _shown, ...portico } = {}, ...same } = chart
  const grouping = groupingOfChart(chart, answer.fields)
  if (!grouping) return tableOf({ ...same, portico }, answer, columns)
  const isCut = answer.total !== undefined && answer.total > answer.rows.length
  const made = addRunning(grouping, { rows: answer.rows, isCut }, running)
  const formats = { ...portico.formats, ...made.grouping.formats }
  const withThem = columns.flatMap((column) => [
    column,
    ...made.columns.filter(({ of }) => of === column.name).map(({ name }) => ({ name, label: name, key: null })),
  ])
  return tableOf({ ...same, portico: { ...portico, formats } }, { ...answer, rows: made.rows }, withThem)
}

/** Returns the value of a column for a file: with its fixed text, and with all shown digits of a number. */
function wholeValue(value: ColumnValue, { fix }: TableColumn): ColumnValue {
  if (value === null || fix.kind === 'none') return value
  return withFix(String(typeof value === 'number' ? shownNumber(value) : value), fix)
}

function valueOf(row: Row, column: ColumnOfRows | undefined): unknown {
  const [value, part] = [row[column?.name ?? ''] ?? null, column?.key?.part]
  if (!part || typeof value !== 'number') return value
  const text = datePartText(value, part)
  // A year stays a number.
  return text === String(value) ? value : text
}

/** Returns the types of columns, which distinguish days and moments from texts, and the formats of their numbers. */
function sheetColumns(chart: CellChart, fields: readonly KnownField[], known: ReadonlyMap<string, ColumnOfRows>) {
  const pipeline = chart.filter ? parseFilter(chart.filter) : []
  const group = findGroup(pipeline)?.group ?? null
  const own = chart.portico?.formats ?? {}
  const formats = groupingOfChart(chart, fields)?.formats ?? own
  return (name: string): SheetColumn => {
    const { label = name, key = null } = known.get(name) ?? {}
    if (key) {
      const type = key.part === null || isPeriod(key.part) ? key.type : 'string'
      return { name: label, type, ...(key.part === null && key.format && { format: key.format }) }
    }
    if (!group) {
      const format = own[name] ?? formatOf(name, fields)
      return { name: label, type: typeOf(name, fields) ?? 'string', ...(format && { format }) }
    }
    const of = group.values.find((value) => value.name === name)?.of
    const type = typeof of === 'string' && of.startsWith('$') ? typeOf(of.slice(1), fields) : null
    const format = formats[name]
    // The first, last, least or greatest of dates is a date.
    return { name: label, type: isDateType(type) ? type : 'number', ...(format && { format }) }
  }
}
