/** Administration: policies, groups, identities with their credentials, links and accounts. What other modules may use. */
export { changeAccount, listAccountDetails } from './accounts.service.ts'
export { administrationRoutes } from './administration.routes.ts'
export type { Administrator } from './administrator.ts'
export { changeCredential } from './credentials.service.ts'
export { createAccountGroup, createGroup, listGroups } from './groups.service.ts'
export { createIdentity, listIdentities } from './identities.service.ts'
export { createPolicy, listPolicies } from './policies.service.ts'
