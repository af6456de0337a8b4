import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import IconLock from '#icons/IconLock'
import { chooseOtherAccount, retryRestore, signOut } from '#lib/session/session.ts'
import { MessagePage } from './message-page.tsx'
import { useOnDemand } from './shell/palette/on-demand.ts'

/** Asks a user without two-factor authentication to set it up, where it is required. */
export function TwoFactorNeeded({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false)
  const { Part: SetUp, ask } = useOnDemand(async () => (await import('#features/profile')).TwoFactorSetUpDialog)
  return (
    <MessagePage
      isWholePage
      title="Two-factor authentication is required"
      icon={<IconLock size={26} />}
      action={
        <Group gap="xs" justify="center">
          <Button
            onClick={() => {
              ask()
              setOpen(true)
            }}
          >
            Set up two-factor
          </Button>
          <Button variant="default" onClick={chooseOtherAccount}>
            Choose another account
          </Button>
          <Button variant="default" onClick={() => void signOut()}>
            Logout
          </Button>
        </Group>
      }
    >
      {email} signs in with a password only. Set up two-factor authentication to continue.
      {/* Closing it with two-factor set up enters the account; closing it without leads here again. */}
      {isOpen && SetUp && <SetUp email={email} onClose={retryRestore} />}
    </MessagePage>
  )
}
