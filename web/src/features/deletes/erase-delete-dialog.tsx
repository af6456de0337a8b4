import type { DeleteRecord } from '@portico/contract/deletes'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { TypedConfirmDialog } from '#ui/dialog/typed-confirm-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useEraseDelete } from './deletes-queries.ts'

type EraseDeleteDialogProps = { record: DeleteRecord; onClose: () => void }

/** Erases the data of a delete for good, after the number of contacts is typed. The server counts again. */
export function EraseDeleteDialog({ record, onClose }: EraseDeleteDialogProps) {
  const { _id, restorableRecords: count } = record
  const erase = useEraseDelete()
  const onConfirm = (): void =>
    erase.mutate(
      { id: _id, deletedRecords: count },
      {
        onSuccess: ({ erasedRecords }) => {
          notifyDone(
            `${formatCount(erasedRecords, 'contact')} ${erasedRecords === 1 ? 'was' : 'were'} deleted for good.`,
          )
          onClose()
        },
      },
    )
  return (
    <TypedConfirmDialog
      title="Delete for good"
      question={`${formatCount(count, 'contact')} of delete ${_id} will be erased now. They cannot be brought back after that. The filter of the delete stays in the history, and files that were uploaded or exported stay until they expire. To erase the contacts, type their number:`}
      label="Number of contacts"
      expected={String(count)}
      confirmLabel="Delete for good"
      isBusy={erase.isPending}
      problem={erase.error ? messageOf(erase.error) : null}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
