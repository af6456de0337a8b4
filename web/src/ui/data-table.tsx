import { Loader } from '@mantine/core'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { DataTableFooter } from './data-table-footer.tsx'
import { type Column, DataTableHead, type TableSort } from './data-table-head.tsx'
import { DataTableRow } from './data-table-row.tsx'
import css from './data-table.module.css'

export type { Column } from './data-table-head.tsx'

type DataTableProps<T> = {
  /** Names the table for readers of the screen: 'Imports'. */
  label: string
  columns: Column<T>[]
  /** The page to show; undefined until the first answer. */
  records: T[] | undefined
  /** All records there are, not just this page; undefined until known. */
  total: number | undefined
  getRecordId: (record: T) => string
  /** Names a record in labels of its controls: 'Expand Spring leads'. */
  getRecordLabel: (record: T) => string
  /** Counted from 1. */
  page: number
  pageSize: number
  pageSizes: number[]
  onPageChange: (page: number) => void
  /** Needed when there is more than one page size. */
  onPageSizeChange?: (pageSize: number) => void
  sort?: TableSort | null
  onSortChange?: (sort: TableSort | null) => void
  /** What a row opens to. One row is open at a time unless `allowsManyOpen`. */
  expansion?: (record: T) => ReactNode
  allowsManyOpen?: boolean
  /** Shown instead of rows when there are none. */
  empty: ReactNode
  /** Shown instead of rows when they could not be loaded. */
  failure?: ReactNode
  /** The shown rows belong to the page before; the next one is on its way. */
  isStale?: boolean
  isDense?: boolean
}

/**
 * A table whose pages and order come from the server: what changes is told to the caller, what is shown is given.
 * Own markup, as real column headers with `aria-sort` and real buttons are what readers of the screen need.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, records, total, page, pageSize, pageSizes, onPageChange, sort = null, expansion } = props
  const { isStale = false, isDense = true, failure } = props
  const [open, toggle] = useOpenRows(props.allowsManyOpen ?? false)
  const tableId = useId()
  const lastPage = Math.max(1, Math.ceil((total ?? 0) / pageSize))

  // Rows were deleted, or the address names a page that never was.
  useEffect(() => {
    if (total !== undefined && page > lastPage) onPageChange(lastPage)
  }, [total, page, lastPage, onPageChange])

  const smallest = Math.min(...pageSizes)
  const hasRows = !failure && records !== undefined && records.length > 0
  return (
    <div className={css['root']} data-dense={isDense || undefined}>
      <section
        className={css['scroll']}
        data-empty={!hasRows || undefined}
        aria-label={label}
        aria-busy={isStale || records === undefined}
      >
        {columns.length > 0 && (
          <table id={tableId} className={css['table']} data-stale={isStale || undefined}>
            <DataTableHead
              columns={columns}
              sort={sort}
              isExpandable={expansion !== undefined}
              {...(props.onSortChange && { onSortChange: props.onSortChange })}
            />
            {hasRows && (
              <tbody>
                {records.map((record) => {
                  const id = props.getRecordId(record)
                  return (
                    <DataTableRow
                      key={id}
                      record={record}
                      columns={columns}
                      label={props.getRecordLabel(record)}
                      isOpen={open.includes(id)}
                      onToggle={() => toggle(id)}
                      {...(expansion && { expansion })}
                    />
                  )
                })}
              </tbody>
            )}
          </table>
        )}
      </section>
      {!hasRows && (
        <div className={css['message']}>{failure ?? (records === undefined ? <Loading /> : props.empty)}</div>
      )}
      {total !== undefined && total > smallest && !failure && (
        <DataTableFooter
          label={label}
          page={page}
          pageSize={pageSize}
          pageSizes={pageSizes}
          total={total}
          shown={records?.length ?? 0}
          onPageChange={onPageChange}
          onPageSizeChange={props.onPageSizeChange ?? (() => undefined)}
        />
      )}
    </div>
  )
}

function Loading() {
  return (
    <output className={css['loading']}>
      <Loader size={18} aria-hidden />
      Loading items. Please wait...
    </output>
  )
}

function useOpenRows(allowsMany: boolean): [string[], (id: string) => void] {
  const [open, setOpen] = useState<string[]>([])
  const toggle = (id: string): void =>
    setOpen((now) => {
      if (now.includes(id)) return now.filter((other) => other !== id)
      return allowsMany ? [...now, id] : [id]
    })
  return [open, toggle]
}
