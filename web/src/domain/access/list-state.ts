import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useLocalTable } from '#lib/table/local-table.ts'
import { useSetting } from '#lib/settings.ts'
import type { Selection } from '#ui/table/data-table.tsx'

type ListOptions<T> = {
  items: T[] | undefined
  idOf: (item: T) => string
  /** The text that a search matches, in any letter case. */
  textOf: (item: T) => string
}

/** A list of the identity area: its search in the address, its pages, selected rows, and layout by the settings. */
export function useListState<T>({ items, idOf, textOf }: ListOptions<T>) {
  const [params, setParams] = useSearchParams()
  const search = params.get('search') ?? ''
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return items?.filter((item) => wanted === '' || textOf(item).toLowerCase().includes(wanted))
  }, [items, search, textOf])
  const table = useLocalTable(found)
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [isDense, setDense] = useSetting('areTablesDensed')
  const [singleExpand] = useSetting('singleExpand')
  const onSearch = (text: string): void => {
    table.onPageChange(1)
    setParams(
      (now) => {
        const next = new URLSearchParams(now)
        if (text.trim()) next.set('search', text.trim())
        else next.delete('search')
        return next
      },
      { replace: true },
    )
  }
  const selection: Selection = { ids, onChange: setIds }
  return {
    search,
    onSearch,
    found: found?.length,
    table,
    isDense,
    setDense,
    allowsManyOpen: !singleExpand,
    selection,
    /** The selected items that still exist, including those that the search hides. */
    selected: (items ?? []).filter((item) => ids.has(idOf(item))),
    clearSelection: () => setIds(new Set()),
  }
}
