/** Sign-in: sessions, passwords, two-factor, lockout, invitations and the caller's own account. Owns their tables. */
export { type Authenticate, createAuthenticate } from './authentication.service.ts'
export { sendSecurityEmailJob } from './emails/security-emails.jobs.ts'
export { sendSecurityEmail } from './emails/security-emails.service.ts'
export { cacheCallers } from './expected-callers.ts'
export { createIdentityEffects } from './identity-effects.ts'
export { readProfile, renamePerson, replacePhotoUrl } from './own-account/own-profile.service.ts'
export { sendInvitationJob, sendPasswordLinkJob } from './person-links/person-links.jobs.ts'
export { enqueueInvitation, sendInvitation, sendPasswordLink } from './person-links/person-links.service.ts'
export { hashOfSecret, newSecret } from './person-links/secret-links.ts'
export { createPreferenceChecks } from './preference-checks.ts'
export { requireGoodAdminPassword, requireUsableAdminPassword } from './provisioning/admin-password.service.ts'
export { bootstrap, type FirstSignIn } from './provisioning/bootstrap.service.ts'
export {
  addPersonWithRandomPassword,
  createIdentityWithPassword,
} from './provisioning/identity-with-password.service.ts'
export { changePersonEmail, listPersonConflicts } from './provisioning/person-conflicts.service.ts'
export { endAllSessions } from './sessions/all-sessions.service.ts'
export { createSignInChecks } from './sign-in-checks.ts'
export { signInRoutes } from './sign-in.routes.ts'
export { dropTwoFactor } from './two-factor/two-factor-loss.service.ts'
export { sealedTwoFactorSecrets } from './two-factor/sealed-secrets.ts'
