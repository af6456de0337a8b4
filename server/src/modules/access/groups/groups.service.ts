import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { messages } from '@portico/contract/messages'
import { findByName, isSameName } from '@portico/domain/names'
import { type ChangedGroup, type Group, type NewGroup } from '@portico/contract/policies'
import type { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { requireAccount } from '#accounts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { withAccessLock } from '../access-lock.queries.ts'
import { type Administrator, ownerOnWire, withAccessLockAs, withAccessLockOn } from '../administrator.ts'
import { byName } from '#platform/by-name.ts'
import { isBuiltIn, isEveryone } from './built-in.ts'
import {
  deleteGroup as deleteGroupRow,
  type GroupRow,
  hasGroupOfName,
  insertGroup,
  selectGroups,
  updateGroup,
  updateGroupPolicies,
} from './groups.queries.ts'
import { isNameTaken } from '../names.queries.ts'
import { requireRoomOf } from '../owned.queries.ts'
import { type PolicyRow, selectPolicies } from '../policies/policies.queries.ts'
import { visiblePolicies } from '../policies/policies.service.ts'
import { requireGainsHeld, rightsOf } from '../policies/policy-holders.service.ts'
import { holdsEveryAction } from '../evaluator/power.ts'
import { areNoMore, type BeforeGiving, requireHeld } from '../giving.ts'
import { requireFullPowerAdminLeft } from '../identities/full-power-admin.service.ts'
import { lockToSave } from '../versions.service.ts'

type Draft = z.output<typeof NewGroup>
type Change = z.output<typeof ChangedGroup>

/** @throws not_found, also for a group that the administrator cannot see */
export async function getGroup(db: Db, admin: Administrator, id: string): Promise<Group> {
  return toGroup(await requireGroup(db, admin, id), admin)
}

/** The groups that the administrator can see, by name. Admin items are visible to power admins only. */
export async function listGroups(db: Db, admin: Administrator): Promise<Group[]> {
  return byName(await visibleGroups(db, admin)).map((row) => toGroup(row, admin))
}

export async function visibleGroups(db: Db, { owner, isPowerAdmin }: Administrator): Promise<GroupRow[]> {
  return (await selectGroups(db, owner)).filter(({ isAdmin }) => isPowerAdmin || !isAdmin)
}

/** @throws not_allowed for a group of an account; name_taken; limit_reached; invalid_input naming the field */
export async function createGroup(db: Db, asking: Administrator, draft: Draft): Promise<Group> {
  if ((draft.ownerPaid ?? '*') !== '*') throw operatorOnly()
  const id = await withAccessLockAs(db, asking, async (tx, admin) => {
    await requireFreeName(tx, null, draft.name, null)
    const policies = choosePolicies(await visiblePolicies(tx, admin), null, draft)
    requireHeld(admin, rightsOf(policies))
    return addGroup(tx, null, draft, policies, admin.by)
  })
  return toGroup(await requireGroup(db, asking, id), asking)
}

/**
 * Creates a group that belongs to an account and is visible in it and its sub-accounts. For the operator: the API has
 * no call for it. A group named `everyone` replaces the global one in the sub-accounts. `policies` are names of global
 * policies or of the account's own. Returns its id.
 * @throws not_found; name_taken; invalid_input naming the field
 */
export async function createAccountGroup(
  db: Db,
  account: AccountId,
  { name, policies }: { name: string; policies: readonly string[] },
  by: Actor,
): Promise<string> {
  const { parentId } = await requireAccount(db, account)
  if (parentId !== null)
    throw invalidField('account', `A sub-account uses the groups of its parent, account ${parentId}.`)
  return withAccessLock(db, async (tx) => {
    if (isEveryone({ name })) {
      if (await hasGroupOfName(tx, account, name)) throw duplicateName()
    } else await requireFreeName(tx, account, name, null)
    const find = findByName(
      (await selectPolicies(tx, account)).filter(({ isAdmin }) => !isAdmin),
      (policy) => policy.name,
    )
    const chosen = policies.map((wanted) => {
      const policy = find(wanted)
      if (!policy) throw invalidField('policy', `The account has no policy named "${wanted}".`)
      return policy
    })
    return addGroup(tx, account, { name, isAdmin: false }, [...new Set(chosen)], by)
  })
}

/**
 * @throws not_found; not_allowed for a group of an account; newer_version; name_taken; invalid_input naming the field
 */
export async function changeGroup(
  { db, beforeGiving }: { db: Db } & BeforeGiving,
  asking: Administrator,
  id: string,
  draft: Change,
): Promise<Group> {
  return withAccessLockOn(db, asking, groupOf(id), async (tx, admin, known) => {
    if (known.owner !== null || (draft.ownerPaid ?? '*') !== '*') throw operatorOnly()
    const before = await lockToSave(tx, null, { table: 'groups', id: known.id, sent: draft.version })
    if (draft.isAdmin !== known.isAdmin) throw invalidField('isAdmin', messages.notAllowed)
    if (isEveryone(known) && !isEveryone(draft)) throw invalidField('name', messages.notAllowed)
    // Accounts may have their own `everyone` in addition to the global one.
    if (!isEveryone(known) && !isSameName(draft.name, known.name)) await requireFreeName(tx, null, draft.name, known.id)
    const policies = choosePolicies(await visiblePolicies(tx, admin), null, draft)
    if (!areNoMore(rightsOf(policies), rightsOf(known.policies))) await beforeGiving(tx)
    requireHeld(admin, rightsOf(known.policies))
    await requireGainsHeld(tx, admin, { group: known.id, groups: [known] }, known.policies, policies)
    const details = changedValues(namesIn(known), namesIn({ name: draft.name, policies }))
    const next = nextVersion(before, admin.by, Object.keys(details))
    await updateGroup(tx, null, known, { name: draft.name, ...next })
    await updateGroupPolicies(tx, null, known.id, idsOf(policies))
    if (holdsEveryAction(known.policies)) await requireFullPowerAdminLeft(tx)
    await recordAudit(tx, { ...admin.by, account: null, action: 'group changed', subject: draft.name, details })
    return toGroup({ ...known, name: draft.name, policies, version: next.version }, admin)
  })
}

/** @throws not_found; not_allowed for a group of an account; in_use while an identity belongs to it */
export async function deleteGroup(db: Db, asking: Administrator, id: string): Promise<void> {
  await withAccessLockOn(db, asking, groupOf(id), async (tx, admin, group) => {
    if (group.owner !== null) throw operatorOnly()
    if (isEveryone(group)) throw new AppError('in_use', undefined, 'Everyone belongs to this group.')
    if (isBuiltIn(group.id)) throw new AppError('in_use', undefined, 'This group is built in and cannot be deleted.')
    if (group.isInUse)
      throw new AppError('in_use', undefined, 'Identities belong to this group, so it cannot be deleted.')
    requireHeld(admin, rightsOf(group.policies))
    await deleteGroupRow(tx, null, group.id)
    const { name, isAdmin } = group
    const details = { ...namesIn(group), isAdmin }
    await recordAudit(tx, { ...admin.by, account: null, action: 'group deleted', subject: name, details })
  })
}

const groupOf = (id: string) => (db: Db, admin: Administrator) => requireGroup(db, admin, id)

function operatorOnly(): AppError {
  const message = 'The operator manages the groups of an account; power admins manage global groups.'
  return new AppError('not_allowed', { needs: 'operator' }, message)
}

/** The caller must hold the lock and have checked the name. */
async function addGroup(
  db: Db,
  owner: AccountId | null,
  { name, isAdmin }: { name: string; isAdmin: boolean },
  policies: readonly PolicyRow[],
  by: Actor,
): Promise<string> {
  await requireRoomOf(db, owner, 'groups')
  const id = crypto.randomUUID()
  await insertGroup(db, owner, { id, name, isAdmin })
  await updateGroupPolicies(db, owner, id, idsOf(policies))
  const details = { ...namesIn({ name, policies }), isAdmin }
  await recordAudit(db, { ...by, account: owner, action: 'group created', subject: name, details })
  return id
}

/** A global group may hold global policies only; otherwise it would grant one account's policies in all others. */
function choosePolicies(
  known: readonly PolicyRow[],
  owner: AccountId | null,
  wanted: { isAdmin: boolean; policies: readonly string[] },
): PolicyRow[] {
  if (wanted.policies.length === 0) throw invalidField('policies', messages.required)
  const chosen = wanted.policies.map((id, index) => {
    const policy = known.find((row) => row.id === id.toLowerCase())
    const isFit = policy?.isAdmin === wanted.isAdmin && (policy.owner === null || policy.owner === owner)
    if (!policy || !isFit) throw invalidField(`policies.${index}`, messages.notAllowed)
    return policy
  })
  return [...new Set(chosen)]
}

async function requireGroup(db: Db, admin: Administrator, id: string): Promise<GroupRow> {
  const group = (await visibleGroups(db, admin)).find((row) => row.id === id.toLowerCase())
  if (!group) throw new AppError('not_found')
  return group
}

async function requireFreeName(db: Db, owner: AccountId | null, name: string, except: string | null): Promise<void> {
  if (await isNameTaken(db, owner, 'groups', { name, except })) throw duplicateName()
}

function duplicateName(): AppError {
  const problem = { field: 'name', message: messages.duplicateGroup }
  return new AppError('name_taken', [problem], problem.message)
}

const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id)

function namesIn({ name, policies }: { name: string; policies: readonly { name: string }[] }) {
  return { name, policies: byName(policies).map((policy) => policy.name) }
}

function toGroup(row: GroupRow, { isPowerAdmin }: Administrator): Group {
  const isDeletable = !row.isInUse && !isEveryone(row) && !isBuiltIn(row.id)
  return {
    _id: row.id,
    version: row.version,
    name: row.name,
    isAdmin: row.isAdmin,
    policies: byName(row.policies).map(({ id, name, isAdmin }) => ({ _id: id, name, isAdmin })),
    ownerPaid: ownerOnWire(row.owner),
    canBeDeleted: isPowerAdmin && row.owner === null && isDeletable,
  }
}
