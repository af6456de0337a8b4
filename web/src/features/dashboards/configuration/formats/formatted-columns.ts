import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { isChartKind, kpiTemplateOf, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { parseFilter } from '@portico/contract/dashboards/dashboard-cells'
import type { Field } from '@portico/contract/contacts'
import { foldName } from '@portico/domain/names'
import { readShownGrouping } from '@portico/domain/pipeline/grouping'

/** The columns of numbers of a cell, whose format can be chosen: values, calculated columns and fields. */
export function formattedColumns(chart: CellChart, fields: readonly Field[]): string[] {
  const { type, filter, calculatedColumns = [] } = chart
  if (type === 'KPI' && kpiTemplateOf(chart) === ratioTemplate) return []
  const grouping = filter ? readShownGrouping(parseFilter(filter), fields) : null
  if (type === 'KPI') return [grouping?.values[0] ?? 'count']
  const hasFormats = isChartKind(type) || ['CalculatedTable', 'PaginaTable', 'Pivot', 'Table'].includes(type)
  if (!hasFormats || !filter) return []
  if (!grouping) {
    const numbers = new Set(fields.filter((field) => field.type === 'number').map(({ name }) => foldName(name)))
    return (filter.columns ?? []).filter((name) => numbers.has(foldName(name)))
  }
  const keys = grouping.keys.filter((key) => key.type === 'number').map(({ name }) => name)
  return [...keys, ...grouping.values, ...(type === 'CalculatedTable' ? calculatedColumns.map(({ name }) => name) : [])]
}
