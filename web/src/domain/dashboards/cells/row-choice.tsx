import type { CellAnswer } from '@portico/contract/dashboards'
import { UnstyledButton } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import type { Choosing } from '../interaction-address.ts'
import { withClick } from '../interaction-changes.ts'
import type { FilledCell } from './cell-props.ts'
import { groupingOfCell, isSameKeys, keysOfRow } from './group-columns.ts'

type Row = CellAnswer['rows'][number]

/** How rows are chosen to narrow the other cells; null where that is not possible. */
export function useRowChoice({ id, chart }: FilledCell, answer: CellAnswer, choosing: Choosing | null) {
  const grouping = groupingOfCell(chart, answer)
  if (!choosing || !grouping || grouping.keys.length === 0) return null
  const chosen = choosing.interaction.clicks.find(({ cell }) => cell === id)?.keys ?? []
  const choose = (row: Row, isAdding: boolean): void =>
    choosing.change((now) => withClick(now, id, [keysOfRow(grouping, row)], { isAdding }))
  const isChosen = (row: Row): boolean => chosen.some((keys) => isSameKeys(keys, keysOfRow(grouping, row)))
  return {
    propsOf: (row: Row) => ({
      'data-chosen': isChosen(row) || undefined,
      onClick: ({ shiftKey }: MouseEvent) => choose(row, shiftKey),
    }),
    /** The row's button for the keyboard. */
    buttonOf: (row: Row, label: ReactNode) => (
      <UnstyledButton
        component="button"
        style={{ font: 'inherit' }}
        aria-pressed={isChosen(row)}
        onClick={(event: MouseEvent) => {
          event.stopPropagation()
          choose(row, event.shiftKey)
        }}
      >
        {label}
      </UnstyledButton>
    ),
  }
}
