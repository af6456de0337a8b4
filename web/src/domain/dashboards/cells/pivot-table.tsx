import type { FieldFormat } from '@portico/domain/field-format'
import { groupingOfChart } from '@portico/contract/dashboards/dashboard-cells'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import { Text, UnstyledButton } from '@mantine/core'
import { exactComputed, formatComputed, keyText } from '#domain/charts'
import { formatNumber } from '#lib/formats.ts'
import css from './cell-content.module.css'
import type { AnsweredProps, CellRow } from './cell-props.ts'
import { ScrollPlace } from './scroll-place.tsx'

const keyOf = (value: unknown): string => JSON.stringify(value ?? null)

/** Two levels of groups as rows and columns, with the totals of both. */
export function PivotTable({ cell, answer, onOpenRow }: AnsweredProps) {
  const grouping = groupingOfChart(cell.chart, answer.fields)
  const [rowKey, columnKey] = grouping?.keys ?? []
  const [value] = grouping?.values ?? []
  const format = value === undefined ? undefined : grouping?.formats?.[value]
  if (!rowKey || !columnKey || value === undefined) return <Text size="sm">The keys of this table are computed.</Text>
  const { pivotColumns } = dashboardLimits
  const columns = valuesOf(answer.columnTotals ?? answer.rows, columnKey.name)
  const shown = columns.slice(0, pivotColumns)
  const rows = valuesOf(answer.rowTotals ?? answer.rows, rowKey.name)
  const byCell = new Map(
    answer.rows.map((row) => [`${keyOf(row[rowKey.name])} ${keyOf(row[columnKey.name])}`, row[value]]),
  )
  const totalOf = (all: CellRow[] | undefined, name: string) =>
    new Map(all?.map((row) => [keyOf(row[name]), row[value]]))
  const rowTotals = totalOf(answer.rowTotals, rowKey.name)
  const columnTotals = totalOf(answer.columnTotals, columnKey.name)
  return (
    <>
      <ScrollPlace label={cell.chart.title || 'Pivot table'}>
        <table className={css['table']}>
          <thead>
            <tr>
              <th scope="col">{`${rowKey.name} / ${columnKey.name}`}</th>
              {shown.map((each) => (
                <th key={keyOf(each)} scope="col" data-number>
                  {keyText(each, columnKey)}
                </th>
              ))}
              <th scope="col" data-number>
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                <th scope="row">{keyText(row, rowKey)}</th>
                {shown.map((column) => (
                  <Figure
                    key={keyOf(column)}
                    value={byCell.get(`${keyOf(row)} ${keyOf(column)}`)}
                    group={{ [rowKey.name]: row, [columnKey.name]: column }}
                    format={format}
                    onOpen={onOpenRow}
                  />
                ))}
                <Figure
                  value={rowTotals.get(keyOf(row))}
                  group={{ [rowKey.name]: row }}
                  format={format}
                  onOpen={onOpenRow}
                />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              {shown.map((column) => (
                <Figure
                  key={keyOf(column)}
                  value={columnTotals.get(keyOf(column))}
                  group={{ [columnKey.name]: column }}
                  format={format}
                  onOpen={onOpenRow}
                />
              ))}
              <Figure value={answer.totals?.[value]} group={{}} format={format} onOpen={onOpenRow} />
            </tr>
          </tfoot>
        </table>
      </ScrollPlace>
      {columns.length > shown.length && (
        <Text size="xs" c="dimmed">{`First ${shown.length} of ${formatNumber(columns.length)} columns`}</Text>
      )}
    </>
  )
}

type FigureProps = {
  value: unknown
  group: CellRow
  format: FieldFormat | undefined
  onOpen: ((row: CellRow) => void) | null | undefined
}

/** A number that opens the contacts or events behind it. */
function Figure({ value, group, format, onOpen }: FigureProps) {
  const text = typeof value === 'number' ? formatComputed(value, format) : ''
  return (
    <td data-number title={typeof value === 'number' ? exactComputed(value, format) : undefined}>
      {onOpen && text !== '' ? (
        <UnstyledButton className={css['figure'] ?? ''} aria-haspopup="dialog" onClick={() => onOpen(group)}>
          {text}
        </UnstyledButton>
      ) : (
        text
      )}
    </td>
  )
}

/** The distinct values of a key, in the order of the rows. */
function valuesOf(rows: readonly CellRow[], name: string): unknown[] {
  return [...new Map(rows.map((row) => [keyOf(row[name]), row[name] ?? null])).values()]
}
