import type { AccountId } from '@portico/contract/accounts'
import type { Day, LimitEffect } from '@portico/contract/identities'
import { sql } from 'kysely'
import { hasPassword, personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from '../tables.ts'

/** The values of an identity that can be changed, besides its groups. */
export type IdentityValues = {
  personId: string
  userName: string | null
  accessToAllSubAccounts: boolean
  isDisabled: boolean
  days: Day[]
  daysEffect: LimitEffect | null
  hours: number[]
  hoursEffect: LimitEffect | null
  cidr: string | null
}

export type IdentityRow = IdentityValues & {
  id: string
  account: AccountId | null
  email: string
  hasPassword: boolean
  lastSignInAt: Date | null
  groups: {
    id: string
    name: string
    isAdmin: boolean
    owner: AccountId | null
    policies: { id: string; name: string; actions: string[]; conditions: string[] }[]
  }[]
}

/** The identities of an account, with global ones on request; only the one with `id` when given. */
export async function selectIdentities(
  db: Db,
  account: AccountId,
  { withGlobal, id = null }: { withGlobal: boolean; id?: string | null },
): Promise<IdentityRow[]> {
  const { rows } = await sql<IdentityRow>`
    SELECT i.id, i.person_id AS "personId", i.account_id AS account, p.email, i.user_name AS "userName",
      i.access_to_all_sub_accounts AS "accessToAllSubAccounts", i.is_disabled AS "isDisabled", i.days,
      i.days_effect AS "daysEffect", i.hours, i.hours_effect AS "hoursEffect", i.cidr,
      ${sql.raw(hasPassword('p'))} AS "hasPassword", p.last_sign_in_at AS "lastSignInAt",
      belongs.groups
    FROM portico.identities i
    JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'isAdmin', g.is_admin,
        'owner', g.account_id, 'policies', (
          SELECT coalesce(json_agg(json_build_object('id', pol.id, 'name', pol.name, 'actions', pol.actions, 'conditions', pol.conditions)), '[]')
          FROM portico.group_policies gp JOIN portico.policies pol ON pol.id = gp.policy_id WHERE gp.group_id = g.id
        ))), '[]') AS groups
      FROM portico.identity_groups ig JOIN portico.groups g ON g.id = ig.group_id WHERE ig.identity_id = i.id
    ) belongs
    WHERE (i.account_id = ${account} OR (${withGlobal} AND i.account_id IS NULL))
      AND (${id}::uuid IS NULL OR i.id = ${id}::uuid)
    ORDER BY lower(p.email), i.account_id NULLS FIRST`.execute(db)
  return rows
}

/** Returns false, and changes nothing, when the person already has an identity there. */
export async function insertIdentity(
  db: Db,
  account: AccountId | null,
  id: string,
  values: IdentityValues,
): Promise<boolean> {
  const inserted = await control<Tables>(db)
    .insertInto('identities')
    .values({ id, account_id: account, ...columnsOf(values) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function updateIdentity(
  db: Db,
  account: AccountId | null,
  id: string,
  values: IdentityValues,
): Promise<void> {
  await control<Tables>(db)
    .updateTable('identities')
    .set(columnsOf(values))
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

function columnsOf(values: IdentityValues): Omit<Tables['identities'], 'id' | 'account_id'> {
  return {
    person_id: values.personId,
    user_name: values.userName,
    access_to_all_sub_accounts: values.accessToAllSubAccounts,
    is_disabled: values.isDisabled,
    days: values.days,
    days_effect: values.daysEffect,
    hours: values.hours,
    hours_effect: values.hoursEffect,
    cidr: values.cidr,
  }
}

/** Whether the person has an identity there, other than `except`. */
export async function hasIdentity(
  db: Db,
  account: AccountId | null,
  personId: string,
  except: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM portico.identities
    WHERE person_id = ${personId} AND account_id IS NOT DISTINCT FROM ${account}::integer
      AND id IS DISTINCT FROM ${except}::uuid`.execute(db)
  return rows.length > 0
}

/** Sets the groups of an identity of that account. */
export async function updateIdentityGroups(
  db: Db,
  account: AccountId | null,
  id: string,
  groups: readonly string[],
): Promise<void> {
  await sql`
    DELETE FROM portico.identity_groups ig USING portico.identities i
    WHERE i.id = ig.identity_id AND i.id = ${id} AND i.account_id IS NOT DISTINCT FROM ${account}::integer`.execute(db)
  if (groups.length === 0) return
  await control<Tables>(db)
    .insertInto('identity_groups')
    .values(groups.map((group) => ({ identity_id: id, group_id: group })))
    .execute()
}

/** Deletes its groups and API credentials with it. */
export async function deleteIdentity(db: Db, account: AccountId | null, id: string): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('identities')
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}
