import { deferred } from '#ui/page/deferred.tsx'
import { useInvitations } from './invitation-queries.ts'

// Most people have no invitation, so the first view works without its code.
const InvitationNotice = deferred(async () => (await import('./invitation-notice.tsx')).InvitationNotice)

/** The signed-in person's invitations, to accept or decline. Renders nothing without one. */
export function InvitationNotices() {
  const { data: invitations = [] } = useInvitations()
  return (
    <>
      {invitations.map((invitation) => (
        <InvitationNotice key={invitation._id} invitation={invitation} />
      ))}
    </>
  )
}
