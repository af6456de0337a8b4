import type { Import } from '@portico/contract/imports'

const texts = {
  waiting: 'waiting to be taken back',
  processing: 'being taken back',
  recovery: 'being taken back',
  completed: 'taken back',
  rejected: 'not taken back',
} as const

/** How far an import is taken back: 'taken back'; null where no one has asked for it. */
export const undoText = ({ undo }: Import): string | null => undo && texts[undo.status]
