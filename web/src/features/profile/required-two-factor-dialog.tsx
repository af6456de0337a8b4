import { Alert } from '@mantine/core'
import IconLock from '#icons/IconLock'
import { TwoFactorSetUpDialog } from './two-factor-set-up-dialog.tsx'

type RequiredTwoFactorDialogProps = { email: string; onClose: (isOn: boolean) => void }

/** Sets two-factor up on top of a page that the account no longer lets go on without. */
export function RequiredTwoFactorDialog({ email, onClose }: RequiredTwoFactorDialogProps) {
  return (
    <TwoFactorSetUpDialog
      email={email}
      lead={
        <Alert color="blue" icon={<IconLock size={18} />}>
          Two-factor authentication is now required. What you typed is kept; continue when two-factor is on; cancelling
          leaves the page.
        </Alert>
      }
      onClose={onClose}
    />
  )
}
