/** Invitations to further accounts, which wait for the person's answer. */
export { InvitationNotices } from './invitation-notices.tsx'
