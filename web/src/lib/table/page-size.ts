import { useLocation } from 'react-router'
import { useSetting } from '#lib/settings.ts'

/**
 * Rows per page of the shown list, as last chosen in this browser, and a setter; `usual` until one of the `sizes` is
 * chosen. Infinity means all rows.
 */
export function useKeptPageSize(sizes: number[], usual: number): [number, (pageSize: number) => void] {
  const { pathname } = useLocation()
  const [kept, setKept] = useSetting('pageSizes')
  const size = kept[pathname] === 'All' ? Number.POSITIVE_INFINITY : kept[pathname]
  const keep = (pageSize: number): void =>
    setKept({ ...kept, [pathname]: Number.isFinite(pageSize) ? pageSize : 'All' })
  return [size !== undefined && sizes.includes(size) ? size : usual, keep]
}
