import type { OwnInvitation } from '@portico/contract/own-identities'
import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import IconMailForward from '#icons/IconMailForward'
import { messageOf } from '#lib/api/api-error.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { useAccept, useDecline, useInvitations } from './invitation-queries.ts'

const placeOf = ({ account }: OwnInvitation): string => account?.Value ?? 'all accounts'

/** The invitations of the signed-in person, to accept or decline. Shows nothing without one. */
export function InvitationNotices() {
  const { data: invitations = [] } = useInvitations()
  return invitations.map((invitation) => <InvitationNotice key={invitation._id} invitation={invitation} />)
}

function InvitationNotice({ invitation }: { invitation: OwnInvitation }) {
  const [isAsking, setAsking] = useState(false)
  const accept = useAccept()
  const decline = useDecline()
  const place = placeOf(invitation)
  const { _id: id, invitedBy } = invitation
  const onError = (error: Error): void => notifyError(messageOf(error))
  return (
    <Alert
      component="section"
      mb="md"
      icon={<IconMailForward size={18} />}
      aria-label={`Invitation to ${place}`}
      title={invitedBy === null ? `You are invited to ${place}` : `${invitedBy} invited you to ${place}`}
    >
      Until you accept, nobody there can act for you or see your sign-ins.
      <Group gap="xs" mt="sm">
        <Button
          size="xs"
          loading={accept.isPending}
          onClick={() => accept.mutate(id, { onSuccess: () => notifyDone(`You can now work in ${place}.`), onError })}
        >
          Accept
        </Button>
        <Button size="xs" variant="default" disabled={accept.isPending} onClick={() => setAsking(true)}>
          Decline
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        title="Decline the invitation"
        question={`Are you sure? You need a new invitation to work in ${place} later.`}
        confirmLabel="Yes, decline"
        isBusy={decline.isPending}
        onConfirm={() =>
          decline.mutate(id, {
            onSuccess: () => notifyDone('The invitation was declined.'),
            onError,
            onSettled: () => setAsking(false),
          })
        }
        onClose={() => setAsking(false)}
      />
    </Alert>
  )
}
