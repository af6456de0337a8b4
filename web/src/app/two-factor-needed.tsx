import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import IconLock from '#icons/IconLock'
import { usePasskeyObstacle } from '#lib/passkeys.ts'
import { chooseOtherAccount, retryRestore, signOut } from '#lib/session/session.ts'
import { MessagePage } from './message-page.tsx'
import { useOnDemand } from './shell/palette/on-demand.ts'

/** Asks a user who has shown a password only for two-factor authentication or a passkey, where it is required. */
export function TwoFactorNeeded({ email }: { email: string }) {
  const [open, setOpen] = useState<'two-factor' | 'passkey' | null>(null)
  const setUp = useOnDemand(async () => (await import('#features/profile')).TwoFactorSetUpDialog)
  const add = useOnDemand(async () => (await import('#features/profile')).AddPasskeyDialog)
  const isPasskeyPossible = usePasskeyObstacle() === null
  return (
    <MessagePage
      isWholePage
      title="Two-factor authentication is required"
      icon={<IconLock size={26} />}
      action={
        <Group gap="xs" justify="center">
          <Button
            onClick={() => {
              setUp.ask()
              setOpen('two-factor')
            }}
          >
            Set up two-factor
          </Button>
          {isPasskeyPossible && (
            <Button
              variant="default"
              onClick={() => {
                add.ask()
                setOpen('passkey')
              }}
            >
              Add a passkey
            </Button>
          )}
          <Button variant="default" onClick={chooseOtherAccount}>
            Choose another account
          </Button>
          <Button variant="default" onClick={() => void signOut()}>
            Logout
          </Button>
        </Group>
      }
    >
      {email} has signed in with a password only. Set up two-factor authentication
      {isPasskeyPossible && ' or add a passkey'} to continue. If you have a passkey, log out and sign in with it.
      {/* Closing it with two-factor or a passkey enters the account; closing it without leads here again. */}
      {open === 'two-factor' && setUp.Part && <setUp.Part email={email} onClose={retryRestore} />}
      {open === 'passkey' && add.Part && <add.Part email={email} asksCode={false} onClose={retryRestore} />}
    </MessagePage>
  )
}
