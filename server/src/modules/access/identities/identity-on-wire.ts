import type { ApiCredential, Identity } from '@portico/contract/identities'
import { type Administrator, ownerOnWire } from '../administrator.ts'
import { byName } from '#platform/by-name.ts'
import type { IdentityRow } from './identities.queries.ts'

/** An identity as the API shows it to the administrator; `apiCredentials` are those of the identity. */
export function toIdentity(row: IdentityRow, admin: Administrator, apiCredentials: ApiCredential[]): Identity {
  return {
    _id: row.id,
    version: row.version,
    aid: ownerOnWire(row.account),
    kind: row.serviceName === null ? 'person' : 'service',
    email: row.email,
    serviceName: row.serviceName,
    userName: row.userName,
    groups: byName(row.groups).map(({ id, name, isAdmin, owner, policies }) => ({
      _id: id,
      name,
      isAdmin,
      ownerPaid: ownerOnWire(owner),
      policies: byName(policies).map((policy) => ({ _id: policy.id, name: policy.name })),
    })),
    accessToAllSubAccounts: row.accessToAllSubAccounts,
    hasApiAccess: givesApiAccess(apiCredentials),
    apiCredentials,
    days: row.days,
    daysEffect: row.daysEffect,
    hours: row.hours,
    hoursEffect: row.hoursEffect,
    cidr: row.cidr,
    rowRule: row.rowRule,
    status: row.isDisabled ? 'disabled' : isActive(row) ? 'active' : 'invited',
    canBeChanged: isManagedBy(row, admin),
    lastSignInAt: row.lastSignInAt?.toISOString() ?? null,
  }
}

function isActive({ serviceName, isAccepted, hasPassword }: IdentityRow): boolean {
  return serviceName !== null || (isAccepted && hasPassword)
}

/** Whether a program can call the API with one of the credentials: it is active and has not expired. */
export function givesApiAccess(credentials: readonly ApiCredential[]): boolean {
  const now = new Date()
  return credentials.some(({ isActive, expiresAt }) => isActive && (expiresAt === null || new Date(expiresAt) > now))
}

/** Power admins manage the global identities, power users those of their account. */
export function isManagedBy({ account }: IdentityRow, admin: Administrator): boolean {
  return account === (admin.isPowerAdmin ? null : admin.account)
}
