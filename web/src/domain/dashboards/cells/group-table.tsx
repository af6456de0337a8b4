import type { CellColumn } from './group-columns.ts'
import css from './cell-content.module.css'
import type { AnsweredProps } from './cell-props.ts'
import { columnsOfCell } from './group-columns.ts'
import { rowOpening } from './row-opening.tsx'
import { ScrollPlace } from './scroll-place.tsx'

/** The rows of a cell as a table: a table cell, or the table view of a chart. */
export function GroupTable({ cell, answer, onOpenRow }: AnsweredProps) {
  const columns = columnsOfCell(cell.chart, answer)
  const opening = rowOpening(onOpenRow)
  return (
    <ScrollPlace label={cell.chart.title || 'Table'}>
      <table className={`${css['table']} ${opening ? css['choosable'] : ''}`}>
        <Head columns={columns} />
        <tbody>
          {answer.rows.map((row, at) => (
            // Groups have no id, and arrive as one list.
            <tr key={at} {...opening?.propsOf(row)}>
              {columns.map(({ name, isNumber, textOf, exactOf }, index) =>
                index === 0 ? (
                  <th key={name} scope="row">
                    {opening ? opening.buttonOf(textOf(row[name])) : textOf(row[name])}
                  </th>
                ) : (
                  <td key={name} data-number={isNumber || undefined} title={exactOf(row[name])}>
                    {textOf(row[name])}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollPlace>
  )
}

function Head({ columns }: { columns: readonly CellColumn[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, label, isNumber }) => (
          <th key={name} scope="col" data-number={isNumber || undefined}>
            {label}
          </th>
        ))}
      </tr>
    </thead>
  )
}
