import type { Identity } from '@portico/contract/identities'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { endSessions, notifyCancelled, useSave } from '#domain/access'

type SignOutDialogProps = {
  /** Null keeps the dialog closed. */
  identity: Identity | null
  onClose: () => void
}

/** Asks before an identity is signed out on all devices: of the account, or everywhere if by a power admin. */
export function SignOutDialog({ identity, onClose }: SignOutDialogProps) {
  const signOut = useSave(endSessions)
  const isEverywhere = useMayAdministerAll()
  const confirm = (): void => {
    if (!identity) return
    signOut.mutate(identity._id, {
      onSuccess: ({ ended }) =>
        notifyDone(`'${identity.email}' was signed out of ${formatCount(ended, 'session', 'sessions')}.`),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: onClose,
    })
  }
  return (
    <ConfirmDialog
      isOpen={identity !== null}
      title={isEverywhere ? 'Sign out everywhere' : 'Sign out of this account'}
      question={
        <>
          Are you sure?
          <br />
          {isEverywhere
            ? `This ends all sessions of '${identity?.email}', in all accounts, and their impersonation links. They can sign in again.`
            : `'${identity?.email}' has to sign in again to work in this account, and the impersonation links they have made here end. Other accounts are not affected.`}
        </>
      }
      confirmLabel="Yes, sign out"
      isBusy={signOut.isPending}
      onConfirm={confirm}
      onClose={() => {
        onClose()
        notifyCancelled()
      }}
    />
  )
}
