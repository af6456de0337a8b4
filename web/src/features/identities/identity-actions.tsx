import type { Identity } from '@portico/contract/identities'
import { ActionIcon, Group, Menu } from '@mantine/core'
import IconDots from '#icons/IconDots'
import IconKey from '#icons/IconKey'
import IconLogout2 from '#icons/IconLogout2'
import IconMailForward from '#icons/IconMailForward'
import IconPencil from '#icons/IconPencil'
import IconPlayerPause from '#icons/IconPlayerPause'
import IconPlayerPlay from '#icons/IconPlayerPlay'
import IconTrash from '#icons/IconTrash'
import { messageOf } from '#lib/api/api-error.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { changeFresh } from '#domain/editing'
import { getIdentity, identityName, inviteIdentity, toNewIdentity, updateIdentity, useSave } from '#domain/access'

/** Why an identity cannot be changed; null if it can. */
export function identityLockReason({ canBeChanged, aid }: Identity, mayAdministerAll: boolean): string | null {
  if (canBeChanged) return null
  if (mayAdministerAll && aid !== '*') return 'Power admins manage global identities only.'
  return 'Contact your admin to see how you can get this feature.'
}

type IdentityRowActions = {
  onEdit: (identity: Identity) => void
  onCredentials: (identity: Identity) => void
  onSignOut: (identity: Identity) => void
  onDelete: (identity: Identity) => void
}

type IdentityActionsProps = IdentityRowActions & { identity: Identity }

/** The buttons of an identity's row. */
export function IdentityActions({ identity, onEdit, onCredentials, onSignOut, onDelete }: IdentityActionsProps) {
  const mayAdministerAll = useMayAdministerAll()
  const reason = identityLockReason(identity, mayAdministerAll)
  const name = identityName(identity)
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <RowButton
        label={`Edit ${name}`}
        hint="Edit"
        Icon={IconPencil}
        reason={reason}
        onClick={() => onEdit(identity)}
      />
      <RowButton
        label={`API credentials of ${name}`}
        hint="Manage credentials"
        Icon={IconKey}
        reason={reason}
        onClick={() => onCredentials(identity)}
      />
      {reason === null || (mayAdministerAll && canBeSignedOut(identity)) ? (
        <MoreActions identity={identity} onSignOut={onSignOut} onDelete={onDelete} />
      ) : (
        <RowButton
          label={`Delete ${name}`}
          hint="Delete"
          Icon={IconTrash}
          reason={reason}
          onClick={() => onDelete(identity)}
        />
      )}
    </Group>
  )
}

/** Services do not sign in, and invited people have not done so yet. */
const canBeSignedOut = ({ kind, status }: Identity): boolean => kind === 'person' && status !== 'invited'

function MoreActions({
  identity,
  onSignOut,
  onDelete,
}: Pick<IdentityActionsProps, 'identity' | 'onSignOut' | 'onDelete'>) {
  const { _id, status, canBeChanged } = identity
  const name = identityName(identity)
  const mayAdministerAll = useMayAdministerAll()
  const isDisabled = status === 'disabled'
  const invite = useSave(() => inviteIdentity(_id))
  const change = useSave(() =>
    changeFresh(
      () => getIdentity(_id),
      (fresh) => updateIdentity(_id, { ...toNewIdentity(fresh), isDisabled: !isDisabled, version: fresh.version }),
    ),
  )
  const told = (message: string) => ({
    onSuccess: () => notifyDone(message),
    onError: (error: Error) => notifyError(messageOf(error)),
  })
  return (
    // Mantine would focus a placeholder, which is not a valid part of a menu.
    <Menu position="bottom-end" width={190} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={`More actions for ${name}`} loading={invite.isPending || change.isPending}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {canBeChanged && status === 'invited' && (
          <Menu.Item
            leftSection={<IconMailForward size={15} aria-hidden />}
            onClick={() => invite.mutate(undefined, told(`'${name}' was invited again.`))}
          >
            Invite again
          </Menu.Item>
        )}
        {canBeChanged && (
          <Menu.Item
            leftSection={
              isDisabled ? <IconPlayerPlay size={15} aria-hidden /> : <IconPlayerPause size={15} aria-hidden />
            }
            onClick={() => change.mutate(undefined, told(`'${name}' was ${isDisabled ? 'enabled' : 'disabled'}.`))}
          >
            {isDisabled ? 'Enable' : 'Disable'}
          </Menu.Item>
        )}
        {canBeSignedOut(identity) && (
          <Menu.Item leftSection={<IconLogout2 size={15} aria-hidden />} onClick={() => onSignOut(identity)}>
            {mayAdministerAll ? 'Sign out everywhere' : 'Sign out of this account'}
          </Menu.Item>
        )}
        {canBeChanged && (
          <Menu.Item c="red" leftSection={<IconTrash size={15} aria-hidden />} onClick={() => onDelete(identity)}>
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
