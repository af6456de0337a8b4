import { formatCount } from '#lib/formats.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { someNames } from './unique-names.ts'
import { type Bulk, type Noun, notifyCancelled } from './bulk.ts'

type DeleteDialogProps<T> = {
  noun: Noun
  /** The items to delete; an empty list keeps the dialog closed. */
  items: readonly T[]
  nameOf: (item: T) => string
  /** Deletes one item, by its id. */
  remove: (id: string) => Promise<unknown>
  bulk: Bulk
  onClose: () => void
}

/** Asks before policies, groups or identities are deleted, deletes them and reports the result. */
export function DeleteDialog<T extends { _id: string }>(props: DeleteDialogProps<T>) {
  const { noun, items, nameOf, remove, bulk, onClose } = props
  const what = items.length === 1 ? noun.one : formatCount(items.length, noun.one, noun.many)
  const onConfirm = (): void => {
    // The button can still be clicked while the dialog fades out.
    if (items.length === 0) return
    void bulk.run({ items, nameOf, noun, done: 'deleted', act: ({ _id }) => remove(_id) }).then(onClose)
  }
  return (
    <ConfirmDialog
      isOpen={items.length > 0}
      title={`Delete ${what}`}
      question={
        <>
          Are you sure?
          <br />
          {`This deletes ${someNames(items.map(nameOf))}.`}
        </>
      }
      confirmLabel="Yes, delete"
      isBusy={bulk.isBusy}
      onConfirm={onConfirm}
      onClose={() => {
        onClose()
        notifyCancelled()
      }}
    />
  )
}
