import type { GroupKey, KnownField } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { readGroupedColumns } from '@portico/domain/pipeline/search-rows'
import type { CellChart } from './cell-chart.ts'
import { groupingOfChart, parseFilter } from './dashboard-cells.ts'

/** A column of a cell's rows; `key`: of the groups, null for values and if there are no groups. */
export type ColumnOfRows = { name: string; label: string; key: GroupKey | null }

/**
 * Returns the columns of a cell's rows: keys, then values; without groups, those named by the cell or its first row. A
 * single key without a name is labelled by its field.
 */
export function columnsOfRows(
  chart: CellChart,
  { rows, fields }: { rows: readonly Row[]; fields: readonly KnownField[] },
): ColumnOfRows[] {
  const grouping = groupingOfChart(chart, fields)
  // Known without rows, including values that later stages compute of the groups.
  const grouped = chart.filter ? readGroupedColumns(parseFilter(chart.filter)) : null
  if (!grouping) {
    const found = rows[0] ? Object.keys(rows[0]) : (grouped ?? [])
    const names = chart.filter?.columns ?? found.filter((name) => name !== '_id')
    return names.map((name) => ({ name, label: name, key: null }))
  }
  const own = [...grouping.keys.map(({ name }) => name), ...grouping.values]
  const later = (grouped ?? []).filter((name) => !own.includes(name))
  return [
    ...grouping.keys.map((key) => ({ name: key.name, label: key.name === '_id' ? key.field : key.name, key })),
    ...[...grouping.values, ...later].map((name) => ({ name, label: name, key: null })),
  ]
}
