import { Alert } from '@mantine/core'
import IconLock from '#icons/IconLock'
import { TwoFactorSetUpDialog } from './two-factor-set-up-dialog.tsx'

type RequiredTwoFactorDialogProps = { email: string; onClose: (isOn: boolean) => void }

/** Sets up two-factor on top of a page, because the account now requires it. */
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
