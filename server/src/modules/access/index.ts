/** Access: policies, groups and identities, and the one evaluator that decides who may do what. What other modules may use. */
export { withAccessLock } from './access-lock.queries.ts'
export { administrationRoutes } from './access.routes.ts'
export { changeAccount, listAccountDetails } from './accounts/account-administration.service.ts'
export { changedValues } from './administered.ts'
export type { Administrator } from './administrator.ts'
export { judgeAccess, type Refusal } from './evaluator/access-judgement.ts'
export {
  type CredentialRow,
  selectCredential,
  selectImpersonation,
  selectSession,
  type SessionRow,
} from './evaluator/access.queries.ts'
export { accessOf, policyNamesOf, sessionClaims, toAccess, toUser } from './evaluator/access.service.ts'
export type { RequestParts } from './evaluator/condition.ts'
export { grantedFeatures, isAllowed, type Policy, policyNames } from './evaluator/granted-actions.ts'
export { isSameAddress, type Limits, type Moment } from './evaluator/limit.ts'
export { explain } from './explanation/access-explanation.service.ts'
export { createAccountGroup, createGroup, listGroups } from './groups/groups.service.ts'
export type { IdentityRow } from './identities/identities.queries.ts'
export { createIdentity, listIdentities, requireManaged } from './identities/identities.service.ts'
export { credentialsOf } from './identities/identity-on-wire.ts'
export { insertIdentity, insertIdentityGroup, selectHasPowerAdmin } from './identities/new-identities.queries.ts'
export { recordForPerson } from './identities/person-audit.service.ts'
export { createPolicy, listPolicies } from './policies/policies.service.ts'
