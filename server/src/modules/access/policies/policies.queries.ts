import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import { changedNameColumns, nameColumns } from '#platform/name-columns.ts'
import type { Bounds } from '../evaluator/holdings.ts'
import type { Tables } from '../tables.ts'

export type PolicyValues = {
  name: string
  actions: string[]
  conditions: string[]
  conditionLogic: 'and' | 'or'
}

export type PolicyRow = PolicyValues & {
  id: string
  version: number
  owner: AccountId | null
  isAdmin: boolean
  /** All groups that hold the policy, of any owner. */
  groups: { name: string; isAdmin: boolean; owner: AccountId | null }[]
}

/** The global policies and those that `account` owns. */
export async function selectPolicies(db: Db, account: AccountId): Promise<PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    SELECT p.id, p.version, p.account_id AS owner, p.name, p.is_admin AS "isAdmin", p.actions, p.conditions,
      p.condition_logic AS "conditionLogic", held.groups
    FROM portico.policies p
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('name', g.name, 'isAdmin', g.is_admin, 'owner', g.account_id)), '[]')
        AS groups
      FROM portico.group_policies gp JOIN portico.groups g ON g.id = gp.group_id WHERE gp.policy_id = p.id
    ) held
    WHERE p.account_id IS NULL OR p.account_id = ${account}`.execute(db)
  return rows
}

/**
 * The limits of the identities that hold a policy through their groups, each combination once. All accounts are
 * included, since a policy is held wherever its owner's items are visible.
 */
export async function selectHolderLimits(db: Db, of: { policy: string } | { group: string }): Promise<Bounds[]> {
  const { rows } = await sql<Bounds>`
    SELECT DISTINCT i.days, i.days_effect AS "daysEffect", i.hours, i.hours_effect AS "hoursEffect", i.cidr,
      i.row_rule AS "rowRule"
    FROM portico.identities i
    JOIN portico.identity_groups ig ON ig.identity_id = i.id
    WHERE ${
      'group' in of
        ? sql`ig.group_id = ${of.group}`
        : sql`ig.group_id IN (SELECT group_id FROM portico.group_policies WHERE policy_id = ${of.policy})`
    }`.execute(db)
  return rows
}

export async function insertPolicy(
  db: Db,
  account: AccountId | null,
  policy: PolicyValues & { id: string; isAdmin: boolean },
): Promise<void> {
  const { id, name, isAdmin, actions, conditions, conditionLogic } = policy
  await control<Tables>(db)
    .insertInto('policies')
    .values({
      id,
      account_id: account,
      ...nameColumns(name),
      is_admin: isAdmin,
      actions,
      conditions,
      condition_logic: conditionLogic,
    })
    .execute()
}

export async function updatePolicy(
  db: Db,
  account: AccountId | null,
  { id, name: before }: Pick<PolicyRow, 'id' | 'name'>,
  { name, actions, conditions, conditionLogic }: PolicyValues,
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('policies')
    .set({ ...changedNameColumns(name, before), actions, conditions, condition_logic: conditionLogic, ...next })
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

export async function deletePolicy(db: Db, account: AccountId | null, id: string): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('policies')
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}
