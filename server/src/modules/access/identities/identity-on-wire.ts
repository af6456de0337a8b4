import type { ApiCredential, Identity } from '@portico/contract/identities'
import { type Administrator, ownerOnWire } from '../administrator.ts'
import { byName } from '../administered.ts'
import type { CredentialRow, IdentityRow } from './identities.queries.ts'

/** An identity as the API shows it to the administrator. */
export function toIdentity(row: IdentityRow, admin: Administrator): Identity {
  return {
    _id: row.id,
    aid: ownerOnWire(row.account),
    email: row.email,
    userName: row.userName,
    groups: byName(row.groups).map(({ id, name, isAdmin, owner, policies }) => ({
      _id: id,
      name,
      isAdmin,
      ownerPaid: ownerOnWire(owner),
      policies: byName(policies).map((policy) => ({ _id: policy.id, name: policy.name })),
    })),
    accessToAllSubAccounts: row.accessToAllSubAccounts,
    ...credentialsOf(row),
    days: row.days,
    daysEffect: row.daysEffect,
    hours: row.hours,
    hoursEffect: row.hoursEffect,
    cidr: row.cidr,
    status: row.isDisabled ? 'disabled' : row.hasPassword ? 'active' : 'invited',
    canBeChanged: isManagedBy(row, admin),
    lastSignInAt: row.lastSignInAt?.toISOString() ?? null,
  }
}

/** Power admins manage the global identities, power users those of their account. */
export function isManagedBy({ account }: IdentityRow, admin: Administrator): boolean {
  return account === (admin.isPowerAdmin ? null : admin.account)
}

/** What says whether programs may sign in; no secret. */
export function credentialsOf({
  id,
  credentials,
}: Pick<IdentityRow, 'id' | 'credentials'>): Pick<Identity, 'hasApiAccess' | 'apiCredentials'> {
  return {
    hasApiAccess: credentials.some(({ isActive }) => isActive),
    apiCredentials: credentials.map((credential) => toCredential(id, credential)),
  }
}

function toCredential(identity: string, row: CredentialRow): ApiCredential {
  return {
    _id: `${identity}-${row.number}`,
    accessKey: row.accessKey,
    isActive: row.isActive,
    createdAt: new Date(row.createdAt).toISOString(),
    lastUsedAt: row.lastUsedAt === null ? null : new Date(row.lastUsedAt).toISOString(),
  }
}
