import { identitiesApi } from '@portico/contract/identities'
import type { StoredSave } from '#platform/http/serving-stored.ts'
import type { StoredContext } from '#platform/http/serving.ts'
import { isUuid } from '#platform/ids.ts'
import { selectIdentities } from './identities.queries.ts'

/**
 * Finds the request that would create an identity as it is, by which conditions judge another invitation to it. Null for one that the
 * caller cannot see.
 */
export async function findIdentitySave(
  { db, account, caller }: StoredContext,
  { id }: { id: string },
): Promise<StoredSave | null> {
  const withGlobal = caller.isPowerAdmin
  const [row] = isUuid(id) ? await selectIdentities(db, account, { withGlobal, id }) : []
  if (!row) return null
  const { email, serviceName, accessToAllSubAccounts, userName, cidr, rowRule, isDisabled } = row
  const { days, daysEffect, hours, hoursEffect, groups } = row
  const body = {
    ...(serviceName === null ? { email } : { serviceName }),
    groups: groups.map((group) => group.id),
    accessToAllSubAccounts,
    userName,
    cidr,
    rowRule,
    days,
    daysEffect,
    hours,
    hoursEffect,
    isDisabled,
  }
  return { save: identitiesApi.createIdentity, requests: [{ params: undefined, query: undefined, body }] }
}
