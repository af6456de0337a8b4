/** Sign-in: sessions, passwords, two-factor, lockout, invitations and one's own account. What other modules may use. */
export { type Authenticate, createAuthenticate } from './authentication.service.ts'
export { sendNoticeJob } from './emails/security-emails.jobs.ts'
export { sendNotice } from './emails/security-emails.service.ts'
export { cacheCallers } from './expected-callers.ts'
export { readProfile, renamePerson, replacePhotoUrl } from './own-profile.service.ts'
export { requireGivenPassword } from './passwords/password-confirmation.service.ts'
export { sendInvitationJob, sendPasswordLinkJob } from './person-links/person-links.jobs.ts'
export { enqueueInvitation, sendInvitation, sendPasswordLink } from './person-links/person-links.service.ts'
export { bootstrap } from './provisioning/bootstrap.service.ts'
export {
  addPersonToBeSeen,
  createIdentityWithPassword,
  findOrAddPerson,
  powerUsersGroup,
} from './provisioning/password-identities.service.ts'
export { identityRoutes } from './sign-in.routes.ts'
export { dropTwoFactor } from './two-factor/two-factor-loss.service.ts'
