import { deferred } from '#ui/page/deferred.tsx'
import { useInvitations } from './invitation-queries.ts'

// Most people have no invitation, so the first view does without its code.
const InvitationNotice = deferred(async () => (await import('./invitation-notice.tsx')).InvitationNotice)

/** The invitations of the signed-in person, to accept or decline. Shows nothing without one. */
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
