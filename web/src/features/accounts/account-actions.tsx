import type { Account } from '@portico/contract/accounts'
import { ActionIcon, Group } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import IconDoorEnter from '#icons/IconDoorEnter'
import IconPencil from '#icons/IconPencil'
import IconPlayerPause from '#icons/IconPlayerPause'
import IconPlayerPlay from '#icons/IconPlayerPlay'
import IconUserPlus from '#icons/IconUserPlus'
import { messageOf } from '#lib/api/api-error.ts'
import { paths } from '#lib/paths.ts'
import { enterAccount, useAccount } from '#lib/session/session.ts'
import { notifyError } from '#ui/feedback/notify.ts'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { PowerUserDialog } from './power-user-dialog.tsx'
import { SuspensionDialog } from './suspension-dialog.tsx'

type Dialog = 'edit' | 'power-user' | 'suspension'

/** The buttons of a row. */
export function AccountActions({ account, all }: { account: Account; all: Account[] }) {
  const { Value, isSuspended } = account
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const close = (): void => setDialog(null)
  const SuspensionIcon = isSuspended ? IconPlayerPlay : IconPlayerPause
  const suspend = isSuspended ? 'Resume' : 'Suspend'
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <EnterButton account={account} />
      <ActionIcon size={24} aria-label={`Edit ${Value}`} title="Edit" onClick={() => setDialog('edit')}>
        <IconPencil size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        size={24}
        aria-label={`Add a power user to ${Value}`}
        title="Add a power user"
        onClick={() => setDialog('power-user')}
      >
        <IconUserPlus size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        size={24}
        color={isSuspended ? 'green' : 'red'}
        aria-label={`${suspend} ${Value}`}
        title={suspend}
        onClick={() => setDialog('suspension')}
      >
        <SuspensionIcon size={16} aria-hidden />
      </ActionIcon>
      {dialog === 'edit' && <AccountDialog account={account} all={all} onClose={close} />}
      {dialog === 'power-user' && <PowerUserDialog account={account} onClose={close} />}
      {dialog === 'suspension' && <SuspensionDialog account={account} onClose={close} />}
    </Group>
  )
}

function EnterButton({ account: { Key, Value } }: { account: Account }) {
  const navigate = useNavigate()
  const isHere = useAccount().id === Key
  const [isEntering, setEntering] = useState(false)
  async function enter(): Promise<void> {
    setEntering(true)
    try {
      await enterAccount(Key)
      await navigate(paths.home())
    } catch (error) {
      setEntering(false)
      notifyError(messageOf(error))
    }
  }
  return (
    <RowButton
      label={`Enter ${Value}`}
      hint="Enter"
      Icon={IconDoorEnter}
      color="brand"
      reason={isHere ? 'You are in this account' : null}
      isLoading={isEntering}
      onClick={() => void enter()}
    />
  )
}
