/** Credentials: tokens, API credentials and impersonation links, and the callers that they stand for. What other modules may use. */
export { createCredentialAuthentication } from './credential-authentication.service.ts'
export { deleteCredentials } from './credentials.queries.ts'
export { changeCredential } from './credentials.service.ts'
export { createImpersonationAuthentication, linkExpired } from './impersonation-authentication.service.ts'
export { updateImpersonationRevoked } from './impersonations.queries.ts'
export { impersonationRoutes } from './impersonations.routes.ts'
export { createTokens, type Tokens } from './tokens.ts'
