import type { CellAnswer } from '@portico/contract/dashboards'
import { calculateTable, withFix } from '@portico/contract/dashboards/calculated-columns'
import { type CellChart, isChartKind } from '@portico/contract/dashboards/cell-chart'
import { datePartText } from '@portico/contract/dashboards/date-part-words'
import { columnKey } from '@portico/contract/dashboards/expression'
import { groupingOf, type Row } from '@portico/contract/dashboards/groups'
import { stagesOfFilter } from '@portico/contract/dashboards/narrowing'

/** Rows of a cell as a report writes them: a heading for each column, and the values in their order. */
export type ReportTable = { headings: string[]; rows: unknown[][] }

/** Whether a cell has rows that a report can write. */
export const isReported = ({ type, filter }: CellChart): boolean =>
  filter !== undefined && (isChartKind(type) || ['Table', 'PaginaTable', 'CalculatedTable', 'Pivot'].includes(type))

type Answer = Pick<CellAnswer, 'rows' | 'fields'>

const groupingOfCell = ({ filter }: CellChart, { fields }: Answer) =>
  filter ? groupingOf(stagesOfFilter(filter), fields) : null

/** The names of the columns that the dashboard shows: keys, then values; without groups those that the cell or its rows name. */
export function columnsOf(chart: CellChart, answer: Answer): string[] {
  const grouping = groupingOfCell(chart, answer)
  if (grouping) return [...grouping.keys.map(({ name }) => name), ...grouping.values]
  return chart.filter?.columns ?? Object.keys(answer.rows[0] ?? {}).filter((name) => name !== '_id')
}

/** The rows of an answer under these columns, with calculated ones. */
export function tableOf(chart: CellChart, answer: Answer, names: readonly string[]): ReportTable {
  const { rows } = answer
  const grouping = groupingOfCell(chart, answer)
  const keys = new Map(grouping?.keys.map((key) => [key.name, key]))
  const labelOf = (name: string): string => (name === '_id' ? (keys.get(name)?.field ?? name) : name)
  const valueOf = (row: Row, name: string): unknown => {
    const [value, part] = [row[name] ?? null, keys.get(name)?.part]
    return part && typeof value === 'number' ? datePartText(value, part) : value
  }
  const calculated = chart.type === 'CalculatedTable' ? (chart.calculatedColumns ?? []) : []
  if (calculated.length === 0) {
    return { headings: names.map(labelOf), rows: rows.map((row) => names.map((name) => valueOf(row, name))) }
  }
  const table = calculateTable(names, rows, calculated)
  return {
    headings: table.columns.map(({ name }) => labelOf(name)),
    rows: table.rows.map((values, at) =>
      table.columns.map(({ name, isCalculated, fix }) => {
        if (!isCalculated) return valueOf(rows[at] ?? {}, name)
        const value = values.get(columnKey(name)) ?? null
        return value === null || fix.kind === 'none' ? value : withFix(String(value), fix)
      }),
    ),
  }
}
