/** Accounts, people and what they may do where. What other modules may use. */
export { type AccountDraft, accountTimeZone, createAccount, listAccounts, requireAccount } from './accounts.service.ts'
export { countUpFieldsVersion } from './accounts.queries.ts'
export { patternProblem } from './condition-pattern.ts'
export { type TwoFactorOf, twoFactorOf } from './deployment.queries.ts'
export { requireTwoFactorOf } from './deployment.service.ts'
export { requireGivenPassword } from './given-password.service.ts'
export { generateCredential } from './credential-secret.ts'
export { type Authenticate, createAuthenticate } from './authentication.service.ts'
export { cacheCallers } from './expected-callers.ts'
export { bootstrap, type FirstSignIn } from './bootstrap.service.ts'
export {
  addPersonToBeSeen,
  createIdentity,
  findOrAddPerson,
  type IdentityDraft,
  type NewIdentity,
  powerUsersGroup,
} from './identities.service.ts'
export { identityRoutes } from './identity.routes.ts'
export { sendNoticeJob } from './notices.jobs.ts'
export { sendNotice } from './notices.service.ts'
export { sendInvitationJob, sendPasswordLinkJob } from './person-links.jobs.ts'
export { enqueueInvitation, sendInvitation, sendPasswordLink } from './person-links.service.ts'
export { revokeImpersonation, startImpersonation } from './impersonation.service.ts'
export { createTokens, type Tokens } from './tokens.ts'
export { readProfile, renamePerson, replacePhotoUrl } from './person-profile.service.ts'
export { dropTwoFactor } from './two-factor-loss.service.ts'
