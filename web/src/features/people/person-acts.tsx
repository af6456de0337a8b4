import type { PersonDetails } from '@portico/contract/people'
import { Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import IconArrowsExchange from '#icons/IconArrowsExchange'
import IconKeyOff from '#icons/IconKeyOff'
import IconLogout from '#icons/IconLogout'
import IconUserCheck from '#icons/IconUserCheck'
import IconUserMinus from '#icons/IconUserMinus'
import IconUserOff from '#icons/IconUserOff'
import { messageOf } from '#lib/api/api-error.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { HandOverDialog } from './hand-over-dialog.tsx'
import { useEndSessions, useRevokeSecrets, useSetState } from './people-queries.ts'
import { counted, credentialCount, namesOfAccounts } from './person-words.ts'
import { RemoveDialog } from './remove-dialog.tsx'

type Act = 'disable' | 'enable' | 'sign-out' | 'revoke' | 'remove' | 'hand-over'

/** The acts of an administrator on a person, each with a question that says what will happen. */
export function PersonActs({ person }: { person: PersonDetails }) {
  const [act, setAct] = useState<Act | null>(null)
  const { identities, isOwn } = person
  const isAbove = identities.some(({ canBeChanged }) => !canBeChanged)
  const reason = isOwn
    ? 'This is you. Ask another administrator.'
    : isAbove
      ? 'This person has rights that you do not hold. Ask someone who does.'
      : null
  const isDisabled = person.state === 'disabled'
  const onClose = (): void => setAct(null)
  const button = (which: Act, label: string, Icon: typeof IconLogout, why: string | null = reason) => (
    <ReasonedButton label={label} Icon={Icon} reason={why} onClick={() => setAct(which)} />
  )
  return (
    <Group gap="xs">
      {button('hand-over', 'Hand Over', IconArrowsExchange, isAbove && !isOwn ? reason : null)}
      {button('sign-out', 'End Sessions', IconLogout)}
      {button('revoke', 'Revoke Credentials', IconKeyOff)}
      {(isDisabled || person.state === 'partly-disabled') && button('enable', 'Enable', IconUserCheck)}
      {!isDisabled && button('disable', 'Disable', IconUserOff)}
      {button('remove', 'Remove', IconUserMinus)}
      <StateDialog person={person} isOpen={act === 'disable'} isDisabling onClose={onClose} />
      <StateDialog person={person} isOpen={act === 'enable'} isDisabling={false} onClose={onClose} />
      <SignOutDialog person={person} isOpen={act === 'sign-out'} onClose={onClose} />
      <RevokeDialog person={person} isOpen={act === 'revoke'} onClose={onClose} />
      {act === 'remove' && <RemoveDialog person={person} onClose={onClose} />}
      {act === 'hand-over' && <HandOverDialog person={person} onClose={onClose} />}
    </Group>
  )
}

type DialogProps = { person: PersonDetails; isOpen: boolean; onClose: () => void }

const inWords = (names: string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')

function StateDialog({ person, isOpen, isDisabling, onClose }: DialogProps & { isDisabling: boolean }) {
  const { _id, email, identities } = person
  const set = useSetState(_id)
  const isEverywhere = useMayAdministerAll()
  const changing = identities.filter(({ status }) => (status === 'disabled') !== isDisabling)
  const where = inWords(namesOfAccounts(changing))
  const scope = isEverywhere ? '' : ' Their identities in other accounts, if there are any, stay as they are.'
  const verb = isDisabling ? 'disabled' : 'enabled'
  const confirm = (): void =>
    set.mutate(isDisabling, {
      onSuccess: ({ changed }) => notifyDone(`'${email}' was ${verb} in ${counted(changed, 'place', 'places')}.`),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: onClose,
    })
  return (
    <Question
      isOpen={isOpen}
      title={isDisabling ? 'Disable person' : 'Enable person'}
      confirmLabel={isDisabling ? 'Yes, disable' : 'Yes, enable'}
      isDangerous={isDisabling}
      isBusy={set.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isDisabling
        ? `'${email}' can no longer work in ${where}, from now on. API credentials, links, crons and dashboards that act by these identities stop too. You can enable them again.${scope}`
        : `'${email}' can work again in ${where}, with the groups and limits as they were. You may have to enter your password.${scope}`}
    </Question>
  )
}

function SignOutDialog({ person, isOpen, onClose }: DialogProps) {
  const { _id, email, sessions, links } = person
  const end = useEndSessions(_id)
  const isEverywhere = useMayAdministerAll()
  const confirm = (): void =>
    end.mutate(undefined, {
      onSuccess: ({ ended }) => notifyDone(`'${email}' was signed out of ${counted(ended, 'session', 'sessions')}.`),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: onClose,
    })
  const what = `${counted(sessions.length, 'session', 'sessions')} and ${counted(links.length, 'impersonation link', 'impersonation links')}`
  return (
    <Question
      isOpen={isOpen}
      title="End sessions"
      confirmLabel="Yes, end them"
      isBusy={end.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isEverywhere
        ? `This ends ${what} of '${email}', in all accounts. They can sign in again.`
        : `This ends ${what} of '${email}' in your accounts, where they have to sign in again. Other accounts are not affected.`}
    </Question>
  )
}

function RevokeDialog({ person, isOpen, onClose }: DialogProps) {
  const { _id, email, links } = person
  const revoke = useRevokeSecrets(_id)
  const confirm = (): void =>
    revoke.mutate(undefined, {
      onSuccess: (ended) =>
        notifyDone(
          `${counted(ended.credentials, 'API credential was', 'API credentials were')} deleted and ${counted(ended.links, 'link', 'links')} ended.`,
        ),
      onError: (error) => notifyError(messageOf(error)),
      onSettled: onClose,
    })
  return (
    <Question
      isOpen={isOpen}
      title="Revoke credentials and links"
      confirmLabel="Yes, revoke"
      isBusy={revoke.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {`This deletes ${counted(credentialCount(person), 'API credential', 'API credentials')} of '${email}' and ends ${counted(links.length, 'impersonation link', 'impersonation links')}. Programs that use them stop at once, and what was stored with them no longer acts. This cannot be undone.`}
    </Question>
  )
}

type QuestionProps = Omit<Parameters<typeof ConfirmDialog>[0], 'question'> & { children: ReactNode }

const Question = ({ children, ...dialog }: QuestionProps) => (
  <ConfirmDialog
    {...dialog}
    question={
      <>
        Are you sure?
        <br />
        {children}
      </>
    }
  />
)
