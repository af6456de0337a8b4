import { type ApiCredential, type Identity, maxCredentials } from '@portico/contract/identities'
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
import { notifyCancelled, useChangeCredential } from '#domain/access'
import css from './credentials-dialog.module.css'

type CredentialsDialogProps = { identity: Identity; onClose: () => void }

/** The API credentials of an identity. A new one's secret is shown here once and never again. */
export function CredentialsDialog({ identity, onClose }: CredentialsDialogProps) {
  const [made, setMade] = useState<ApiCredential | null>(null)
  const [asked, setAsked] = useState<ApiCredential | null>(null)
  const change = useChangeCredential()
  const { _id: id, email, apiCredentials: credentials } = identity
  const onError = (error: Error): void => notifyError(messageOf(error))

  const add = (): void =>
    change.mutate(
      { id, action: 'addapi', credentialId: '0' },
      {
        onSuccess: ({ apiCredentials }) => {
          setMade(apiCredentials.find(({ secretKey }) => secretKey !== undefined) ?? null)
          notifyDone('The credential was created.')
        },
        onError,
      },
    )
  const toggle = ({ _id, isActive }: ApiCredential): void =>
    change.mutate(
      { id, action: isActive ? 'inactiveapi' : 'reactiveapi', credentialId: _id },
      { onSuccess: () => notifyDone('The credential was updated.'), onError },
    )
  const remove = ({ _id }: ApiCredential): void =>
    change.mutate(
      { id, action: 'deleteapi', credentialId: _id },
      {
        onSuccess: () => {
          if (made?._id === _id) setMade(null)
          notifyDone('The credential was deleted.')
        },
        onError,
        onSettled: () => setAsked(null),
      },
    )

  return (
    // A slip must not close it while the secret is there.
    <FormDialog
      title="Manage Credentials"
      width={720}
      guard={{ isDirty: made !== null || asked !== null, isBusy: change.isPending }}
      onClose={onClose}
    >
      <div className={css['body']}>
        <Group justify="space-between" mb="sm">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {`${email} · ${credentials.length} of ${maxCredentials}`}
          </Text>
          <ReasonedButton
            label="Add credential"
            Icon={IconPlus}
            reason={
              credentials.length >= maxCredentials ? `An identity has at most ${maxCredentials} credentials.` : null
            }
            isLoading={change.isPending}
            onClick={add}
          />
        </Group>
        {made && <NewSecret credential={made} />}
        {credentials.length === 0 ? (
          <Text c="dimmed" py="md">
            No credentials yet. Programs use a credential to call the API as this identity.
          </Text>
        ) : (
          <ul className={css['list']} aria-label="Credentials">
            {credentials.map((credential) => (
              <CredentialRow
                key={credential._id}
                credential={credential}
                onToggle={() => toggle(credential)}
                onDelete={() => setAsked(credential)}
              />
            ))}
          </ul>
        )}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose} disabled={change.isPending}>
            Close
          </Button>
        </Group>
      </div>
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
          notifyCancelled()
        }}
      />
    </FormDialog>
  )
}

function NewSecret({ credential: { accessKey, secretKey = '' } }: { credential: ApiCredential }) {
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} title="Copy the secret key now" mb="sm">
      <Text size="sm" mb={6}>
        You cannot see it again later.
      </Text>
      <SecretLine label="Access key" value={accessKey} />
      <SecretLine label="Secret key" value={secretKey} />
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

type CredentialRowProps = { credential: ApiCredential; onToggle: () => void; onDelete: () => void }

function CredentialRow({ credential, onToggle, onDelete }: CredentialRowProps) {
  const { accessKey, isActive, createdAt, lastUsedAt } = credential
  return (
    <li>
      <div className={css['key']}>
        <Code>{accessKey}</Code>
        <StatusBadge status={isActive ? 'active' : 'inactive'} />
      </div>
      <div className={css['dates']}>
        {`Created ${formatDate(createdAt)} · ${lastUsedAt ? `last used ${formatDate(lastUsedAt)}` : 'never used'}`}
      </div>
      <div className={css['buttons']}>
        <RowButton
          label={`${isActive ? 'Deactivate' : 'Activate'} ${accessKey}`}
          hint={isActive ? 'Deactivate' : 'Activate'}
          Icon={isActive ? IconPlayerPause : IconPlayerPlay}
          onClick={onToggle}
        />
        <RowButton label={`Delete ${accessKey}`} hint="Delete" Icon={IconTrash} color="red" onClick={onDelete} />
      </div>
    </li>
  )
}
