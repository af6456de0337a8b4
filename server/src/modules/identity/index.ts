/** Accounts, people and what they may do where. What other modules may use. */
export { type AccountDraft, type Actor, accountTimeZone, createAccount, listAccounts } from './accounts.service.ts'
export { bootstrap, type FirstSignIn } from './bootstrap.service.ts'
export { createIdentity, type IdentityDraft, type NewIdentity } from './identities.service.ts'
export { identityRoutes } from './identity.routes.ts'
export { type Authenticate, createAuthenticate } from './sessions.service.ts'
