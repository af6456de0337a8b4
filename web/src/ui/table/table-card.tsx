import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { RowHeightChoice } from './row-height-choice.tsx'
import css from './table-card.module.css'

type TableCardProps = {
  /** Search and filters, on the left of the bar above the table. */
  toolbar?: ReactNode
  isDense: boolean
  onDenseChange: (isDense: boolean) => void
  children: ReactNode
}

/** The frame of a screen's table: a bar with tools and the choice of row height, then the table. */
export function TableCard({ toolbar, isDense, onDenseChange, children }: TableCardProps) {
  return (
    <Paper className={css['card']}>
      <div className={css['bar']}>
        <div className={css['tools']}>{toolbar}</div>
        <RowHeightChoice isDense={isDense} onChange={onDenseChange} />
      </div>
      {children}
    </Paper>
  )
}
