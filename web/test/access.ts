import type { Identity } from '@portico/contract/identities'
import type { Group, Policy } from '@portico/contract/policies'

/** A policy for tests: global, in no group, with the values given by the test. */
export const aPolicy = (part: Partial<Policy> = {}): Policy => ({
  _id: 'p1',
  version: 1,
  name: 'cs-imports',
  isAdmin: false,
  actions: ['contact-service::imports::get'],
  conditions: [],
  conditionLogic: 'and',
  ownerPaid: '*',
  canBeDeleted: true,
  groups: [],
  ...part,
})

/** A group for tests: global, with one policy and no members. */
export const aGroup = (part: Partial<Group> = {}): Group => ({
  _id: 'g1',
  version: 1,
  name: 'Analysts',
  isAdmin: false,
  policies: [{ _id: 'p1', name: 'cs-imports', isAdmin: false }],
  ownerPaid: '*',
  canBeDeleted: true,
  ...part,
})

/** An identity for tests: in account 1, active, changeable by the caller. */
export const anIdentity = (part: Partial<Identity> = {}): Identity => ({
  _id: 'i1',
  version: 1,
  aid: 1,
  kind: 'person',
  email: 'tom.lind@example.com',
  serviceName: null,
  userName: 'Tom Lind',
  groups: [
    { _id: 'g1', name: 'Analysts', isAdmin: false, ownerPaid: '*', policies: [{ _id: 'p1', name: 'cs-imports' }] },
  ],
  accessToAllSubAccounts: false,
  hasApiAccess: false,
  apiCredentials: [],
  days: [],
  daysEffect: null,
  hours: [],
  hoursEffect: null,
  cidr: null,
  rowRule: null,
  status: 'active',
  canBeChanged: true,
  lastSignInAt: null,
  ...part,
})
