import type { RemoteAccess } from '@portico/contract/remote-access'
import { messageOf } from '#lib/api/api-error.ts'
import { TypedConfirmDialog } from '#ui/dialog/typed-confirm-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useDeleteAccess } from './remote-access-queries.ts'

/** Deletes a remote access after its domain or IP address is typed. */
export function DeleteAccessDialog({ access, onClose }: { access: RemoteAccess; onClose: () => void }) {
  const remove = useDeleteAccess()
  const onConfirm = (): void =>
    remove.mutate(access._id, {
      onSuccess: () => {
        notifyDone('The new remote access for the domain was deleted.')
        onClose()
      },
    })
  const isDomain = access.type === 'domain'
  return (
    <TypedConfirmDialog
      title="Delete Access"
      question={
        isDomain
          ? 'Pages of this domain can no longer read contacts or record events. To delete the access, type the domain:'
          : 'Programs at this address can no longer read contacts or record events. To delete the access, type the IP address:'
      }
      label={isDomain ? 'Domain' : 'IP Address'}
      expected={access.domainOrIp}
      confirmLabel="Delete"
      isBusy={remove.isPending}
      problem={remove.error ? messageOf(remove.error) : null}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
