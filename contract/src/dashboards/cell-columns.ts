import type { GroupKey, KnownField } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import type { CellChart } from './cell-chart.ts'
import { groupingOfChart } from './dashboard-cells.ts'

/** A column of a cell's rows; `key`: of the groups, null for values and without groups. */
export type ColumnOfRows = { name: string; label: string; key: GroupKey | null }

/**
 * The columns of a cell's rows: keys, then values; without groups those that the cell or its first row names. The one key
 * that has no name is labelled by its field.
 */
export function columnsOfRows(
  chart: CellChart,
  { rows, fields }: { rows: readonly Row[]; fields: readonly KnownField[] },
): ColumnOfRows[] {
  const grouping = groupingOfChart(chart, fields)
  if (!grouping) {
    const names = chart.filter?.columns ?? Object.keys(rows[0] ?? {}).filter((name) => name !== '_id')
    return names.map((name) => ({ name, label: name, key: null }))
  }
  return [
    ...grouping.keys.map((key) => ({ name: key.name, label: key.name === '_id' ? key.field : key.name, key })),
    ...grouping.values.map((name) => ({ name, label: name, key: null })),
  ]
}
