import { ActionIcon, Checkbox } from '@mantine/core'
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import IconChevronRight from '#icons/IconChevronRight'
import type { Column } from './data-table-head.tsx'
import css from './data-table.module.css'

type DataTableRowProps<T> = {
  record: T
  columns: Column<T>[]
  label: string
  isOpen: boolean
  onToggle: () => void
  expansion?: (record: T) => ReactNode
  isSelected?: boolean
  /** Without it the row has no checkbox. */
  onSelect?: () => void
}

/** One record, and its expanded content below it. */
export function DataTableRow<T>(props: DataTableRowProps<T>) {
  const { record, columns, label, isOpen, onToggle, expansion, isSelected = false, onSelect } = props
  const detailsId = useId()
  const clicks = useRowClicks(onToggle)
  return (
    <>
      <tr
        data-open={isOpen || undefined}
        data-selected={isSelected || undefined}
        data-expandable={expansion !== undefined || undefined}
        // For the mouse only; the row's button does the same for all users.
        onClick={(event) => expansion && isRowClick(event) && clicks.onClick(event)}
      >
        {onSelect && (
          <td className={css['selectCell']}>
            <Checkbox size="xs" aria-label={`Select ${label}`} checked={isSelected} onChange={onSelect} />
          </td>
        )}
        {expansion && (
          <td className={css['toggleCell']}>
            <ActionIcon
              size={24}
              aria-label={`${isOpen ? 'Collapse' : 'Expand'} ${label}`}
              aria-expanded={isOpen}
              aria-controls={isOpen ? detailsId : undefined}
              onClick={onToggle}
            >
              <IconChevronRight size={16} className={css['chevron']} aria-hidden />
            </ActionIcon>
          </td>
        )}
        {columns.map((column) => {
          const Cell = column.isRowHeader ? 'th' : 'td'
          return (
            <Cell
              key={column.key}
              data-align={column.align}
              data-name={column.isRowHeader || undefined}
              data-pinned={column.isPinned || undefined}
              {...(column.isRowHeader && { scope: 'row' })}
              {...(column.onDoubleClick && {
                [twice]: true,
                onDoubleClick: () => {
                  clicks.cancel()
                  column.onDoubleClick?.(record)
                },
              })}
            >
              {column.render(record)}
            </Cell>
          )
        })}
      </tr>
      {expansion && isOpen && (
        <tr id={detailsId} className={css['details']}>
          <td colSpan={columns.length + (onSelect ? 2 : 1)}>
            <div className={css['detailsBody']}>{expansion(record)}</div>
          </td>
        </tr>
      )}
    </>
  )
}

/** Marks the cells that react to a double click. */
const twice = 'data-twice'

/** Clicks that follow each other faster are a double click. */
const doubleClickMs = 250

/** Toggles the row by a click; in cells that react to a double click, once it is clear that none follows. */
function useRowClicks(onToggle: () => void) {
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined)
  const cancel = (): void => clearTimeout(pending.current)
  useEffect(() => cancel, [])
  function onClick({ target, detail }: MouseEvent<HTMLElement>): void {
    // As in isRowClick.
    if (!(target as HTMLElement).closest(`[${twice}]`)) return onToggle()
    cancel()
    if (detail < 2) pending.current = setTimeout(onToggle, doubleClickMs)
  }
  return { onClick, cancel }
}

/** Whether a click on a row is meant for the row: not for a control in it, and not the end of a text selection. */
function isRowClick(event: MouseEvent<HTMLElement>): boolean {
  // React types the target as any event target; the targets of clicks are elements.
  const target = event.target as HTMLElement
  const isOnControl =
    target.closest(`button, a, input, label, select, textarea, [role="button"]:not([${twice}] *)`) !== null
  return !isOnControl && !window.getSelection()?.toString()
}
