import type { DeleteRecord } from '@portico/contract/deletes'
import { Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDate } from '#lib/formats.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useUndoDelete } from './deletes-queries.ts'
import { kindOf } from './restore-texts.ts'

type UndoDeleteDialogProps = { record: DeleteRecord; onClose: () => void }

/** Says what undoing a delete restores, and asks before it. */
export function UndoDeleteDialog({ record, onClose }: UndoDeleteDialogProps) {
  const { _id, restorableRecords: count, restorableUntil: until } = record
  const kind = kindOf(record)
  const undo = useUndoDelete()
  const onConfirm = (): void =>
    undo.mutate(_id, {
      onSuccess: () => {
        notifyDone(`${kind === 'merge' ? 'Merge' : 'Delete'} ${_id} is being undone.`)
        onClose()
      },
    })
  return (
    <ConfirmDialog
      isOpen
      title={`Undo ${kind}`}
      question={
        <>
          {`Are you sure you want to undo ${kind} ${_id}? ${formatCount(count, 'contact')} will return.`}
          <Text size="sm" mt="xs">
            {kind === 'merge'
              ? `Its values, events, history and PURL leave contact ${record.mergedInto}, which has its earlier values again, except those changed since.`
              : 'Values, events, history and PURLs return too.'}{' '}
            A contact stays deleted if another one has its values in the dedup columns, or its value of a unique index,
            by now.
          </Text>
          <Text size="sm" mt="xs">
            {until !== null && `You can do this until ${formatDate(until)}.`}
          </Text>
          {undo.error && (
            <Text role="alert" size="sm" c="red" mt="xs">
              {messageOf(undo.error)}
            </Text>
          )}
        </>
      }
      confirmLabel="Yes, undo it"
      isDangerous={false}
      isBusy={undo.isPending}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
