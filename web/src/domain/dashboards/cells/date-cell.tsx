import type { CellContentProps } from './cell-props.ts'
import { OwnRange } from './own-range.tsx'

/** A date picker that narrows the other cells. */
export function DateCell({ cell, choosing }: CellContentProps) {
  return <OwnRange cell={cell} choosing={choosing} />
}
