import type { OwnInvitation } from '@portico/contract/own-identities'
import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import IconMailForward from '#icons/IconMailForward'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { useAccept, useDecline } from './invitation-answers.ts'

const placeOf = ({ account }: OwnInvitation): string => account?.Value ?? 'all accounts'

/** An invitation, to accept or decline. */
export function InvitationNotice({ invitation }: { invitation: OwnInvitation }) {
  const [isAsking, setAsking] = useState(false)
  const place = placeOf(invitation)
  const accept = useAccept(place)
  const decline = useDecline()
  const { _id: id, invitedBy } = invitation
  const title = invitedBy === null ? `You are invited to ${place}` : `${invitedBy} invited you to ${place}`
  return (
    <section aria-label={title}>
      <Alert role="note" mb="md" icon={<IconMailForward size={18} />} title={title}>
        Nothing changes until you accept.
        <Group gap="xs" mt="sm">
          <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate(id)}>
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
          onConfirm={() => decline.mutate(id, { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        />
      </Alert>
    </section>
  )
}
