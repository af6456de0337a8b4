import type { AccountId } from '@portico/contract/accounts'
import type { Identity, NewIdentity } from '@portico/contract/identities'
import { messages } from '@portico/contract/messages'
import type { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { findOrAddPerson } from '#persons'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { withAccessLock } from '../access-lock.queries.ts'
import { type Administrator, ownerOnWire } from '../administrator.ts'
import { holdsEveryAction } from '../evaluator/power.ts'
import { hasOtherPowerAdmin } from '../evaluator/power.queries.ts'
import type { GroupRow } from '../groups/groups.queries.ts'
import { isEveryone, visibleGroups } from '../groups/groups.service.ts'
import {
  deleteIdentity as deleteIdentityRow,
  hasIdentity,
  type IdentityRow,
  type IdentityValues,
  insertIdentity,
  selectIdentities,
  updateIdentity as updateIdentityRow,
  updateIdentityGroups,
} from './identities.queries.ts'
import type { IdentityEffects } from './identity-effects.ts'
import { isManagedBy, toIdentity } from './identity-on-wire.ts'

type Deps = { db: Db; effects: IdentityEffects }
type Draft = z.output<typeof NewIdentity>

/** Returns the identities of the account by email; for power admins including global ones. */
export async function listIdentities({ db, effects }: Deps, admin: Administrator): Promise<Identity[]> {
  const [rows, credentials] = [
    await listIdentityRows(db, admin),
    await effects.listCredentials(db, admin.account, { withGlobal: admin.isPowerAdmin }),
  ]
  return rows.map((row) => toIdentity(row, admin, credentials.get(row.id) ?? []))
}

/** The same without API credentials. */
export async function listIdentityRows(db: Db, admin: Administrator): Promise<IdentityRow[]> {
  return selectIdentities(db, admin.account, { withGlobal: admin.isPowerAdmin })
}

/**
 * Creates an identity for a person: a global one for power admins, one of the account for power users. Invites people
 * who have no password yet.
 * @throws name_taken when they already have one there; invalid_input naming the field
 */
export async function createIdentity({ db, effects }: Deps, admin: Administrator, draft: Draft): Promise<Identity> {
  return withAccessLock(db, async (tx) => {
    const row = await createIdentityQuietly(tx, admin, draft)
    await effects.invite(tx, { personId: row.personId, account: row.account, by: admin.by.actor })
    return toIdentity(row, admin, [])
  })
}

/** The same without an invitation: the people of the demo have no mailbox. */
export async function createIdentityQuietly(db: Db, admin: Administrator, draft: Draft): Promise<IdentityRow> {
  const account = managedAccount(admin)
  return withAccessLock(db, async (tx) => {
    const groups = await chooseGroups(tx, admin, draft)
    requireFitting(admin, draft)
    const person = await findOrAddPerson(tx, draft.email)
    const id = crypto.randomUUID()
    if (!(await insertIdentity(tx, account, id, valuesOf(draft, person.id)))) throw duplicateEmail()
    await updateIdentityGroups(tx, account, id, idsOf(groups))
    const details = auditedValues({ ...valuesOf(draft, person.id), groups })
    await recordAudit(tx, { ...admin.by, account, action: 'identity created', subject: person.email, details })
    return requireIdentity(tx, admin, id)
  })
}

/**
 * Changes an identity. A different email hands it over to another person, who is invited when they have no password; the
 * credentials and links of the previous holder end.
 * @throws not_found; not_allowed for one of the other kind; name_taken; in_use when administrators would lock themselves
 *   out; invalid_input naming the field
 */
export async function changeIdentity(
  { db, effects }: Deps,
  admin: Administrator,
  id: string,
  draft: Draft,
): Promise<Identity> {
  return withAccessLock(db, async (tx) => {
    const known = await requireManaged(tx, admin, id)
    const groups = await chooseGroups(tx, admin, draft)
    requireFitting(admin, draft)
    const person = await findOrAddPerson(tx, draft.email)
    const isHandedOver = person.id !== known.personId
    if (isHandedOver && (await hasIdentity(tx, known.account, person.id, known.id))) throw duplicateEmail()
    requireOwnAccessKept(admin, known, { isHandedOver, isDisabled: draft.isDisabled, groups })
    const values = valuesOf(draft, person.id)
    await updateIdentityRow(tx, known.account, known.id, values)
    await updateIdentityGroups(tx, known.account, known.id, idsOf(groups))
    await requirePowerAdminLeft(tx, known, draft.isDisabled || (isHandedOver && !person.hasPassword))
    if (isHandedOver) {
      await endCredentials(tx, effects, known)
      await effects.invite(tx, { personId: person.id, account: known.account, by: admin.by.actor })
    }
    const details = {
      ...changedValues(auditedValues(known), auditedValues({ ...values, groups })),
      ...(isHandedOver && { email: { old: known.email, new: person.email } }),
    }
    await recordAudit(tx, {
      ...admin.by,
      account: known.account,
      action: 'identity changed',
      subject: person.email,
      details,
    })
    const now = await requireIdentity(tx, admin, known.id)
    return toIdentity(now, admin, await credentialsOf(tx, effects, admin, now))
  })
}

/**
 * Deletes an identity with its credentials and the person's impersonation links.
 * @throws not_found; not_allowed for one of the other kind; in_use for one's own and for the last power admin's
 */
export async function deleteIdentity({ db, effects }: Deps, admin: Administrator, id: string): Promise<void> {
  await withAccessLock(db, async (tx) => {
    const identity = await requireManaged(tx, admin, id)
    if (identity.personId === admin.personId) throw ownIdentityInUse('delete your own identity')
    await requirePowerAdminLeft(tx, identity, true)
    await endCredentials(tx, effects, identity)
    await deleteIdentityRow(tx, identity.account, identity.id)
    const { account, email } = identity
    const details = auditedValues(identity)
    await recordAudit(tx, { ...admin.by, account, action: 'identity deleted', subject: email, details })
  })
}

/** Sends the invitation again. @throws not_found, not_allowed; invalid_input when the person already has a password */
export async function inviteAgain({ db, effects }: Deps, admin: Administrator, id: string): Promise<void> {
  await withAccessLock(db, async (tx) => {
    const { personId, account, email, hasPassword } = await requireManaged(tx, admin, id)
    if (hasPassword) throw invalidField('id', `${email} already has a password.`)
    await effects.invite(tx, { personId, account, by: admin.by.actor })
    await recordAudit(tx, { ...admin.by, account, action: 'identity invited', subject: email })
  })
}

/**
 * Ends all sessions of the person and their impersonation links, for a stolen laptop or a forgotten session.
 * @throws not_found; not_allowed for an identity of the other kind
 */
export async function endSessions({ db, effects }: Deps, admin: Administrator, id: string): Promise<{ ended: number }> {
  return withAccessLock(db, async (tx) => {
    const { personId, account, email } = await requireManaged(tx, admin, id)
    const ended = await effects.endSessions(tx, personId)
    await effects.revokeLinks(tx, account, personId)
    await recordAudit(tx, { ...admin.by, account, action: 'identity signed out', subject: email, details: { ended } })
    return { ended }
  })
}

/** The identity, if the administrator may change it. @throws not_found, not_allowed */
export async function requireManaged(db: Db, admin: Administrator, id: string): Promise<IdentityRow> {
  const identity = await requireIdentity(db, admin, id)
  if (isManagedBy(identity, admin)) return identity
  const message = 'Power admins manage global identities; power users manage those of their account.'
  throw new AppError('not_allowed', { needs: 'power user' }, message)
}

async function requireIdentity(db: Db, admin: Administrator, id: string): Promise<IdentityRow> {
  const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
  const [row] = isId ? await selectIdentities(db, admin.account, { withGlobal: admin.isPowerAdmin, id }) : []
  if (!row) throw new AppError('not_found')
  return row
}

function managedAccount({ isPowerAdmin, account }: Administrator): AccountId | null {
  return isPowerAdmin ? null : account
}

/** Returns the chosen groups, which the administrator must see and may assign: power admins groups of administrators, power users others. */
async function chooseGroups(db: Db, admin: Administrator, draft: Draft): Promise<GroupRow[]> {
  const known = await visibleGroups(db, admin)
  const chosen = draft.groups.map((id, index) => {
    const group = known.find((row) => row.id === id.toLowerCase())
    // A group of one account would carry its rights into all others.
    const isFit = group?.isAdmin === admin.isPowerAdmin && (!admin.isPowerAdmin || group.owner === null)
    if (!group || !isFit || isEveryone(group)) throw invalidField(`groups.${index}`, messages.notAllowed)
    return group
  })
  return [...new Set(chosen)]
}

function requireFitting(admin: Administrator, draft: Draft): void {
  const { aid, accessToAllSubAccounts } = draft
  if (aid !== undefined && aid !== ownerOnWire(managedAccount(admin))) throw invalidField('aid', messages.notAllowed)
  // A global identity enters every account anyway.
  if (accessToAllSubAccounts && !admin.isPowerAdmin && admin.isSubAccount) {
    throw invalidField('accessToAllSubAccounts', messages.notAllowed)
  }
}

/** Keeps administrators from locking themselves out by accident. @throws in_use */
function requireOwnAccessKept(
  admin: Administrator,
  known: IdentityRow,
  { isHandedOver, isDisabled, groups }: { isHandedOver: boolean; isDisabled: boolean; groups: readonly GroupRow[] },
): void {
  if (known.personId !== admin.personId) return
  if (isHandedOver) throw ownIdentityInUse('hand over your own identity to another email')
  if (isDisabled) throw ownIdentityInUse('disable your own identity')
  // Groups of a power admin are always groups of administrators.
  const fullAccess = known.groups.filter(({ policies }) => holdsEveryAction(policies))
  const isLeft = fullAccess.length === 0 || fullAccess.some(({ id }) => groups.some((group) => group.id === id))
  if (!admin.isPowerAdmin && !isLeft) throw ownIdentityInUse('leave the group that makes you a power user')
}

function ownIdentityInUse(what: string): AppError {
  return new AppError('in_use', undefined, `You cannot ${what}. Ask another administrator to do it.`)
}

/** The caller must hold the lock, as others may be removed concurrently. @throws in_use */
async function requirePowerAdminLeft(db: Db, { id, account }: IdentityRow, isLost: boolean): Promise<void> {
  if (account !== null || !isLost || (await hasOtherPowerAdmin(db, id))) return
  throw new AppError('in_use', undefined, 'This is the last power admin. At least one is required.')
}

/** Ends the API credentials of the identity, and the person's impersonation links in its account. */
async function endCredentials(tx: Db, effects: IdentityEffects, { id, account, personId }: IdentityRow): Promise<void> {
  await effects.deleteCredentials(tx, account, id)
  await effects.revokeLinks(tx, account, personId)
}

async function credentialsOf(db: Db, effects: IdentityEffects, admin: Administrator, { id, account }: IdentityRow) {
  const which = { withGlobal: account === null, identity: id }
  return (await effects.listCredentials(db, admin.account, which)).get(id) ?? []
}

function duplicateEmail(): AppError {
  const problem = { field: 'email', message: messages.duplicateEmail }
  return new AppError('name_taken', [problem], problem.message)
}

function valuesOf(draft: Draft, personId: string): IdentityValues {
  const { userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr } = draft
  return {
    personId,
    // Forms send '' for empty fields.
    userName: userName || null,
    accessToAllSubAccounts,
    isDisabled,
    days,
    daysEffect: days.length > 0 ? (daysEffect ?? null) : null,
    hours: hours.toSorted((one, other) => one - other),
    hoursEffect: hours.length > 0 ? (hoursEffect ?? null) : null,
    cidr: cidr || null,
  }
}

/** The values of an identity that the audit log records. */
function auditedValues(row: IdentityValues & { groups: readonly { name: string }[] }): Record<string, unknown> {
  const { userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr } = row
  const groups = row.groups.map(({ name }) => name).toSorted()
  return { groups, userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr }
}

const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id)
