import { Loader } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { DataTableFooter } from './data-table-footer.tsx'
import { type Column, DataTableHead, type SelectAll, type TableSort } from './data-table-head.tsx'
import { DataTableRow } from './data-table-row.tsx'
import css from './data-table.module.css'

export type { Column } from './data-table-head.tsx'

/** Ids of the selected records, on all pages. */
export type Selection = { ids: ReadonlySet<string>; onChange: (ids: ReadonlySet<string>) => void }

type DataTableProps<T> = {
  /** Names the table for screen readers: 'Imports'. */
  label: string
  columns: Column<T>[]
  /** The page to show; undefined until the first response. */
  records: T[] | undefined
  /** The number of all records, not just of this page; undefined until known. */
  total: number | undefined
  getRecordId: (record: T) => string
  /** Names a record in the labels of its controls: 'Expand Spring leads'. */
  getRecordLabel: (record: T) => string
  /** Counted from 1. */
  page: number
  pageSize: number
  /** Infinity means all rows. */
  pageSizes: number[]
  /** The footer is shown for more records than this; the smallest page size if not given. */
  footerAbove?: number
  onPageChange: (page: number) => void
  /** Needed when there is more than one page size. */
  onPageSizeChange?: (pageSize: number) => void
  sort?: TableSort | null
  onSortChange?: (sort: TableSort | null) => void
  /** Content of an open row. One row is open at a time unless `allowsManyOpen`. */
  expansion?: (record: T) => ReactNode
  allowsManyOpen?: boolean
  /** Id of the record whose row is initially open. */
  openAtFirst?: string | null
  /** Gives each row a checkbox, and the header one for all rows shown. */
  selection?: Selection | undefined
  /** Shown when there are no rows. */
  empty: ReactNode
  /** Shown when the rows could not be loaded. */
  failure?: ReactNode
  /** The rows of the previous page are shown while the next one loads. */
  isStale?: boolean
  isDense?: boolean
}

/**
 * A table whose pages and order come from the server: it reports changes to the caller, which passes the rows. It has
 * its own markup because screen readers need real column headers with `aria-sort` and real buttons.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, records, total, page, pageSize, pageSizes, onPageChange, sort = null, expansion } = props
  const { isStale = false, isDense = true, failure, selection } = props
  const [open, toggle] = useOpenRows(props.allowsManyOpen ?? false, props.openAtFirst ?? null)
  const columns = useFittingColumns(props.columns)
  const tableId = useId()
  const lastPage = Math.max(1, Math.ceil((total ?? 0) / pageSize))

  // Rows were deleted, or the address names a page that does not exist.
  useEffect(() => {
    if (total !== undefined && page > lastPage) onPageChange(lastPage)
  }, [total, page, lastPage, onPageChange])

  const footerAbove = props.footerAbove ?? Math.min(...pageSizes)
  const hasRows = !failure && records !== undefined && records.length > 0
  const isLoading = !failure && records === undefined
  return (
    <div className={css['root']} data-dense={isDense || undefined}>
      <section
        className={css['scroll']}
        data-empty={!hasRows || undefined}
        aria-label={label}
        aria-busy={isStale || records === undefined}
      >
        {columns.length === 0 && isLoading && <div className={css['headPlace']} />}
        {columns.length > 0 && (
          <table id={tableId} className={css['table']} data-stale={isStale || undefined}>
            <DataTableHead
              columns={columns}
              sort={sort}
              isExpandable={expansion !== undefined}
              {...(selection && { selectAll: selectAllOf(selection, (records ?? []).map(props.getRecordId)) })}
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
                      {...(selection && {
                        isSelected: selection.ids.has(id),
                        onSelect: () => selection.onChange(withToggled(selection.ids, [id], !selection.ids.has(id))),
                      })}
                      {...(expansion && { expansion })}
                    />
                  )
                })}
              </tbody>
            )}
          </table>
        )}
      </section>
      {!hasRows && <div className={css['message']}>{failure ?? (isLoading ? <Loading /> : props.empty)}</div>}
      {total !== undefined && total > footerAbove && !failure && (
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

/** Pinned buttons may take no more than this of a phone's width, in pixels. */
const widestPinnedOnPhone = 84

/** The columns as on a wide screen; on a phone, those with `comesEarly` follow the name. */
function useFittingColumns<T>(columns: Column<T>[]): Column<T>[] {
  const isPhone = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })
  return isPhone ? columnsForPhone(columns) : columns
}

function columnsForPhone<T>(columns: Column<T>[]): Column<T>[] {
  const early = columns.filter(({ comesEarly }) => comesEarly)
  const others = columns.filter(({ comesEarly }) => !comesEarly)
  const afterName = others.findIndex(({ isRowHeader }) => isRowHeader) + 1
  return [...others.slice(0, afterName), ...early, ...others.slice(afterName)].map((column) => ({
    ...column,
    isPinned: column.isPinned === true && Number(column.width ?? 0) <= widestPinnedOnPhone,
  }))
}

function withToggled(ids: ReadonlySet<string>, some: string[], isChosen: boolean): ReadonlySet<string> {
  const others = [...ids].filter((id) => !some.includes(id))
  return new Set(isChosen ? [...others, ...some] : others)
}

/** The checkbox in the header selects the rows shown; selections on other pages are unchanged. */
function selectAllOf({ ids, onChange }: Selection, shown: string[]): SelectAll {
  const count = shown.filter((id) => ids.has(id)).length
  const isAll = shown.length > 0 && count === shown.length
  return {
    isDisabled: shown.length === 0,
    isAll,
    isSome: count > 0 && !isAll,
    onToggle: () => onChange(withToggled(ids, shown, !isAll)),
  }
}

function Loading() {
  return (
    <output className={css['loading']}>
      <Loader size={18} aria-hidden />
      Loading items. Please wait...
    </output>
  )
}

function useOpenRows(allowsMany: boolean, atFirst: string | null): [string[], (id: string) => void] {
  const [open, setOpen] = useState<string[]>(atFirst === null ? [] : [atFirst])
  const toggle = (id: string): void =>
    setOpen((now) => {
      if (now.includes(id)) return now.filter((other) => other !== id)
      return allowsMany ? [...now, id] : [id]
    })
  return [open, toggle]
}
