import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { columnsOfRows } from '@portico/contract/dashboards/cell-columns'
import { type Grouping, readRowKind } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { type GroupValue } from '@portico/contract/dashboards/interaction'
import type { FieldType } from '@portico/contract/contacts'
import { foldName } from '@portico/domain/names'
import { formatValue, keyText } from '#domain/charts'
import { exactFigure, formatFigure, formatNumber } from '#lib/formats.ts'

type Row = CellAnswer['rows'][number]

/** A column of a cell's rows, and how its values read. `exactOf`: all digits of a figure, where its text has fewer. */
export type CellColumn = {
  name: string
  label: string
  isNumber: boolean
  textOf: (value: unknown) => string
  exactOf: (value: unknown) => string | undefined
}

/** The columns of a cell's rows, with how their values read. */
export function columnsOfCell(chart: CellChart, answer: CellAnswer): CellColumn[] {
  const types = new Map<string, FieldType>(answer.fields.map(({ name, type }) => [foldName(name), type]))
  // Values of contacts are shown as they are.
  const isGrouped = chart.filter !== undefined && readRowKind(parsePipeline(chart.filter.standard)) === 'groups'
  const textOfNumber = isGrouped ? formatFigure : formatNumber
  return columnsOfRows(chart, answer).map(({ name, label, key }) => {
    const isNumber = !key && answer.rows.some((row) => typeof row[name] === 'number')
    return {
      name,
      label,
      isNumber,
      textOf: (value) =>
        key
          ? keyText(value, key)
          : typeof value === 'number'
            ? textOfNumber(value)
            : formatValue(value, types.get(foldName(name)) ?? 'string'),
      exactOf: (value) => (isGrouped && !key && typeof value === 'number' ? exactFigure(value) : undefined),
    }
  })
}

/** The keys of a row, as a click sends them. */
export function keysOfRow({ keys }: Grouping, row: Row): GroupValue[] {
  return keys.map(({ name }) => {
    const value = row[name]
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
  })
}
