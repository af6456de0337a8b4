import type { AccountId } from '@portico/contract/accounts'
import { foldName } from '@portico/domain/names'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import { changedNameColumns, nameColumns } from '#platform/name-columns.ts'
import type { Policy } from '../evaluator/granted-actions.ts'
import type { Tables } from '../tables.ts'

export type GroupRow = {
  id: string
  version: number
  owner: AccountId | null
  name: string
  isAdmin: boolean
  policies: (Policy & { id: string; isAdmin: boolean })[]
  /** Whether an identity of any account belongs to the group. */
  isInUse: boolean
}

/** The global groups and those that `account` owns. */
export async function selectGroups(db: Db, account: AccountId): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`
    SELECT g.id, g.version, g.account_id AS owner, g.name, g.is_admin AS "isAdmin", held.policies,
      EXISTS (SELECT FROM portico.identity_groups ig WHERE ig.group_id = g.id) AS "isInUse"
    FROM portico.groups g
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'isAdmin', p.is_admin,
        'actions', p.actions, 'conditions', p.conditions, 'conditionLogic', p.condition_logic)), '[]') AS policies
      FROM portico.group_policies gp JOIN portico.policies p ON p.id = gp.policy_id WHERE gp.group_id = g.id
    ) held
    WHERE g.account_id IS NULL OR g.account_id = ${account}`.execute(db)
  return rows
}

/** The policies of a group of any owner. */
export async function selectGroupPolicies(db: Db, group: string): Promise<Policy[]> {
  const { rows } = await sql<Policy>`
    SELECT p.name, p.actions, p.conditions, p.condition_logic AS "conditionLogic"
    FROM portico.group_policies gp JOIN portico.policies p ON p.id = gp.policy_id WHERE gp.group_id = ${group}`.execute(
    db,
  )
  return rows
}

/** Whether the account owns a group of this name. */
export async function hasGroupOfName(db: Db, account: AccountId, name: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM portico.groups WHERE name_key = ${foldName(name)} AND account_id = ${account}`.execute(db)
  return rows.length > 0
}

export async function insertGroup(
  db: Db,
  account: AccountId | null,
  group: { id: string; name: string; isAdmin: boolean },
): Promise<void> {
  await control<Tables>(db)
    .insertInto('groups')
    .values({ id: group.id, account_id: account, ...nameColumns(group.name), is_admin: group.isAdmin })
    .execute()
}

export async function updateGroup(
  db: Db,
  account: AccountId | null,
  { id, name: before }: Pick<GroupRow, 'id' | 'name'>,
  { name, ...next }: { name: string; version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('groups')
    .set({ ...changedNameColumns(name, before), ...next })
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

/** Replaces the policies of a group that this owner has. */
export async function updateGroupPolicies(
  db: Db,
  account: AccountId | null,
  id: string,
  policies: readonly string[],
): Promise<void> {
  await sql`
    DELETE FROM portico.group_policies gp USING portico.groups g
    WHERE g.id = gp.group_id AND g.id = ${id} AND g.account_id IS NOT DISTINCT FROM ${account}::integer`.execute(db)
  await control<Tables>(db)
    .insertInto('group_policies')
    .values(policies.map((policy) => ({ group_id: id, policy_id: policy })))
    .execute()
}

export async function deleteGroup(db: Db, account: AccountId | null, id: string): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('groups')
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}
