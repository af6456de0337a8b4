import { type ReactNode, useId, useState } from 'react'
import { FilterPanel, FilterToggle } from './filter-panel.tsx'
import { SearchBox, type SearchBoxProps } from './search-box.tsx'
import { TableCard } from './table-card.tsx'

type FilteredCardProps = {
  /** Search box of the bar; without it there is no box. */
  search?: SearchBoxProps
  /** Content of the FILTERS panel. */
  filters: ReactNode
  /** Number of active filters. The panel is initially open if there are any. */
  filterCount: number
  /** Undefined while no filter is active. */
  onClear: (() => void) | undefined
  isDense: boolean
  onDenseChange: (isDense: boolean) => void
  /** The table. */
  children: ReactNode
}

/** The card of a screen's table with its search and collapsed FILTERS. */
export function FilteredCard({
  search,
  filters,
  filterCount,
  onClear,
  isDense,
  onDenseChange,
  children,
}: FilteredCardProps) {
  const panelId = useId()
  const [isOpen, setOpen] = useState(filterCount > 0)
  return (
    <TableCard
      isDense={isDense}
      onDenseChange={onDenseChange}
      toolbar={
        <>
          {search && <SearchBox {...search} />}
          <FilterToggle panelId={panelId} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} count={filterCount} />
        </>
      }
    >
      <FilterPanel id={panelId} isOpen={isOpen} onClear={onClear}>
        {filters}
      </FilterPanel>
      {children}
    </TableCard>
  )
}
