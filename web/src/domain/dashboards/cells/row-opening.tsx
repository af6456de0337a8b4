import { UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CellRow } from './cell-props.ts'

/** How rows open the contacts or events behind them; null if they do not. */
export function rowOpening(onOpenRow: ((row: CellRow) => void) | null | undefined) {
  if (!onOpenRow) return null
  return {
    propsOf: (row: CellRow) => ({ onClick: () => onOpenRow(row) }),
    /** The row's button for the keyboard: its click is handled by the row. */
    buttonOf: (label: ReactNode) => (
      <UnstyledButton component="button" style={{ font: 'inherit' }} aria-haspopup="dialog">
        {label}
      </UnstyledButton>
    ),
  }
}
