import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import IconAdjustmentsHorizontal from '#icons/IconAdjustmentsHorizontal'
import css from './filter-panel.module.css'

type FilterToggleProps = {
  /** Id of the `FilterPanel` it opens. */
  panelId: string
  isOpen: boolean
  onToggle: () => void
  /** Number of active filters. */
  count: number
}

/** FILTERS: opens and closes the panel below the table's bar, and shows how many filters are active. */
export function FilterToggle({ panelId, isOpen, onToggle, count }: FilterToggleProps) {
  return (
    <Button
      variant={isOpen || count > 0 ? 'light' : 'default'}
      leftSection={<IconAdjustmentsHorizontal size={15} aria-hidden />}
      aria-expanded={isOpen}
      aria-controls={panelId}
      onClick={onToggle}
    >
      {count > 0 ? `FILTERS (${count})` : 'FILTERS'}
    </Button>
  )
}

type FilterPanelProps = {
  id: string
  isOpen: boolean
  /** Offered when filters are active. */
  onClear?: (() => void) | undefined
  children: ReactNode
}

/** The fields that filter a table's records, between its bar and its header. */
export function FilterPanel({ id, isOpen, onClear, children }: FilterPanelProps) {
  return (
    <section id={id} aria-label="Filters" hidden={!isOpen}>
      <div className={css['panel']}>
        {children}
        {onClear && (
          <Button variant="subtle" color="gray" onClick={onClear}>
            Clear filters
          </Button>
        )}
      </div>
    </section>
  )
}
