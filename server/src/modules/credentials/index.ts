/**
 * Credentials: tokens, API credentials and impersonation links, the callers they authenticate, and the callers that
 * stored items act as. Owns the tables api_credentials and impersonations.
 */
export { actingHolder } from './acting-holder.service.ts'
export {
  type ActsAs,
  actsAsCaller,
  actsAsRefusal,
  callRefusal,
  grantRefusal,
  requireActsAs,
  type StoredCell,
  type StoredRequest,
} from './acts-as.service.ts'
export { isAliveCredential } from './credential-access.queries.ts'
export { createCredentialAuthentication } from './credential-authentication.service.ts'
export { accessKeyOf } from './credential-secret.ts'
export { listCredentials, listCredentialsOf } from './credential-on-wire.ts'
export { deleteCredentials } from './credentials.queries.ts'
export type { SignInChecks } from './credential-checks.ts'
export { credentialRoutes } from './credentials.routes.ts'
export { changeCredentialOf } from './credentials.service.ts'
export { createImpersonationAuthentication, linkExpired } from './impersonation-authentication.service.ts'
export { endOwnLink, enterByLink, listLinksOf, revokeLinksOf, revokeLinksOfSessions } from './impersonations.service.ts'
export { updateAllImpersonationsRevoked as revokeAllLinks } from './impersonations.queries.ts'
export { judgedRenaming } from './judged-renaming.service.ts'
export { type ReadingRight, readingRight, type Saver } from './reading-right.service.ts'
export { createTokens, type Tokens } from './tokens.ts'
