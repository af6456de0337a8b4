/** Invitations to further accounts that the person has not responded to. */
export { InvitationNotices } from './invitation-notices.tsx'
