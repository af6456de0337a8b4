import { type ReactNode, useId, useState } from 'react'
import { FilterBuilder } from '#domain/filters'
import { FilterToggle } from '#ui/table/filter-panel.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { StatusSelect } from '#ui/form/status-select.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import { importFields, type useImportFilter } from './import-filter.ts'
import css from './filtered-card.module.css'

type FilteredCardProps = {
  filter: ReturnType<typeof useImportFilter>
  isDense: boolean
  onDenseChange: (isDense: boolean) => void
  children: ReactNode
}

/** The table's card: the most used filters in its bar, and below it the collapsed FILTERS, for any condition. */
export function FilteredCard({ filter, isDense, onDenseChange, children }: FilteredCardProps) {
  const panelId = useId()
  const count = filter.built.standard.length
  const [isOpen, setOpen] = useState(count > 0)
  return (
    <TableCard
      isDense={isDense}
      onDenseChange={onDenseChange}
      toolbar={
        <>
          <SearchBox
            label="Name contains"
            placeholder="Name contains"
            value={filter.name}
            onSearch={(name) => filter.change({ name })}
          />
          <StatusSelect value={filter.status} onChange={(status) => filter.change({ status })} />
          <FilterToggle panelId={panelId} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} count={count} />
        </>
      }
    >
      <section id={panelId} aria-label="Filters" hidden={!isOpen}>
        {isOpen && (
          <div className={css['builder']}>
            <FilterBuilder
              noun="imports"
              fields={importFields}
              value={filter.built}
              onApply={(built) => filter.change({ built })}
              tabs={['standard']}
            />
          </div>
        )}
      </section>
      {children}
    </TableCard>
  )
}
