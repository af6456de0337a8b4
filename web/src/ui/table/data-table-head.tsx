import { Checkbox, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import IconArrowDown from '#icons/IconArrowDown'
import IconArrowUp from '#icons/IconArrowUp'
import IconArrowsSort from '#icons/IconArrowsSort'
import css from './data-table.module.css'

export type Column<T> = {
  /** Unique in the table; the name that the server sorts by. */
  key: string
  /** Text of the header; `VisuallyHidden` for columns of buttons. */
  title: ReactNode
  render: (record: T) => ReactNode
  align?: 'left' | 'right'
  /** In pixels, or any CSS width. */
  width?: number | string
  isSortable?: boolean
  /** Stays visible at the right edge when the table is wider than its container: for the buttons of a row. */
  isPinned?: boolean
  /** The one cell that names its row for screen readers. On a phone, it stays visible at the left edge. */
  isRowHeader?: boolean
  /** On a phone, follows the cell that names the row, where it is visible without scrolling: for the state of a job. */
  comesEarly?: boolean
  /** Makes the cells of the column react to a double click, such as by opening an editor. */
  onDoubleClick?: (record: T) => void
}

export type TableSort = { field: string; direction: 'asc' | 'desc' }

/** The state of the checkbox that selects all rows shown. */
export type SelectAll = { isAll: boolean; isSome: boolean; isDisabled: boolean; onToggle: () => void }

type DataTableHeadProps<T> = {
  columns: Column<T>[]
  sort: TableSort | null
  onSortChange?: (sort: TableSort | null) => void
  isExpandable: boolean
  selectAll?: SelectAll
}

export function DataTableHead<T>({ columns, sort, onSortChange, isExpandable, selectAll }: DataTableHeadProps<T>) {
  return (
    <thead>
      <tr>
        {selectAll && (
          <th scope="col" className={css['selectCell']}>
            <Checkbox
              size="xs"
              aria-label="Select all rows shown"
              checked={selectAll.isAll}
              indeterminate={selectAll.isSome}
              disabled={selectAll.isDisabled}
              onChange={selectAll.onToggle}
            />
          </th>
        )}
        {isExpandable && (
          <th scope="col" className={css['toggleCell']}>
            <VisuallyHidden>Details</VisuallyHidden>
          </th>
        )}
        {columns.map((column) => {
          const direction = sort?.field === column.key ? sort.direction : null
          return (
            <th
              key={column.key}
              scope="col"
              data-align={column.align}
              data-name={column.isRowHeader || undefined}
              data-pinned={column.isPinned || undefined}
              style={{ width: column.width }}
              aria-sort={direction ? (direction === 'asc' ? 'ascending' : 'descending') : undefined}
            >
              {column.isSortable && onSortChange ? (
                <SortButton
                  title={column.title}
                  direction={direction}
                  onClick={() => onSortChange(nextSort(column.key, direction))}
                />
              ) : (
                column.title
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

/** Ascending, then descending, then the list's default order. */
function nextSort(field: string, direction: TableSort['direction'] | null): TableSort | null {
  if (direction === 'desc') return null
  return { field, direction: direction === 'asc' ? 'desc' : 'asc' }
}

type SortButtonProps = { title: ReactNode; direction: TableSort['direction'] | null; onClick: () => void }

function SortButton({ title, direction, onClick }: SortButtonProps) {
  const Icon = direction === null ? IconArrowsSort : direction === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <button type="button" className={css['sort']} data-active={direction !== null || undefined} onClick={onClick}>
      <span>{title}</span>
      <Icon size={14} stroke={2} aria-hidden />
    </button>
  )
}
