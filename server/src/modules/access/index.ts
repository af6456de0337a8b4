/** Access: policies, groups and identities, and the single evaluator of permissions. Owns their tables. */
export { accessRegistration } from './registration.ts'
export { accessRoutes } from './access.routes.ts'
export { findAccountDetails, listAccountDetails } from './accounts/account-administration.service.ts'
export type { Administrator } from './administrator.ts'
export { administratorOf, type Self, selfOf, withAccessLockAs, withAccessLockOn } from './administrator.ts'
export type { AccessRefusal } from './evaluator/access-judgement.ts'
export {
  accessColumnsOfIdentity,
  accessColumnsOfPerson,
  accessColumnsOfSession,
  accessJoins,
  type AccessRow,
  asProgram,
  firstAccessRow,
} from './evaluator/access-sql.ts'
export {
  type Acting,
  actingIdentity,
  actingPerson,
  heldWithoutLimits,
  type NotActing,
  requireActor,
} from './evaluator/acting-identity.service.ts'
export { accessOf, heldPoliciesOf, policyNamesOf, sessionClaims, toAccess, toUser } from './evaluator/access.service.ts'
export { everything } from './evaluator/holdings.ts'
export { holdsEverything, requireHeld, type StepUp } from './giving.ts'
export { readRenamedRules } from './field-uses.ts'
export type { HeldIdentity } from './evaluator/held-identity.ts'
export { inviterOf, toCaller } from './evaluator/caller.ts'
export { type Holder, holderText, readHolder } from './evaluator/holder.ts'
export { lacksFactorIn } from './evaluator/entrances.queries.ts'
export {
  accountsHeld,
  accountsOf,
  enterableAccounts,
  holderOf,
  identityRefusal,
} from './evaluator/entrances.service.ts'
export { grantedFeatures, isAllowed, type Policy, policyNames } from './evaluator/granted-actions.ts'
export { isSameAddress } from './evaluator/limit.ts'
export { administers } from './evaluator/power.ts'
export { visibleRows } from './evaluator/visible-rows.ts'
export { hasPowerAdmin, selectPowerUsers } from './evaluator/power.queries.ts'
export { administratorsGroup, powerUsersGroup } from './groups/built-in.ts'
export { createAccountGroup, createGroup, listGroups } from './groups/groups.service.ts'
export { type IdentityRow, selectOwnHolder, updateLastEntered } from './identities/identities.queries.ts'
export { isOwn } from './identities/identity-rules.ts'
export { createIdentityQuietly, listIdentityRows, managed } from './identities/identities.service.ts'
export { requireNotAbove, rightsOfIdentity } from './identities/identity-giving.ts'
export type { IdentityEffects } from './identities/identity-effects.ts'
export { givesApiAccess } from './identities/identity-on-wire.ts'
export {
  actsByOneOf,
  hasIdentityIn,
  identitiesAs,
  identityOf,
  isHeldBy,
  ownedPart,
  takesSession,
} from './identities/identity-sql.ts'
export { addIdentity } from './identities/new-identity.service.ts'
export { recordForPerson } from './identities/person-audit.service.ts'
export { type PlaceRow, selectInvitations, selectPlace, selectPlaces } from './identities/places.queries.ts'
export { updateAccepted } from './invitations/invitations.queries.ts'
export { ownIdentitiesOf } from './invitations/invitations.service.ts'
export {
  type ListedOwner,
  type OwnedPart,
  type OwnedRow,
  type OwnedWork,
  type Owner,
  receptionOf,
} from './people/owned-work.ts'
export { selectIdentitiesOfPerson, selectPersonWithin } from './people/people.queries.ts'
export { mayGive } from './people/person-acts.service.ts'
export { type Accounts, accountsWithin, type FoundPerson, personWithin } from './people/person.service.ts'
export { isEverywhere } from './people/reach.ts'
export { createPolicy, listPolicies } from './policies/policies.service.ts'
