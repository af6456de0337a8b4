import type { Identity } from '@portico/contract/identities'
import { changedValues, recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { type Administrator, withAccessLockAs, withAccessLockOn } from '../administrator.ts'
import { requireOpenToGive } from '../evaluator/entrances.service.ts'
import { holdsEveryAction } from '../evaluator/power.ts'
import { type BeforeGiving, requireHeld } from '../giving.ts'
import {
  deleteIdentity as deleteIdentityRow,
  type IdentityRow,
  insertIdentity,
  type Invitation,
  selectIdentities,
  updateIdentity as updateIdentityRow,
  updateIdentityGroups,
  updateIdentityInvited,
} from './identities.queries.ts'
import type { IdentityEffects } from './identity-effects.ts'
import { draftHolderOf, duplicateEmail } from './identity-holder.service.ts'
import { isManagedBy, toIdentity } from './identity-on-wire.ts'
import { requireInvitationLeft } from './invitation-limit.service.ts'
import { requirePowerAdminLeft } from './full-power-admin.service.ts'
import { givesMore, requireChangeHeld, requireNotAbove, rightsOfIdentity } from './identity-giving.ts'
import {
  chooseGroups,
  isOwn,
  managedAccount,
  ownIdentityInUse,
  requireFitting,
  requireOwnAccessKept,
} from './identity-rules.ts'
import { requireRoomOf } from '../owned.queries.ts'
import { lockToSave } from '../versions.service.ts'
import { auditedValues, type IdentityChange, type IdentityDraft, valuesOf } from './identity-values.ts'
import { requireFittingRule } from './row-rule.service.ts'
import { isUuid } from '#platform/ids.ts'

export type IdentityDeps = { db: Db; effects: IdentityEffects }

/**
 * Returns the identities of the account by email, then service identities by name; for power admins, global ones too.
 */
export async function listIdentities({ db, effects }: IdentityDeps, admin: Administrator): Promise<Identity[]> {
  const [rows, credentials] = [
    await listIdentityRows(db, admin),
    await effects.listCredentials(db, admin.account, { withGlobal: admin.isPowerAdmin }),
  ]
  return rows.map((row) => toIdentity(row, admin, credentials.get(row.id) ?? []))
}

/** @throws not_found, also for an identity that the administrator cannot see */
export async function getIdentity({ db, effects }: IdentityDeps, admin: Administrator, id: string): Promise<Identity> {
  const row = await requireIdentity(db, admin, id)
  return toIdentity(row, admin, await credentialsOf(db, effects, admin, row))
}

/** The same list without API credentials. */
export async function listIdentityRows(db: Db, admin: Administrator): Promise<IdentityRow[]> {
  return selectIdentities(db, admin.account, { withGlobal: admin.isPowerAdmin })
}

/**
 * Creates an identity: a global one for power admins, one of the account for power users. A person is invited, and the
 * identity counts once they have accepted; a service identity counts at once.
 * @throws name_taken when they already have one there; limit_reached; invalid_input naming the field
 */
export async function createIdentity(
  { db, effects }: IdentityDeps,
  asking: Administrator,
  draft: IdentityDraft,
): Promise<Identity> {
  return withAccessLockAs(db, asking, async (tx, admin) => {
    await requireFittingRule({ db: tx, effects }, admin.account, null, draft.rowRule ?? null)
    const row = await addDraftedIdentity(tx, admin, draft, { by: admin.inviter })
    const { personId, account } = row
    if (personId !== null) await effects.invite(tx, { personId, account })
    return toIdentity(row, admin, [])
  })
}

/** The same without an invitation, accepted at once: the people of the demo have no mailboxes. */
export async function createIdentityQuietly(db: Db, asking: Administrator, draft: IdentityDraft): Promise<IdentityRow> {
  return withAccessLockAs(db, asking, (tx, admin) => addDraftedIdentity(tx, admin, draft, null))
}

async function addDraftedIdentity(
  tx: Db,
  admin: Administrator,
  draft: IdentityDraft,
  invitation: Invitation | null,
): Promise<IdentityRow> {
  const account = managedAccount(admin)
  const groups = await chooseGroups(tx, admin, draft)
  requireFitting(admin, draft)
  const { holder, name } = await draftHolderOf(tx, admin, draft, null)
  const values = valuesOf(draft, holder, null)
  const given = rightsOfIdentity(values, groups)
  requireHeld(admin, given)
  await requireOpenToGive(tx, admin.signIn, { account, ...given })
  await requireRoomOf(tx, account, 'identities')
  const id = crypto.randomUUID()
  const isInvited = holder.personId !== null
  if (isInvited && invitation) await requireInvitationLeft(tx, account, name)
  if (!(await insertIdentity(tx, account, id, { values, invitation: isInvited ? invitation : null }))) {
    throw duplicateEmail()
  }
  await updateIdentityGroups(tx, account, id, idsOf(groups))
  const details = auditedValues({ ...values, groups })
  await recordAudit(tx, { ...admin.by, account, action: 'identity created', subject: name, details })
  return requireIdentity(tx, admin, id)
}

/**
 * Changes an identity. A different email hands it over to another person, who has to accept it; the credentials and
 * links of the previous holder end. `beforeGiving` is called when the identity gets another holder, is enabled again,
 * or gives more than before.
 * @throws not_found; not_allowed for one of the other kind; newer_version; name_taken; in_use when administrators would
 * lock themselves out; invalid_input naming the field
 */
export async function changeIdentity(
  { db, effects, beforeGiving }: IdentityDeps & BeforeGiving,
  asking: Administrator,
  id: string,
  draft: IdentityChange,
): Promise<Identity> {
  return withAccessLockOn(db, asking, managed(id), async (tx, admin, known) => {
    const before = await lockToSave(tx, known.account, { table: 'identities', id: known.id, sent: draft.version })
    const groups = await chooseGroups(tx, admin, draft)
    requireFitting(admin, draft)
    const { holder, name } = await draftHolderOf(tx, admin, draft, known)
    const isHandedOver = holder.personId !== known.personId
    const values = valuesOf(draft, holder, known.rowRule)
    if (givesMore(known, { values, groups, isHandedOver })) {
      await beforeGiving(tx)
      await requireOpenToGive(tx, admin.signIn, { account: known.account, ...rightsOfIdentity(values, groups) })
    }
    requireOwnAccessKept(admin, known, { isHandedOver, values, groups })
    requireChangeHeld(admin, known, { values, groups, isHandedOver })
    await requireFittingRule({ db: tx, effects }, admin.account, known.rowRule, values.rowRule)
    const details = changesOf(known, { ...values, groups }, name)
    const next = nextVersion(before, admin.by, Object.keys(details))
    await updateIdentityRow(tx, known.account, known, values, next)
    await updateIdentityGroups(tx, known.account, known.id, idsOf(groups))
    const isLeft = holdsEveryAction(groups.flatMap(({ policies }) => policies))
    await requirePowerAdminLeft(tx, known, values.isDisabled || isHandedOver || !isLeft || values.rowRule !== null)
    if (isHandedOver && holder.personId !== null) {
      await requireInvitationLeft(tx, known.account, name)
      await handOver({ db: tx, effects }, admin, known, holder.personId)
    }
    const { account } = known
    await recordAudit(tx, { ...admin.by, account, action: 'identity changed', subject: name, details })
    const now = await requireIdentity(tx, admin, known.id)
    return toIdentity(now, admin, await credentialsOf(tx, effects, admin, now))
  })
}

/** The values that a change replaces, for the audit log. `name` is the holder's name. */
function changesOf(
  known: IdentityRow,
  next: Parameters<typeof auditedValues>[0],
  name: string,
): Record<string, unknown> {
  return {
    ...changedValues(auditedValues(known), auditedValues(next)),
    ...(next.personId !== known.personId && { email: { old: known.email, new: name } }),
    ...(next.serviceName !== known.serviceName && { serviceName: { old: known.serviceName, new: next.serviceName } }),
  }
}

/** Invites the new person, and ends the credentials and links that the previous one created with the identity. */
async function handOver(
  { db: tx, effects }: IdentityDeps,
  admin: Administrator,
  known: IdentityRow,
  personId: string,
): Promise<void> {
  await endCredentials(tx, effects, known)
  const invitation = { by: admin.inviter }
  await updateIdentityInvited(tx, known.account, known.id, { invitation, isHandedOver: true })
  await effects.invite(tx, { personId, account: known.account })
}

/**
 * Deletes an identity with its credentials and the person's impersonation links.
 * @throws not_found; not_allowed for one of the other kind; in_use for the administrator's own identity and the last
 * power admin's
 */
export async function deleteIdentity({ db, effects }: IdentityDeps, asking: Administrator, id: string): Promise<void> {
  await withAccessLockOn(db, asking, managed(id), async (tx, admin, identity) => {
    if (isOwn(identity, admin)) throw ownIdentityInUse('delete your own identity')
    await endIdentity({ db: tx, effects }, admin, identity, {})
  })
}

/**
 * Deletes an identity of another person or of a service, in the caller's transaction, under the access lock. `more`: further details for
 * the audit log.
 * @throws exceeds_rights; in_use for the last power admin's
 */
export async function endIdentity(
  { db: tx, effects }: IdentityDeps,
  admin: Administrator,
  identity: IdentityRow,
  more: Record<string, unknown>,
): Promise<void> {
  requireNotAbove(admin, identity)
  await requirePowerAdminLeft(tx, identity, true)
  await endCredentials(tx, effects, identity)
  await deleteIdentityRow(tx, identity.account, identity.id)
  const { account, email } = identity
  const details = { ...auditedValues(identity), ...more }
  await recordAudit(tx, { ...admin.by, account, action: 'identity deleted', subject: email, details })
}

/**
 * Returns the identity if the administrator may change it.
 * @throws not_found, not_allowed
 */
export async function requireManaged(db: Db, admin: Administrator, id: string): Promise<IdentityRow> {
  const identity = await requireIdentity(db, admin, id)
  if (isManagedBy(identity, admin)) return identity
  const message = 'Power admins manage global identities; power users manage those of their account.'
  throw new AppError('not_allowed', { needs: 'power user' }, message)
}

/** `requireManaged` for `withAccessLockOn`. */
export const managed = (id: string) => (db: Db, admin: Administrator) => requireManaged(db, admin, id)

/**
 * Returns the identity if the administrator can see it.
 * @throws not_found
 */
export async function requireIdentity(db: Db, admin: Administrator, id: string): Promise<IdentityRow> {
  const isId = isUuid(id)
  const [row] = isId ? await selectIdentities(db, admin.account, { withGlobal: admin.isPowerAdmin, id }) : []
  if (!row) throw new AppError('not_found')
  return row
}

/** Ends the API credentials of the identity, and the person's impersonation links in its account. */
async function endCredentials(tx: Db, effects: IdentityEffects, { id, account, personId }: IdentityRow): Promise<void> {
  await effects.deleteCredentials(tx, account, id)
  if (personId !== null) await effects.revokeLinks(tx, account, personId)
}

async function credentialsOf(db: Db, effects: IdentityEffects, admin: Administrator, { id, account }: IdentityRow) {
  const which = { withGlobal: account === null, identity: id }
  return (await effects.listCredentials(db, admin.account, which)).get(id) ?? []
}

const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id)
