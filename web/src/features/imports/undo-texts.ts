import type { Import } from '@portico/contract/imports'

const texts = {
  waiting: 'waiting to be taken back',
  processing: 'being taken back',
  recovery: 'being taken back',
  completed: 'taken back',
  rejected: 'not taken back',
} as const

/** The progress of undoing an import: 'taken back'; null if it was not requested. */
export const undoText = ({ undo }: Import): string | null => undo && texts[undo.status]
