import { Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { useCellAnswer } from '../dashboard-queries.ts'
import type { CellContentProps } from './cell-props.ts'
import { OwnRange } from './own-range.tsx'

/** A date picker that narrows the other cells, or the reason why it cannot, such as a deleted field. */
export function DateCell({ cell, source, choosing, isVisible }: CellContentProps) {
  const { error } = useCellAnswer(source, undefined, { isVisible })
  if (error) {
    return (
      <Text size="sm" role="alert">
        {messageOf(error)}
      </Text>
    )
  }
  return <OwnRange cell={cell} choosing={choosing} />
}
