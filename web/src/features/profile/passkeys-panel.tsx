import { mostPasskeys, type Passkey } from '@portico/contract/passkeys'
import type { Profile } from '@portico/contract/own-account'
import { Group, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import IconFingerprint from '#icons/IconFingerprint'
import IconPencil from '#icons/IconPencil'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { usePasskeyObstacle } from '#lib/passkeys.ts'
import { useLocalTable } from '#lib/table/local-table.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { ReasonedButton, RowButton } from '#ui/feedback/reasoned-button.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { AddPasskeyDialog } from './add-passkey-dialog.tsx'
import { usePasskeys } from './passkeys-queries.ts'
import { RemovePasskeyDialog } from './remove-passkey-dialog.tsx'
import { RenamePasskeyDialog } from './rename-passkey-dialog.tsx'

type Open = { dialog: 'add' } | { dialog: 'rename' | 'remove'; passkey: Passkey }

/** The person's passkeys: to add, rename and remove them. */
export function PasskeysPanel({ profile: { email, twoFactor } }: { profile: Profile }) {
  const passkeys = usePasskeys()
  const table = useLocalTable(passkeys.data)
  const obstacle = usePasskeyObstacle()
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  const isFull = (passkeys.data?.length ?? 0) >= mostPasskeys
  return (
    <Panel
      title="Passkeys"
      description="Sign in with your fingerprint, your face or the PIN of your device, without a password and a code. A password reset by e-mail removes all of them."
      actions={
        obstacle === null && (
          <ReasonedButton
            label="Add a passkey"
            Icon={IconPlus}
            reason={isFull ? `You have ${mostPasskeys} passkeys, the most possible. Remove one first.` : null}
            onClick={() => setOpen({ dialog: 'add' })}
          />
        )
      }
    >
      {obstacle !== null && (
        <Text size="sm" mb="sm">
          {obstacle}
        </Text>
      )}
      {(obstacle === null || table.total !== 0) && (
        <DataTable<Passkey>
          label="Your passkeys"
          columns={columns((dialog, passkey) => setOpen({ dialog, passkey }))}
          {...table}
          getRecordId={({ _id }) => _id}
          getRecordLabel={({ name }) => name}
          empty={
            <EmptyState icon={<IconFingerprint size={22} />} title="No passkeys">
              Add one for each device that you sign in on. Your password keeps working.
            </EmptyState>
          }
          failure={
            passkeys.error && !passkeys.data ? (
              <FailureState message={messageOf(passkeys.error)} onRetry={() => void passkeys.refetch()} />
            ) : undefined
          }
        />
      )}
      {open?.dialog === 'add' && <AddPasskeyDialog email={email} asksCode={twoFactor.isOn} onClose={close} />}
      {open?.dialog === 'rename' && <RenamePasskeyDialog passkey={open.passkey} onClose={close} />}
      {open?.dialog === 'remove' && (
        <RemovePasskeyDialog passkey={open.passkey} asksCode={twoFactor.isOn} onClose={close} />
      )}
    </Panel>
  )
}

const columns = (onOpen: (dialog: 'rename' | 'remove', passkey: Passkey) => void): Column<Passkey>[] => [
  { key: 'name', title: 'Name', isRowHeader: true, render: ({ name }) => name },
  { key: 'isSynced', title: 'Kept', render: ({ isSynced }) => (isSynced ? 'Synced' : 'On one device') },
  { key: 'createdAt', title: 'Added', render: ({ createdAt }) => formatDate(createdAt) },
  {
    key: 'lastUsedAt',
    title: 'Last used',
    render: ({ lastUsedAt }) => (lastUsedAt ? formatDate(lastUsedAt) : 'Never'),
  },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    align: 'right',
    width: 90,
    isPinned: true,
    render: (passkey) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <RowButton
          label={`Rename ${passkey.name}`}
          hint="Rename"
          Icon={IconPencil}
          onClick={() => onOpen('rename', passkey)}
        />
        <RowButton
          label={`Remove ${passkey.name}`}
          hint="Remove"
          Icon={IconTrash}
          color="red"
          onClick={() => onOpen('remove', passkey)}
        />
      </Group>
    ),
  },
]
