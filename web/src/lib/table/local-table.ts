import { useState } from 'react'
import { useKeptPageSize } from './page-size.ts'
import { rowsPerPageOptions, useSetting } from '#lib/settings.ts'

const toSize = (rows: (typeof rowsPerPageOptions)[number]): number => (rows === 'All' ? Number.POSITIVE_INFINITY : rows)
/** 5, 10 and 15 as the settings offer them, two more for long lists, and all rows. */
const rowsPerPageSizes = [...rowsPerPageOptions.map(toSize), 50, 100].toSorted((one, other) => one - other)

/** Rows per page by the settings; infinite for all. */
export const useRowsPerPage = (): number => toSize(useSetting('rowsPerPage')[0])

/**
 * Pages of a list that the browser has completely. Spread it into `DataTable`, which hides the footer when everything
 * fits on one page of the size in the settings.
 */
export function useLocalTable<T>(all: T[] | undefined) {
  const usual = useRowsPerPage()
  const [page, setPage] = useState(1)
  const [pageSize, keepPageSize] = useKeptPageSize(rowsPerPageSizes, usual)
  const first = pageSize === Number.POSITIVE_INFINITY ? 0 : (page - 1) * pageSize
  return {
    records: all?.slice(first, first + pageSize),
    total: all?.length,
    page,
    pageSize,
    pageSizes: rowsPerPageSizes,
    footerAbove: Math.min(usual, pageSize),
    onPageChange: setPage,
    onPageSizeChange: (size: number) => {
      keepPageSize(size)
      setPage(1)
    },
  }
}
