import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { groupingOfChart } from '@portico/contract/dashboards/dashboard-cells'
import { columnsOfRows } from '@portico/contract/dashboards/cell-columns'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { foldName } from '@portico/domain/names'
import { exactComputed, formatComputed, formatValue, keyText } from '#domain/charts'

/** A column of a cell's rows, with its values' format. `exactOf`: all digits of a figure whose text has fewer. */
export type CellColumn = {
  name: string
  label: string
  isNumber: boolean
  textOf: (value: unknown) => string
  exactOf: (value: unknown) => string | undefined
}

/** The columns of a cell's rows, with the format of their values. */
export function columnsOfCell(chart: CellChart, answer: CellAnswer): CellColumn[] {
  const fields = new Map(answer.fields.map((field) => [foldName(field.name), field]))
  const own = chart.portico?.formats ?? {}
  const formats = groupingOfChart(chart, answer.fields)?.formats ?? own
  // Values of contacts are shown unchanged.
  const isGrouped = chart.filter !== undefined && readRowKind(parsePipeline(chart.filter.standard)) === 'groups'
  return columnsOfRows(chart, answer).map(({ name, label, key }) => {
    const isNumber = !key && answer.rows.some((row) => typeof row[name] === 'number')
    const field = isGrouped ? undefined : fields.get(foldName(name))
    const format = formats[name]
    return {
      name,
      label,
      isNumber,
      textOf: (value) =>
        key
          ? keyText(value, key)
          : typeof value === 'number' && isGrouped
            ? formatComputed(value, format)
            : formatValue(value, field?.type, own[name] ?? field?.format),
      exactOf: (value) => (isGrouped && !key && typeof value === 'number' ? exactComputed(value, format) : undefined),
    }
  })
}
