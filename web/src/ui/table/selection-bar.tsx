import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import css from './selection-bar.module.css'

type SelectionBarProps = {
  count: number
  onClear: () => void
  /** Actions on the selected records. */
  children: ReactNode
}

/** Actions for the selected rows of a table, shown above its header while any is selected. */
export function SelectionBar({ count, onClear, children }: SelectionBarProps) {
  if (count === 0) return null
  return (
    <section className={css['bar']} aria-label="Selected rows">
      <output className={css['count']}>{`${count.toLocaleString('en-US')} selected`}</output>
      {children}
      <Button variant="subtle" color="gray" className={css['clear'] ?? ''} onClick={onClear}>
        Clear selection
      </Button>
    </section>
  )
}
