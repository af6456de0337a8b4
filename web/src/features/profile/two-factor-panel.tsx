import type { Profile } from '@portico/contract/own-account'
import { Alert, Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { formatCount, formatDate } from '#lib/formats.ts'
import { Panel } from '#ui/page/panel.tsx'
import { RenewCodesDialog } from './renew-codes-dialog.tsx'
import { TurnOffDialog } from './turn-off-dialog.tsx'
import { TwoFactorSetUpDialog } from './two-factor-set-up-dialog.tsx'

/** With fewer recovery codes than this, the user should renew them. */
const fewCodes = 3

/** The second step of signing in: on or off, and its recovery codes. */
export function TwoFactorPanel({ profile: { email, twoFactor } }: { profile: Profile }) {
  // After turning it on, the dialog still shows the recovery codes: `twoFactor` must not decide which dialog is open.
  const [open, setOpen] = useState<'set-up' | 'renew' | 'off' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <Panel
      title="Two-factor authentication"
      actions={
        <Badge color={twoFactor.isOn ? 'green' : 'gray'} tt="none">
          {twoFactor.isOn ? 'On' : 'Off'}
        </Badge>
      }
    >
      {twoFactor.isOn ? (
        <IsOn twoFactor={twoFactor} onRenew={() => setOpen('renew')} onTurnOff={() => setOpen('off')} />
      ) : (
        <>
          <Text size="sm" mb="md">
            With two-factor on, signing in also asks for a code from an app on your phone: your password alone opens
            nothing.
          </Text>
          <Button onClick={() => setOpen('set-up')}>Set up two-factor</Button>
        </>
      )}
      {open === 'set-up' && <TwoFactorSetUpDialog email={email} onClose={close} />}
      {open === 'renew' && <RenewCodesDialog email={email} onClose={close} />}
      {open === 'off' && <TurnOffDialog onClose={close} />}
    </Panel>
  )
}

type IsOnProps = { twoFactor: Profile['twoFactor']; onRenew: () => void; onTurnOff: () => void }

function IsOn({ twoFactor: { since, recoveryCodesLeft }, onRenew, onTurnOff }: IsOnProps) {
  return (
    <>
      <Text size="sm" mb="sm">
        Signing in asks for a code from your authenticator app{since && `, since ${formatDate(since)}`}. You have{' '}
        {formatCount(recoveryCodesLeft, 'recovery code')} left.
      </Text>
      {recoveryCodesLeft < fewCodes && (
        <Alert color="orange" mb="sm" icon={<IconAlertTriangle size={18} />}>
          Without your phone, a recovery code is the only way to sign in. Create new ones.
        </Alert>
      )}
      <Group gap="xs">
        <Button variant="default" onClick={onRenew}>
          New recovery codes
        </Button>
        <Button variant="subtle" color="red" onClick={onTurnOff}>
          Turn off
        </Button>
      </Group>
    </>
  )
}
