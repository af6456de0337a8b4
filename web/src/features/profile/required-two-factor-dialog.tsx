import { Alert, Button } from '@mantine/core'
import { useState } from 'react'
import IconLock from '#icons/IconLock'
import { usePasskeyObstacle } from '#lib/passkeys.ts'
import { AddPasskeyDialog } from './add-passkey-dialog.tsx'
import { TwoFactorSetUpDialog } from './two-factor-set-up-dialog.tsx'

type RequiredTwoFactorDialogProps = { email: string; onClose: (isOn: boolean) => void }

/** Sets up two-factor or adds a passkey on top of a page, because the account now requires it. */
export function RequiredTwoFactorDialog({ email, onClose }: RequiredTwoFactorDialogProps) {
  const [isPasskey, setPasskey] = useState(false)
  const isPossible = usePasskeyObstacle() === null
  const change = (
    <Button variant="default" size="compact-sm" mt="xs" display="block" onClick={() => setPasskey(!isPasskey)}>
      {isPasskey ? 'Set up two-factor instead' : 'Add a passkey instead'}
    </Button>
  )
  const lead = (
    <Alert color="blue" icon={<IconLock size={18} />}>
      Two-factor authentication is now required. What you typed is kept; continue when{' '}
      {isPasskey ? 'you have a passkey' : 'two-factor is on'}; cancelling leaves the page.
      {isPossible && change}
    </Alert>
  )
  const Dialog = isPasskey ? AddPasskeyDialog : TwoFactorSetUpDialog
  return <Dialog email={email} asksCode={false} lead={lead} onClose={onClose} />
}
