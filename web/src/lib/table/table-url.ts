import { useSearchParams } from 'react-router'
import type { Sort } from '#lib/api/lists.ts'
import { useKeptPageSize } from './page-size.ts'

/** The sizes of the specification, and two for long lists; the footer hides when the smallest shows everything. */
const pageSizes = [5, 10, 20, 50, 100]
const [smallest = 5] = pageSizes

export type TableState = { page: number; pageSize: number; sort: Sort | null }

/** A table's state as kept in the address; absent and invalid values become defaults: `usual` rows per page. */
export function readTableState(params: URLSearchParams, usual = smallest): TableState {
  const page = Number(params.get('page'))
  const size = Number(params.get('size'))
  const field = params.get('sort')
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    pageSize: pageSizes.includes(size) ? size : usual,
    sort: field ? { field, direction: params.get('dir') === 'desc' ? 'desc' : 'asc' } : null,
  }
}

/** The address for a changed state. Defaults are left out; other parameters stay. */
export function writeTableState(params: URLSearchParams, state: TableState): URLSearchParams {
  const next = new URLSearchParams(params)
  const put = (name: string, value: string | null): void => {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  put('page', state.page > 1 ? String(state.page) : null)
  put('size', state.pageSize === smallest ? null : String(state.pageSize))
  put('sort', state.sort?.field ?? null)
  put('dir', state.sort?.direction === 'desc' ? 'desc' : null)
  return next
}

/**
 * Page, page size and order of a screen's table, kept in the address; an address without a size uses the last one
 * chosen for this list, `atFirst` before any was. Spread it into `DataTable`.
 */
export function useTableUrl(atFirst: (typeof pageSizes)[number] = smallest) {
  const [params, setParams] = useSearchParams()
  const [usual, keepPageSize] = useKeptPageSize(pageSizes, atFirst)
  const state = readTableState(params, usual)
  const change = (part: Partial<TableState>): void =>
    setParams((now) => writeTableState(now, { ...readTableState(now, usual), ...part }), { replace: true })
  return {
    ...state,
    pageSizes,
    onPageChange: (page: number) => change({ page }),
    onPageSizeChange: (pageSize: number) => {
      keepPageSize(pageSize)
      change({ pageSize, page: 1 })
    },
    onSortChange: (sort: Sort | null) => change({ sort, page: 1 }),
  }
}
