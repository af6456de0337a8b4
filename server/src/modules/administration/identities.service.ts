import type { AccountId } from '@portico/contract/identity'
import type { Identity, NewIdentity } from '@portico/contract/identities'
import { messages } from '@portico/contract/messages'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import { enqueueInvitation, findOrAddPerson } from '#identity'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs.ts'
import { withAccessLock } from './access-lock.queries.ts'
import { type Administrator, ownerOnWire } from './administrator.ts'
import { changedValues } from './administered.ts'
import type { GroupRow } from './groups.queries.ts'
import { isEveryone, visibleGroups } from './groups.service.ts'
import {
  deleteIdentity as deleteIdentityRow,
  hasIdentity,
  hasOtherPowerAdmin,
  type IdentityRow,
  type IdentityValues,
  insertIdentity,
  revokeImpersonationsOf,
  revokeSessionsOf,
  selectIdentities,
  updateIdentity as updateIdentityRow,
  updateIdentityGroups,
} from './identities.queries.ts'
import { deleteCredentials } from './credentials.queries.ts'
import { isManagedBy, toIdentity } from './identity-on-wire.ts'

/** Without `jobs` nobody is invited: the people of the demo have no mailbox. */
type Deps = { db: Db; jobs: Jobs | null }
type Invites = { db: Db; jobs: Jobs }
type Draft = z.output<typeof NewIdentity>

/** The identities of the account, for power admins with the global ones; by e-mail. */
export async function listIdentities(db: Db, admin: Administrator): Promise<Identity[]> {
  const rows = await selectIdentities(db, admin.account, { withGlobal: admin.isPowerAdmin })
  return rows.map((row) => toIdentity(row, admin))
}

/**
 * Gives somebody an identity: a global one by a power admin, one of the account by a power user. Who has no password
 * yet is invited.
 * @throws name_taken when they have one there; invalid_input naming the field
 */
export async function createIdentity(deps: Deps, admin: Administrator, draft: Draft): Promise<Identity> {
  const account = managedAccount(admin)
  return withAccessLock(deps.db, async (tx) => {
    const groups = await chooseGroups(tx, admin, draft)
    requireFitting(admin, draft)
    const person = await findOrAddPerson(tx, draft.email)
    const id = crypto.randomUUID()
    if (!(await insertIdentity(tx, account, id, valuesOf(draft, person.id)))) throw duplicateEmail()
    await updateIdentityGroups(tx, account, id, idsOf(groups))
    const details = toldOf({ ...valuesOf(draft, person.id), groups })
    await recordAudit(tx, { ...admin.by, account, action: 'identity created', subject: person.email, details })
    if (deps.jobs) await enqueueInvitation(tx, deps.jobs, { personId: person.id, account, by: admin.by.actor })
    return toIdentity(await requireIdentity(tx, admin, id), admin)
  })
}

/**
 * Changes an identity. Another e-mail hands it over to another person, who is invited when they have no password; the
 * credentials and links of the one before end.
 * @throws not_found; not_allowed for one of the other kind; name_taken; in_use where administrators would shut themselves
 *   out; invalid_input naming the field
 */
export async function changeIdentity(deps: Invites, admin: Administrator, id: string, draft: Draft): Promise<Identity> {
  return withAccessLock(deps.db, async (tx) => {
    const known = await requireManaged(tx, admin, id)
    const groups = await chooseGroups(tx, admin, draft)
    requireFitting(admin, draft)
    const person = await findOrAddPerson(tx, draft.email)
    const isHandedOver = person.id !== known.personId
    if (isHandedOver && (await hasIdentity(tx, known.account, person.id, known.id))) throw duplicateEmail()
    requireNotOneself(admin, known, { isHandedOver, isDisabled: draft.isDisabled, groups })
    const values = valuesOf(draft, person.id)
    await updateIdentityRow(tx, known.account, known.id, values)
    await updateIdentityGroups(tx, known.account, known.id, idsOf(groups))
    await requirePowerAdminLeft(tx, known, draft.isDisabled || (isHandedOver && !person.hasPassword))
    if (isHandedOver) {
      await endCredentials(tx, known)
      await enqueueInvitation(tx, deps.jobs, { personId: person.id, account: known.account, by: admin.by.actor })
    }
    const details = {
      ...changedValues(toldOf(known), toldOf({ ...values, groups })),
      ...(isHandedOver && { email: { old: known.email, new: person.email } }),
    }
    await recordAudit(tx, {
      ...admin.by,
      account: known.account,
      action: 'identity changed',
      subject: person.email,
      details,
    })
    return toIdentity(await requireIdentity(tx, admin, known.id), admin)
  })
}

/**
 * Takes an identity away, its credentials and the person's impersonation links with it.
 * @throws not_found; not_allowed for one of the other kind; in_use for one's own and for the last power admin's
 */
export async function deleteIdentity(db: Db, admin: Administrator, id: string): Promise<void> {
  await withAccessLock(db, async (tx) => {
    const identity = await requireManaged(tx, admin, id)
    if (identity.personId === admin.personId) throw oneself('delete your own identity')
    await requirePowerAdminLeft(tx, identity, true)
    await endCredentials(tx, identity)
    await deleteIdentityRow(tx, identity.account, identity.id)
    const { account, email } = identity
    const details = toldOf(identity)
    await recordAudit(tx, { ...admin.by, account, action: 'identity deleted', subject: email, details })
  })
}

/** Sends the invitation again. @throws not_found, not_allowed; invalid_input when there is a password already */
export async function inviteAgain({ db, jobs }: Invites, admin: Administrator, id: string): Promise<void> {
  await withAccessLock(db, async (tx) => {
    const { personId, account, email, hasPassword } = await requireManaged(tx, admin, id)
    if (hasPassword) throw invalidField('id', `${email} has chosen a password already.`)
    await enqueueInvitation(tx, jobs, { personId, account, by: admin.by.actor })
    await recordAudit(tx, { ...admin.by, account, action: 'identity invited', subject: email })
  })
}

/**
 * Ends all sessions of the person and their impersonation links, for a stolen laptop or somebody who forgot to sign out.
 * @throws not_found; not_allowed for an identity of the other kind
 */
export async function endSessions(db: Db, admin: Administrator, id: string): Promise<{ ended: number }> {
  return withAccessLock(db, async (tx) => {
    const { id: known, personId, account, email } = await requireManaged(tx, admin, id)
    const now = new Date()
    const ended = await revokeSessionsOf(tx, account, known, now)
    await revokeImpersonationsOf(tx, account, personId, now)
    await recordAudit(tx, { ...admin.by, account, action: 'identity signed out', subject: email, details: { ended } })
    return { ended }
  })
}

/** The identity, if the administrator may change it. @throws not_found, not_allowed */
export async function requireManaged(db: Db, admin: Administrator, id: string): Promise<IdentityRow> {
  const identity = await requireIdentity(db, admin, id)
  if (isManagedBy(identity, admin)) return identity
  const message = 'Power admins manage global identities; those of an account are managed by its power users.'
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

/** Groups that the administrator sees and may put somebody in: of administrators or not, as the administrator is one. */
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

/** Nobody shuts themself out by a slip. @throws in_use */
function requireNotOneself(
  admin: Administrator,
  known: IdentityRow,
  { isHandedOver, isDisabled, groups }: { isHandedOver: boolean; isDisabled: boolean; groups: readonly GroupRow[] },
): void {
  if (known.personId !== admin.personId) return
  if (isHandedOver) throw oneself('hand your own identity over to another e-mail')
  if (isDisabled) throw oneself('disable your own identity')
  // A power admin's groups are of administrators in any case.
  const fullAccess = known.groups.filter(({ policies }) => policies.some(({ actions }) => actions.includes('*::*::*')))
  const isLeft = fullAccess.length === 0 || fullAccess.some(({ id }) => groups.some((group) => group.id === id))
  if (!admin.isPowerAdmin && !isLeft) throw oneself('leave the group that makes you a power user')
}

function oneself(what: string): AppError {
  return new AppError('in_use', undefined, `You cannot ${what}. Somebody else who may has to do it.`)
}

/** Others may have been taken away at the same moment: that somebody is left is looked up under the lock. @throws in_use */
async function requirePowerAdminLeft(db: Db, { id, account }: IdentityRow, isLost: boolean): Promise<void> {
  if (account !== null || !isLost || (await hasOtherPowerAdmin(db, id))) return
  throw new AppError('in_use', undefined, 'This is the last power admin, and there has to be one.')
}

/** What programs and links of the person could still do with the identity ends at once. */
async function endCredentials(db: Db, { id, account, personId }: IdentityRow): Promise<void> {
  await deleteCredentials(db, account, id)
  await revokeImpersonationsOf(db, account, personId, new Date())
}

function duplicateEmail(): AppError {
  const problem = { field: 'email', message: messages.duplicateEmail }
  return new AppError('name_taken', [problem], problem.message)
}

function valuesOf(draft: Draft, personId: string): IdentityValues {
  const { userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr } = draft
  return {
    personId,
    // A form sends '' for what was left empty.
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

/** What the audit log tells of an identity. */
function toldOf(row: IdentityValues & { groups: readonly { name: string }[] }): Record<string, unknown> {
  const { userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr } = row
  const groups = row.groups.map(({ name }) => name).toSorted()
  return { groups, userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr }
}

const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id)
