import type { Identity } from '@portico/contract/identities'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { endSessions, notifyCancelled, useSave } from '#domain/access'

type SignOutDialogProps = {
  /** Null keeps the dialog shut. */
  identity: Identity | null
  onClose: () => void
}

/** Asks before someone is signed out on all their devices. */
export function SignOutDialog({ identity, onClose }: SignOutDialogProps) {
  const signOut = useSave(endSessions)
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
      title="Sign out everywhere"
      question={
        <>
          Are you sure?
          <br />
          {`This ends all sessions of '${identity?.email}', in all accounts, and the impersonation links they have made here. They can sign in again.`}
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
