import { recordAudit } from '#audit'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type Administrator, withAccessLockOn } from '../administrator.ts'
import { requireHeld } from '../giving.ts'
import { rightsOf } from '../policies/policy-holders.service.ts'
import { type IdentityDeps, managed, requireIdentity, requireManaged } from './identities.service.ts'
import { requireInvitationLeft } from './invitation-limit.service.ts'
import {
  type IdentityRow,
  selectPoliciesOfPerson,
  updateIdentityInvited,
  updateSessionsEnded,
} from './identities.queries.ts'
import { requireNotAbove } from './identity-giving.ts'

/**
 * Returns the identity of a person.
 * @throws invalid_input for a service identity, which has neither invitations nor sessions
 */
function requirePerson(identity: IdentityRow): IdentityRow & { personId: string } {
  const { personId } = identity
  if (personId === null) throw invalidField('id', 'This is a service identity. It does not sign in.')
  return { ...identity, personId, serviceName: null }
}

/**
 * Sends the invitation again, in the name of the administrator who asks for it.
 * @throws not_found, not_allowed, too_many_requests; invalid_input when the person has already accepted
 */
export async function inviteAgain({ db, effects }: IdentityDeps, asking: Administrator, id: string): Promise<void> {
  await withAccessLockOn(db, asking, managed(id), async (tx, admin, identity) => {
    const known = requirePerson(identity)
    const { personId, account, email } = known
    requireNotAbove(admin, known)
    if (known.isAccepted && known.hasPassword) throw invalidField('id', `${email} has already accepted.`)
    await requireInvitationLeft(tx, account, email)
    await updateIdentityInvited(tx, account, known.id, { invitation: { by: admin.inviter }, isHandedOver: false })
    await effects.invite(tx, { personId, account })
    await recordAudit(tx, { ...admin.by, account, action: 'identity invited', subject: email })
  })
}

/**
 * Signs a person out, for example after a laptop is stolen, and revokes their impersonation links. For power users,
 * until the person signs in again, only from the accounts that the identity opens; for power admins, everywhere.
 * Returns the number of sessions affected.
 * @throws not_found; not_allowed for a power user and an identity of the other kind; invalid_input for a service
 * identity
 */
export async function endSessions(
  { db, effects }: IdentityDeps,
  asking: Administrator,
  id: string,
): Promise<{ ended: number }> {
  const find = (from: Db, by: Administrator) => (by.isPowerAdmin ? requireIdentity : requireManaged)(from, by, id)
  return withAccessLockOn(db, asking, find, async (tx, admin, known) => {
    const identity = requirePerson(known)
    const { personId, account, email } = identity
    requireNotAbove(admin, identity)
    // Signed out everywhere, they lose access with their other identities too.
    if (admin.isPowerAdmin) requireHeld(admin, rightsOf(await selectPoliciesOfPerson(tx, personId)))
    const isEverywhere = admin.isPowerAdmin || account === null
    const ended = isEverywhere
      ? await effects.endSessions(tx, personId)
      : await endSessionsIn({ db: tx, effects }, { ...identity, account })
    await effects.revokeLinks(tx, isEverywhere ? null : account, personId)
    const details = { ended, everywhere: isEverywhere }
    await recordAudit(tx, { ...admin.by, account, action: 'identity signed out', subject: email, details })
    return { ended }
  })
}

async function endSessionsIn(
  { db: tx, effects }: IdentityDeps,
  { id, account, personId, isAccepted, sessionsEndedAt }: IdentityRow & { account: number; personId: string },
): Promise<number> {
  // Before it is accepted, the person's sessions in the account belong to other identities.
  if (!isAccepted) return 0
  const ended = await effects.countSessions(tx, account, { personId, since: sessionsEndedAt })
  await updateSessionsEnded(tx, account, id, new Date())
  return ended
}
