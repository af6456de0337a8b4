/** Credentials: tokens, API credentials and impersonation links, and the callers they authenticate. Owns the tables api_credentials and impersonations. */
export { createCredentialAuthentication } from './credential-authentication.service.ts'
export { listCredentials } from './credential-on-wire.ts'
export { deleteCredentials } from './credentials.queries.ts'
export { credentialRoutes } from './credentials.routes.ts'
export { changeCredential } from './credentials.service.ts'
export { actingLink, createImpersonationAuthentication, linkExpired } from './impersonation-authentication.service.ts'
export { endOwnLink, enterByLink, revokeLinksOf } from './impersonations.service.ts'
export { createTokens, type Tokens } from './tokens.ts'
