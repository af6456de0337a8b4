import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { recordAudit } from '#audit'
import type { Db } from '#platform/database.ts'
import { requireRoomOf } from '../owned.queries.ts'
import { insertIdentity, type Invitation, updateIdentityGroups } from './identities.queries.ts'

type NewIdentity = {
  groups: readonly string[]
  accessToAllSubAccounts?: boolean
  details: Record<string, unknown>
  invitation: Invitation | null
}

/**
 * Gives a person an identity without limits and records it, in the caller's transaction. `account` null makes it
 * global. Without an invitation it counts at once: the operator vouches for it. Returns its id, or null when the person
 * already has an identity there.
 * @throws limit_reached
 */
export async function addIdentity(
  tx: Db,
  account: AccountId | null,
  person: { id: string; email: string },
  { groups, accessToAllSubAccounts = false, details, invitation }: NewIdentity,
  by: Actor,
): Promise<string | null> {
  await requireRoomOf(tx, account, 'identities')
  const id = crypto.randomUUID()
  const unlimited = { days: [], daysEffect: null, hours: [], hoursEffect: null, cidr: null, rowRule: null }
  const holder = { personId: person.id, serviceName: null }
  const values = { ...holder, userName: null, accessToAllSubAccounts, isDisabled: false, ...unlimited }
  if (!(await insertIdentity(tx, account, id, { values, invitation }))) return null
  await updateIdentityGroups(tx, account, id, groups)
  await recordAudit(tx, { ...by, account, action: 'identity created', subject: person.email, details })
  return id
}
