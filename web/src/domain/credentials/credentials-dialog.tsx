import { type ApiCredential, maxCredentials } from '@portico/contract/identities'
import { Alert, Button, Code, CopyButton, Group, Text } from '@mantine/core'
import { useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconPlayerPause from '#icons/IconPlayerPause'
import IconPlayerPlay from '#icons/IconPlayerPlay'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { ReasonedButton, RowButton } from '#ui/feedback/reasoned-button.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import { AddCredentialDialog } from './add-credential-dialog.tsx'
import type { ChangeCredential } from './change-credential.ts'
import css from './credentials-dialog.module.css'

type CredentialsDialogProps = {
  /** The identity, with its name on this screen and its name in the audit log. */
  identity: { _id: string; name: string; email: string; apiCredentials: ApiCredential[] }
  change: ChangeCredential
  /** Why credentials cannot be added or activated; null if they can. */
  lockReason: string | null
  /** Whether the caller owns the credentials, rather than administering another identity's. */
  isOwner: boolean
  onClose: () => void
}

const copyFirst = "Copy each secret key and choose 'I have copied it' first. You cannot see it again later."

/** Manages the API credentials of an identity. New secrets stay until dismissed; they cannot be shown again. */
export function CredentialsDialog({ identity, change, lockReason, isOwner, onClose }: CredentialsDialogProps) {
  const [fresh, setFresh] = useState<readonly ApiCredential[]>([])
  const [isAdding, setIsAdding] = useState(false)
  const [asked, setAsked] = useState<ApiCredential | null>(null)
  const { _id: id, name, email, apiCredentials: credentials } = identity
  const dismiss = (dismissed: string): void => setFresh((shown) => shown.filter(({ _id }) => _id !== dismissed))
  const { toggle, remove } = useCredentialActions(id, change, { onDeleted: dismiss, onSettled: () => setAsked(null) })
  const obstacle = fresh.length > 0 ? copyFirst : change.isPending ? 'The change is being saved.' : null

  return (
    <FormDialog
      title="Manage Credentials"
      width={720}
      guard={{ isDirty: asked !== null || isAdding, isBusy: obstacle !== null, reason: obstacle }}
      onClose={onClose}
    >
      <div className={css['body']}>
        <Group justify="space-between" mb="sm">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {`${name} · ${credentials.length} of ${maxCredentials}`}
          </Text>
          <ReasonedButton
            label="Add credential"
            Icon={IconPlus}
            reason={
              lockReason ??
              (credentials.length >= maxCredentials ? `An identity has at most ${maxCredentials} credentials.` : null)
            }
            isLoading={change.isPending}
            onClick={() => setIsAdding(true)}
          />
        </Group>
        {fresh.map((credential) => (
          <NewSecret key={credential._id} credential={credential} onDismiss={() => dismiss(credential._id)} />
        ))}
        {credentials.length === 0 ? (
          <Text c="dimmed" py="md">
            {`No credentials yet. ${lockReason ?? 'Programs use a credential to call the API as this identity.'}`}
          </Text>
        ) : (
          <ul className={css['list']} aria-label="Credentials">
            {credentials.map((credential) => (
              <CredentialRow
                key={credential._id}
                credential={credential}
                owner={email}
                lockReason={reasonToStayOff(credential, { isOwner, lockReason })}
                onToggle={() => toggle(credential)}
                onDelete={() => setAsked(credential)}
              />
            ))}
          </ul>
        )}
        <Group justify="flex-end" mt="md">
          <ReasonedButton label="Close" reason={obstacle} onClick={onClose} />
        </Group>
      </div>
      {isAdding && (
        <AddCredentialDialog
          identityId={id}
          change={change}
          suggestedName={`Key ${nextNumber(credentials)}`}
          onAdded={(added) => setFresh((shown) => [...shown, added])}
          onClose={() => setIsAdding(false)}
        />
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        title="Delete credential"
        question={
          <>
            Are you sure?
            <br />
            {`Programs that use ${asked?.accessKey ?? ''} can no longer call the API.`}
          </>
        }
        confirmLabel="Yes, delete it"
        isBusy={change.isPending}
        onConfirm={() => asked && remove(asked)}
        onClose={() => {
          setAsked(null)
          notifyDone('Action cancelled.')
        }}
      />
    </FormDialog>
  )
}

type ActionEvents = { onDeleted: (id: string) => void; onSettled: () => void }

function useCredentialActions(identity: string, change: ChangeCredential, { onDeleted, onSettled }: ActionEvents) {
  const onError = (error: Error): void => notifyError(messageOf(error))
  const toggle = ({ _id, isActive }: ApiCredential): void =>
    change.mutate(
      { id: identity, action: isActive ? 'inactiveapi' : 'reactiveapi', credentialId: _id },
      { onSuccess: () => notifyDone('The credential was updated.'), onError },
    )
  const remove = ({ _id }: ApiCredential): void =>
    change.mutate(
      { id: identity, action: 'deleteapi', credentialId: _id },
      {
        onSuccess: () => {
          onDeleted(_id)
          notifyDone('The credential was deleted.')
        },
        onError,
        onSettled,
      },
    )
  return { toggle, remove }
}

/** Administrators may only reactivate credentials of others that an administrator has deactivated. */
function reasonToStayOff(
  { isActive, isBlocked }: ApiCredential,
  { isOwner, lockReason }: Pick<CredentialsDialogProps, 'isOwner' | 'lockReason'>,
): string | null {
  if (isActive) return null
  if (!isBlocked) return lockReason
  return isOwner ? 'An administrator switched it off. Ask them to switch it on again, or add a new one.' : null
}

const hasExpired = ({ expiresAt }: ApiCredential): boolean => expiresAt !== null && new Date(expiresAt) <= new Date()

function nextNumber(credentials: readonly ApiCredential[]): number {
  return Math.max(0, ...credentials.map(({ _id }) => Number(_id.split('-').at(-1)))) + 1
}

type NewSecretProps = { credential: ApiCredential; onDismiss: () => void }

function NewSecret({ credential: { name, accessKey, secretKey = '' }, onDismiss }: NewSecretProps) {
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} title={`Copy the secret key of ${name} now`} mb="sm">
      <Text size="sm" mb={6}>
        You cannot see it again later.
      </Text>
      <SecretLine label="Access key" value={accessKey} />
      <SecretLine label="Secret key" value={secretKey} />
      <Button size="compact-sm" variant="default" mt="sm" onClick={onDismiss}>
        I have copied it
      </Button>
    </Alert>
  )
}

function SecretLine({ label, value }: { label: string; value: string }) {
  return (
    <div className={css['secret']}>
      <span>{label}</span>
      <Code>{value}</Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" aria-label={`Copy the ${label.toLowerCase()}`} onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  )
}

type CredentialRowProps = {
  credential: ApiCredential
  owner: string
  /** Why it cannot be switched; null if it can. */
  lockReason: string | null
  onToggle: () => void
  onDelete: () => void
}

function CredentialRow({ credential, owner, lockReason, onToggle, onDelete }: CredentialRowProps) {
  const { name, accessKey, isActive, createdAt, createdBy, lastUsedAt, expiresAt } = credential
  const isExpired = hasExpired(credential)
  const dates = [
    `Created ${formatDate(createdAt)}${createdBy === null || createdBy === owner ? '' : ` by ${createdBy}`}`,
    lastUsedAt ? `last used ${formatDate(lastUsedAt)}` : 'never used',
    expiresAt ? `${isExpired ? 'expired' : 'expires'} ${formatDate(expiresAt)}` : 'never expires',
  ]
  return (
    <li>
      <div className={css['key']}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Code>{accessKey}</Code>
        <StatusBadge status={isExpired ? 'expired' : isActive ? 'active' : 'inactive'} />
      </div>
      <div className={css['dates']}>{dates.join(' · ')}</div>
      <div className={css['buttons']}>
        <RowButton
          label={`${isActive ? 'Deactivate' : 'Activate'} ${accessKey}`}
          hint={isActive ? 'Deactivate' : 'Activate'}
          Icon={isActive ? IconPlayerPause : IconPlayerPlay}
          reason={lockReason}
          onClick={onToggle}
        />
        <RowButton label={`Delete ${accessKey}`} hint="Delete" Icon={IconTrash} color="red" onClick={onDelete} />
      </div>
    </li>
  )
}
