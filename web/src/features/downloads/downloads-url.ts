import { useSearchParams } from 'react-router'
import { useTableUrl } from '#lib/table/table-url.ts'
import { isSortField } from './download-columns.tsx'

/** Page, order and search of the list, kept in the address. A search returns to the first page. */
export function useDownloadsUrl() {
  const { sort, ...table } = useTableUrl()
  const [params, setParams] = useSearchParams()
  const onSearch = (text: string): void =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now)
        next.delete('page')
        if (text.trim()) next.set('search', text.trim())
        else next.delete('search')
        return next
      },
      { replace: true },
    )
  return {
    table,
    // The address may name a column that does not exist.
    sort: sort && isSortField(sort.field) ? { ...sort, field: sort.field } : null,
    search: params.get('search') ?? '',
    onSearch,
  }
}
