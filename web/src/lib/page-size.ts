import { useLocation } from 'react-router'
import { useSetting } from './settings.ts'

/**
 * Rows a page of the list that is shown, as chosen last in this browser, and what keeps another choice; `usual` until one
 * of the `sizes` has been chosen. Infinity stands for all rows.
 */
export function useKeptPageSize(sizes: number[], usual: number): [number, (pageSize: number) => void] {
  const { pathname } = useLocation()
  const [kept, setKept] = useSetting('pageSizes')
  const size = kept[pathname] === 'All' ? Number.POSITIVE_INFINITY : kept[pathname]
  const keep = (pageSize: number): void =>
    setKept({ ...kept, [pathname]: Number.isFinite(pageSize) ? pageSize : 'All' })
  return [size !== undefined && sizes.includes(size) ? size : usual, keep]
}
