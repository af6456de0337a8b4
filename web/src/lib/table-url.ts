import { useSearchParams } from 'react-router'
import type { Sort } from './lists.ts'

/** Page sizes of the contact screens; the footer hides when the smallest shows everything. */
const pageSizes = [5, 10, 20]

export type TableState = { page: number; pageSize: number; sort: Sort | null }

/** The state of a table as the address holds it; what is absent or makes no sense is the default. */
export function readTableState(params: URLSearchParams, sizes = pageSizes): TableState {
  const [smallest = 10] = sizes
  const page = Number(params.get('page'))
  const size = Number(params.get('size'))
  const field = params.get('sort')
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    pageSize: sizes.includes(size) ? size : smallest,
    sort: field ? { field, direction: params.get('dir') === 'desc' ? 'desc' : 'asc' } : null,
  }
}

/** The address for a changed state. Defaults stay out; parameters of others stay in. */
export function writeTableState(params: URLSearchParams, state: TableState, sizes = pageSizes): URLSearchParams {
  const next = new URLSearchParams(params)
  const put = (name: string, value: string | null): void => {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  put('page', state.page > 1 ? String(state.page) : null)
  put('size', state.pageSize === sizes[0] ? null : String(state.pageSize))
  put('sort', state.sort?.field ?? null)
  put('dir', state.sort?.direction === 'desc' ? 'desc' : null)
  return next
}

/** Page, page size and order of a screen's table, kept in the address. Spread it into `DataTable`. */
export function useTableUrl(sizes = pageSizes) {
  const [params, setParams] = useSearchParams()
  const state = readTableState(params, sizes)
  const change = (part: Partial<TableState>): void =>
    setParams((now) => writeTableState(now, { ...readTableState(now, sizes), ...part }, sizes), { replace: true })
  return {
    ...state,
    pageSizes: sizes,
    onPageChange: (page: number) => change({ page }),
    onPageSizeChange: (pageSize: number) => change({ pageSize, page: 1 }),
    onSortChange: (sort: Sort | null) => change({ sort, page: 1 }),
  }
}
