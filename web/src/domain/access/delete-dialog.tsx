import { formatCount } from '#lib/formats.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { someNames } from './unique-names.ts'
import { type Noun, notifyCancelled } from './bulk.ts'

type DeleteDialogProps = {
  noun: Noun
  /** Names of what goes; none keeps the dialog shut. */
  names: readonly string[]
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before policies, groups or identities are deleted. */
export function DeleteDialog({ noun, names, isBusy, onConfirm, onClose }: DeleteDialogProps) {
  const what = names.length === 1 ? noun.one : formatCount(names.length, noun.one, noun.many)
  return (
    <ConfirmDialog
      isOpen={names.length > 0}
      title={`Delete ${what}`}
      question={
        <>
          Are you sure?
          <br />
          {`This deletes ${someNames(names)}.`}
        </>
      }
      confirmLabel="Yes, delete"
      isBusy={isBusy}
      onConfirm={onConfirm}
      onClose={() => {
        onClose()
        notifyCancelled()
      }}
    />
  )
}
