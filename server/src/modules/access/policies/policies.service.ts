import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { features } from '@portico/contract/features'
import { impersonationFlags } from '@portico/contract/impersonation'
import { messages } from '@portico/contract/messages'
import { foldName, isSameName } from '@portico/domain/names'
import {
  type ChangedPolicy,
  conditionProblem,
  type NewPolicy,
  parseCondition,
  type Policy,
} from '@portico/contract/policies'
import type { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { patternProblem } from '../evaluator/condition-pattern.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { type Administrator, ownerOnWire, withAccessLockAs, withAccessLockOn } from '../administrator.ts'
import { byName } from '#platform/by-name.ts'
import { holdsEveryAction } from '../evaluator/power.ts'
import { areNoMore, type BeforeGiving, requireHeld } from '../giving.ts'
import { isBuiltIn } from '../groups/built-in.ts'
import { requireFullPowerAdminLeft } from '../identities/full-power-admin.service.ts'
import { requireGainsHeld, rightsOf } from './policy-holders.service.ts'
import {
  deletePolicy as deletePolicyRow,
  insertPolicy,
  type PolicyRow,
  type PolicyValues,
  selectPolicies,
  updatePolicy as updatePolicyRow,
} from './policies.queries.ts'
import { isNameTaken } from '../names.queries.ts'
import { requireRoomOf } from '../owned.queries.ts'
import { lockToSave } from '../versions.service.ts'

type Draft = z.output<typeof NewPolicy>
type Change = z.output<typeof ChangedPolicy>

/** @throws not_found, also for a policy that the administrator cannot see */
export async function getPolicy(db: Db, admin: Administrator, id: string): Promise<Policy> {
  return toPolicy(await requireVisiblePolicy(db, admin, id), admin)
}

/** The policies that the administrator can see, by name. Admin items are visible to power admins only. */
export async function listPolicies(db: Db, admin: Administrator): Promise<Policy[]> {
  return byName(await visiblePolicies(db, admin)).map((row) => toPolicy(row, admin))
}

export async function visiblePolicies(db: Db, { owner, isPowerAdmin }: Administrator): Promise<PolicyRow[]> {
  return (await selectPolicies(db, owner)).filter(({ isAdmin }) => isPowerAdmin || !isAdmin)
}

/**
 * @throws name_taken; limit_reached; invalid_input for the owner (neither '*' nor the owner of the account's items), or
 * for a regular expression that cannot be used
 */
export async function createPolicy(db: Db, asking: Administrator, draft: Draft): Promise<Policy> {
  const { ownerPaid = '*' } = draft
  if (ownerPaid !== '*' && ownerPaid !== asking.owner) throw invalidField('ownerPaid', messages.notAllowed)
  requireUsablePatterns(draft)
  requireConditions(draft, [])
  requireOwnName(draft)
  return withAccessLockAs(db, asking, async (tx, admin) => {
    requireHeld(admin, rightsOf([draft]))
    const id = await addPolicy(tx, ownerPaid === '*' ? null : ownerPaid, draft, admin.by)
    return toPolicy(await requireVisiblePolicy(tx, admin, id), admin)
  })
}

/** Creates a policy of this owner, null for a global one. Returns its id. @throws name_taken */
async function addPolicy(tx: Db, owner: AccountId | null, draft: Draft, by: Actor): Promise<string> {
  const id = crypto.randomUUID()
  await requireFreeName(tx, owner, draft.name, null)
  await requireRoomOf(tx, owner, 'policies')
  const values = { ...valuesOf(draft), isAdmin: draft.isAdmin }
  await insertPolicy(tx, owner, { id, ...values })
  await recordAudit(tx, { ...by, account: owner, action: 'policy created', subject: draft.name, details: values })
  return id
}

/**
 * @throws not_found; newer_version; name_taken; invalid_input for a change of `isAdmin` or `ownerPaid`, or for a
 * regular expression that cannot be used
 */
export async function changePolicy(
  { db, beforeGiving }: { db: Db } & BeforeGiving,
  asking: Administrator,
  id: string,
  draft: Change,
): Promise<Policy> {
  return withAccessLockOn(db, asking, policyOf(id), async (tx, admin, known) => {
    const { isAdmin, owner } = known
    const before = await lockToSave(tx, owner, { table: 'policies', id: known.id, sent: draft.version })
    if (draft.isAdmin !== isAdmin) throw invalidField('isAdmin', messages.notAllowed)
    if ((draft.ownerPaid ?? ownerOnWire(owner)) !== ownerOnWire(owner)) {
      throw invalidField('ownerPaid', messages.notAllowed)
    }
    requireUsablePatterns(draft)
    requireConditions(draft, known.conditions)
    requireOwnName(draft)
    if (!isSameName(draft.name, known.name)) await requireFreeName(tx, owner, draft.name, id)
    if (!areNoMore(rightsOf([draft]), rightsOf([known]))) await beforeGiving(tx)
    requireHeld(admin, rightsOf([known]))
    await requireGainsHeld(tx, admin, { policy: id, groups: known.groups }, [known], [draft])
    const values = valuesOf(draft)
    const details = changedValues(valuesOf(known), values)
    const next = nextVersion(before, admin.by, Object.keys(details))
    await updatePolicyRow(tx, owner, known, values, next)
    if (holdsEveryAction([known])) await requireFullPowerAdminLeft(tx)
    await recordAudit(tx, { ...admin.by, account: owner, action: 'policy changed', subject: draft.name, details })
    return toPolicy({ ...known, ...values, version: next.version }, admin)
  })
}

/** @throws not_found; in_use while a group holds it */
export async function deletePolicy(db: Db, asking: Administrator, id: string): Promise<void> {
  await withAccessLockOn(db, asking, policyOf(id), async (tx, admin, policy) => {
    if (isBuiltIn(id)) throw new AppError('in_use', undefined, 'This policy is built in and cannot be deleted.')
    if (policy.groups.length > 0) {
      throw new AppError('in_use', undefined, 'A group holds this policy, so it cannot be deleted.')
    }
    requireHeld(admin, rightsOf([policy]))
    await deletePolicyRow(tx, policy.owner, id)
    const { owner, name } = policy
    const details = { ...valuesOf(policy), isAdmin: policy.isAdmin }
    await recordAudit(tx, { ...admin.by, account: owner, action: 'policy deleted', subject: name, details })
  })
}

const policyOf = (id: string) => (db: Db, admin: Administrator) => requireVisiblePolicy(db, admin, id)

/** @throws not_found, also for a policy that the administrator cannot see */
export async function requireVisiblePolicy(db: Db, admin: Administrator, id: string): Promise<PolicyRow> {
  const policy = (await visiblePolicies(db, admin)).find((row) => row.id === id.toLowerCase())
  if (!policy) throw new AppError('not_found')
  return policy
}

/** Rejects the names of features: they select those features in impersonation links, and other products read them. */
function requireOwnName({ name }: Draft): void {
  const reserved: readonly string[] = [...Object.keys(features), ...impersonationFlags]
  if (reserved.includes(foldName(name))) {
    throw invalidField('name', 'This is the name of a feature. Choose another one.')
  }
}

/** @throws invalid_input for a regular expression that cannot be used */
export function requireUsablePatterns({ conditions }: Pick<Draft, 'conditions'>): void {
  conditions.forEach((text, index) => {
    const condition = parseCondition(text)
    const problem = condition?.operator === 'regex' ? patternProblem(condition.value) : null
    if (problem !== null) throw invalidField(`conditions.${index}`, `${messages.invalid} ${problem}`)
  })
}

/** Checks the new conditions. Those the policy already has may stay, however little they grant. */
function requireConditions({ conditions, actions }: Draft, known: readonly string[]): void {
  conditions.forEach((text, index) => {
    const problem = known.includes(text) ? null : conditionProblem(text, actions)
    if (problem !== null) throw invalidField(`conditions.${index}`, problem)
  })
}

async function requireFreeName(db: Db, owner: AccountId | null, name: string, except: string | null): Promise<void> {
  if (!(await isNameTaken(db, owner, 'policies', { name, except }))) return
  const problem = { field: 'name', message: messages.duplicatePolicy }
  throw new AppError('name_taken', [problem], problem.message)
}

function valuesOf({ name, actions, conditions, conditionLogic }: PolicyValues): PolicyValues {
  return { name, actions, conditions, conditionLogic }
}

function toPolicy(row: PolicyRow, { owner, isPowerAdmin }: Administrator): Policy {
  const seen = row.groups.filter(
    (group) => (group.owner === null || group.owner === owner) && (isPowerAdmin || !group.isAdmin),
  )
  return {
    _id: row.id,
    version: row.version,
    name: row.name,
    isAdmin: row.isAdmin,
    actions: row.actions,
    conditions: row.conditions,
    conditionLogic: row.conditionLogic,
    ownerPaid: ownerOnWire(row.owner),
    canBeDeleted: isPowerAdmin && row.groups.length === 0 && !isBuiltIn(row.id),
    groups: byName(seen).map(({ name }) => name),
  }
}
