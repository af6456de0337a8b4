import { Button, Group, NativeSelect, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import IconArrowDown from '#icons/IconArrowDown'
import IconArrowUp from '#icons/IconArrowUp'
import { messageOf } from '#lib/api/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { LoadingBlock } from '#ui/feedback/loading-block.tsx'
import { useIsPrinting } from '../printing.ts'
import { useCellAnswer } from '../dashboard-queries.ts'
import css from './cell-content.module.css'
import { CellProblem } from './cell-problem.tsx'
import type { CellContentProps } from './cell-props.ts'
import { type CellColumn, columnsOfCell } from './group-columns.ts'
import { rowOpening } from './row-opening.tsx'
import { ScrollPlace } from './scroll-place.tsx'
import { useDates } from './use-dates.ts'

/** As in Search & Analyze (specification 4 §9). */
const pageSizes = [5, 10, 20, 50, 100]

/** Maximum number of printed rows. Reports and CSV files have all. */
const mostPrinted = 5000

type Order = { name: string; direction: 1 | -1 } | null

/** A table whose pages and order come from the server. */
export function PagedTable({ cell, source, isVisible, onOpenRow, onDates }: CellContentProps) {
  const [page, setPage] = useState(0)
  const [size, setSize] = useState(5)
  const [order, setOrder] = useState<Order>(null)
  const sort: Record<string, 1 | -1> = order ? { [order.name]: order.direction } : {}
  const isPrinting = useIsPrinting()
  const part = isPrinting ? { skip: 0, limit: mostPrinted } : { skip: page * size, limit: size }
  const answer = useCellAnswer(source, { search: '', sort, ...part }, { isVisible })
  useDates(answer.data, onDates)
  if (answer.isError && !answer.data) {
    return <CellProblem message={messageOf(answer.error)} onRetry={() => void answer.refetch()} />
  }
  if (!answer.data) return <LoadingBlock height={220} />
  const { rows, total } = answer.data
  const columns = columnsOfCell(cell.chart, answer.data)
  const opening = rowOpening(onOpenRow)
  const pages = Math.max(1, Math.ceil(total / size))
  return (
    <>
      <ScrollPlace label={cell.chart.title || 'Table'}>
        <table className={`${css['table']} ${onOpenRow ? css['choosable'] : ''}`}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head
                  key={column.name}
                  column={column}
                  order={order}
                  onOrder={(next) => {
                    setOrder(next)
                    setPage(0)
                  }}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // Without the right to open contacts, rows have no id.
              <tr key={at} {...opening?.propsOf(row)}>
                {columns.map(({ name, isNumber, textOf, exactOf }, index) => (
                  <td key={name} data-number={isNumber || undefined} title={exactOf(row[name])}>
                    {index === 0 && opening ? opening.buttonOf(textOf(row[name])) : textOf(row[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {total === 0 && (
          <Text size="sm" c="dimmed" p="sm">
            No data
          </Text>
        )}
      </ScrollPlace>
      {isPrinting && total > rows.length && (
        <Text size="sm">{`First ${formatNumber(rows.length)} of ${formatNumber(total)} rows`}</Text>
      )}
      {!isPrinting && total > Math.min(...pageSizes) && (
        <div className={css['pager']}>
          <NativeSelect
            size="xs"
            aria-label="Rows per page"
            data={pageSizes.map(String)}
            value={String(size)}
            onChange={(event) => {
              setSize(Number(event.currentTarget.value))
              setPage(0)
            }}
          />
          <Text size="sm">{`${formatNumber(page * size + 1)}–${formatNumber(Math.min(total, (page + 1) * size))} of ${formatNumber(total)}`}</Text>
          <Group gap={4}>
            <Button variant="default" size="compact-xs" disabled={page === 0} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button variant="default" size="compact-xs" disabled={page >= pages - 1} onClick={() => setPage(page + 1)}>
              Next
            </Button>
          </Group>
        </div>
      )}
    </>
  )
}

type HeadProps = { column: CellColumn; order: Order; onOrder: (order: Order) => void }

function Head({ column: { name, label, isNumber }, order, onOrder }: HeadProps) {
  const direction = order?.name === name ? order.direction : null
  const next: Order = direction === null ? { name, direction: 1 } : direction === 1 ? { name, direction: -1 } : null
  const sorted = direction === null ? 'none' : direction === 1 ? 'ascending' : 'descending'
  // Chromium omits buttons from table headers that it repeats on the next page.
  const isPrinting = useIsPrinting()
  return (
    <th scope="col" aria-sort={sorted} data-number={isNumber || undefined}>
      {isPrinting ? (
        label
      ) : (
        <UnstyledButton className={css['order'] ?? ''} onClick={() => onOrder(next)}>
          {label}
          {direction === 1 && <IconArrowUp size={13} aria-hidden />}
          {direction === -1 && <IconArrowDown size={13} aria-hidden />}
        </UnstyledButton>
      )}
    </th>
  )
}
