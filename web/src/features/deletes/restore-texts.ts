import type { DeleteRecord, MissingReason, RestoreState } from '@portico/contract/deletes'
import { formatDate } from '#lib/formats.ts'

const texts: Record<RestoreState['status'], string> = {
  waiting: 'waiting to be undone',
  processing: 'being undone',
  completed: 'undone',
  rejected: 'not undone',
}

/** A delete, or the merge of a contact into another one, as in 'Undo delete'. */
export const kindOf = ({ mergedInto }: Pick<DeleteRecord, 'mergedInto'>): 'delete' | 'merge' =>
  mergedInto === null ? 'delete' : 'merge'

/** The progress of undoing a delete, or until when it can be undone; null if neither applies. */
export function restoreText({ restore, restorableUntil }: DeleteRecord): string | null {
  if (restore) return restore.missingRecords > 0 ? 'undone in part' : texts[restore.status]
  return restorableUntil === null ? null : `until ${formatDate(restorableUntil)}`
}

export const isBeingUndone = ({ restore }: DeleteRecord): boolean =>
  restore?.status === 'waiting' || restore?.status === 'processing'

export const missingTexts: Record<MissingReason, string> = {
  key_taken: 'another contact has these values by now',
  value_taken: 'a unique index does not allow the value a second time',
  too_large: 'a text is too long for an index',
  changed: 'the value was changed since the merge, and stays',
  retyped: 'the value does not fit the type that the field has by now',
}
