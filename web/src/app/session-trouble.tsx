import { Button, Group } from '@mantine/core'
import IconLock from '#icons/IconLock'
import { chooseOtherAccount, retryRestore, signOut } from '#lib/session/session.ts'
import type { Session } from '#lib/session/session-store.ts'
import { MessagePage } from './message-page.tsx'
import { TwoFactorNeeded } from './two-factor-needed.tsx'

type Trouble = Extract<Session, { state: 'unreachable' | 'refused' }>

/** Shown to signed-in people who cannot enter: the portal does not respond, or the account is not theirs. */
export function SessionTrouble({ session }: { session: Trouble }) {
  if (session.state === 'unreachable') {
    return (
      <MessagePage
        isWholePage
        title="The portal is not responding"
        action={<Button onClick={retryRestore}>Try again</Button>}
      >
        {session.message}
      </MessagePage>
    )
  }
  if (session.needs === 'two-factor') return <TwoFactorNeeded email={session.email} />
  return (
    <MessagePage
      isWholePage
      title="You do not have access to this account"
      icon={<IconLock size={26} />}
      action={
        <Group gap="xs">
          <Button onClick={chooseOtherAccount}>Choose another account</Button>
          <Button variant="default" onClick={() => void signOut()}>
            Sign in as someone else
          </Button>
        </Group>
      }
    >
      The address is for account {session.account}. There is no such account, or {session.email} may not enter it.
    </MessagePage>
  )
}
