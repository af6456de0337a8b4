import { calculateTable, type TableColumn, withFix } from '@portico/domain/dashboards/calculated-columns'
import type { ColumnValue } from '@portico/domain/dashboards/expression'
import { foldName } from '@portico/domain/names'
import { exactComputed, formatComputed } from '#domain/charts'
import { formatFigure, formatNumber } from '#lib/formats.ts'
import css from './cell-content.module.css'
import type { AnsweredProps } from './cell-props.ts'
import { columnsOfCell } from './group-columns.ts'
import { rowOpening } from './row-opening.tsx'
import { ScrollPlace } from './scroll-place.tsx'

/** A table with calculated columns. Its totals are calculated from the totals of the other columns. */
export function CalculatedTable({ cell, answer, onOpenRow }: AnsweredProps) {
  const { chart } = cell
  const own = columnsOfCell(chart, answer)
  const byKey = new Map(own.map((column) => [foldName(column.name), column]))
  const calculated = chart.calculatedColumns ?? []
  const names = own.map(({ name }) => name)
  const { columns, rows } = calculateTable(names, answer.rows, calculated)
  const totals = answer.totals && calculateTable(names, [answer.totals], calculated).rows[0]
  const opening = rowOpening(onOpenRow)
  const textOf = (values: Map<string, ColumnValue>, column: TableColumn): string => {
    const value = values.get(foldName(column.name)) ?? null
    const format = chart.portico?.formats?.[column.name]
    if (column.isCalculated && format && typeof value === 'number') {
      return withFix(formatComputed(value, format), column.fix)
    }
    if (column.isCalculated) return withFix(value === null ? '' : plain(value, column), column.fix)
    return byKey.get(foldName(column.name))?.textOf(value) ?? ''
  }
  const exactOf = (values: Map<string, ColumnValue>, { name, isCalculated, isRounded }: TableColumn) => {
    const value = values.get(foldName(name)) ?? null
    if (isCalculated) {
      const format = chart.portico?.formats?.[name]
      return typeof value === 'number' && (format || !isRounded) ? exactComputed(value, format) : undefined
    }
    return byKey.get(foldName(name))?.exactOf(value)
  }
  const isNumber = (name: string): boolean => byKey.get(foldName(name))?.isNumber ?? true
  return (
    <ScrollPlace label={chart.title || 'Calculated table'}>
      <table className={`${css['table']} ${opening ? css['choosable'] : ''}`}>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col" data-number={isNumber(name) || undefined}>
                {byKey.get(foldName(name))?.label ?? name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((values, at) => {
            const row = answer.rows[at] ?? {}
            return (
              // Groups have no id, and arrive as one list.
              <tr key={at} {...opening?.propsOf(row)}>
                {columns.map((column, index) => (
                  <td
                    key={column.name}
                    data-number={isNumber(column.name) || undefined}
                    title={exactOf(values, column)}
                  >
                    {index === 0 && opening ? opening.buttonOf(textOf(values, column)) : textOf(values, column)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
        {totals && (
          <tfoot>
            <tr>
              {columns.map((column, index) => (
                <td key={column.name} data-number={isNumber(column.name) || undefined} title={exactOf(totals, column)}>
                  {index === 0 && !isNumber(column.name)
                    ? 'Total'
                    : column.isCalculated || isNumber(column.name)
                      ? textOf(totals, column)
                      : ''}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </ScrollPlace>
  )
}

/** A column that rounds has already fixed its number of decimals. */
function plain(value: NonNullable<ColumnValue>, { isRounded }: TableColumn): string {
  if (typeof value === 'number') return isRounded ? formatNumber(value) : formatFigure(value)
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : value
}
