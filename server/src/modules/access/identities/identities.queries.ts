import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import type { Day, LimitEffect } from '@portico/contract/identities'
import { foldName, isSameName } from '@portico/domain/names'
import { type RawBuilder, sql } from 'kysely'
import { accountsAs } from '#accounts'
import { emailOrder, hasPassword, personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import type { Policy } from '../evaluator/granted-actions.ts'
import type { Tables } from '../tables.ts'
import { holderText } from '../evaluator/holder.ts'
import { isAccepted, serviceActor } from './identity-sql.ts'

/** The holder of an identity: a person, or (`personId` null) a service with a name. */
export type IdentityHolder = { personId: string; serviceName: null } | { personId: null; serviceName: string }

/** The values of an identity that can be changed, besides its groups. */
export type IdentityValues = IdentityHolder & {
  userName: string | null
  accessToAllSubAccounts: boolean
  isDisabled: boolean
  days: Day[]
  daysEffect: LimitEffect | null
  hours: number[]
  hoursEffect: LimitEffect | null
  cidr: string | null
  /** The contacts that it may see; null for all contacts. */
  rowRule: Stages | null
}

export type IdentityRow = IdentityValues & {
  id: string
  version: number
  account: AccountId | null
  /** Of a service identity: its name in the audit log. */
  email: string
  hasPassword: boolean
  isAccepted: boolean
  /** Sessions started before this moment cannot use the identity. */
  sessionsEndedAt: Date | null
  lastSignInAt: Date | null
  groups: {
    id: string
    name: string
    isAdmin: boolean
    owner: AccountId | null
    policies: (Policy & { id: string })[]
  }[]
}

/** The identities that meet a condition on `i`: people by email, then services by name; the global one of each first. */
export const identityRows = (condition: RawBuilder<unknown>): RawBuilder<IdentityRow> => sql<IdentityRow>`
  SELECT i.id, i.version, i.person_id AS "personId", i.service_name AS "serviceName", i.account_id AS account,
    coalesce(p.email, ${sql.raw(serviceActor('i'))}) AS email, i.user_name AS "userName",
    i.access_to_all_sub_accounts AS "accessToAllSubAccounts", i.is_disabled AS "isDisabled", i.days,
    i.days_effect AS "daysEffect", i.hours, i.hours_effect AS "hoursEffect", i.cidr, i.row_rule AS "rowRule",
    ${sql.raw(hasPassword('p'))} AS "hasPassword", ${sql.raw(isAccepted('i'))} AS "isAccepted",
    i.sessions_ended_at AS "sessionsEndedAt",
    CASE WHEN i.account_id IS NULL THEN p.last_sign_in_at ELSE i.last_entered_at END AS "lastSignInAt",
    belongs.groups
  FROM portico.identities i
  LEFT JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
  CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'isAdmin', g.is_admin,
      'owner', g.account_id, 'policies', (
        SELECT coalesce(json_agg(json_build_object('id', pol.id, 'name', pol.name, 'actions', pol.actions, 'conditions', pol.conditions, 'conditionLogic', pol.condition_logic)), '[]')
        FROM portico.group_policies gp JOIN portico.policies pol ON pol.id = gp.policy_id WHERE gp.group_id = g.id
      ))), '[]') AS groups
    FROM portico.identity_groups ig JOIN portico.groups g ON g.id = ig.group_id WHERE ig.identity_id = i.id
  ) belongs
  WHERE ${condition}
  ORDER BY i.service_name IS NOT NULL, ${sql.raw(emailOrder('p'))}, i.service_name_key, i.account_id NULLS FIRST`

/** The identities of an account, with global ones on request; only the one with `id` when given. */
export async function selectIdentities(
  db: Db,
  account: AccountId,
  { withGlobal, id = null }: { withGlobal: boolean; id?: string | null },
): Promise<IdentityRow[]> {
  const { rows } = await identityRows(sql`(i.account_id = ${account} OR (${withGlobal} AND i.account_id IS NULL))
    AND (${id}::uuid IS NULL OR i.id = ${id}::uuid)`).execute(db)
  return rows
}

/** The policies of all groups of all identities of a person, global ones included, each once. */
export async function selectPoliciesOfPerson(db: Db, personId: string): Promise<Policy[]> {
  const { rows } = await sql<Policy>`
    SELECT pol.name, pol.actions, pol.conditions, pol.condition_logic AS "conditionLogic"
    FROM portico.policies pol WHERE pol.id IN (
      SELECT gp.policy_id FROM portico.identities i
      JOIN portico.identity_groups ig ON ig.identity_id = i.id
      JOIN portico.group_policies gp ON gp.group_id = ig.group_id
      WHERE i.person_id = ${personId})`.execute(db)
  return rows
}

/** The inviter in words; a null invitation means that the operator vouches for the identity. */
export type Invitation = { by: string }

/**
 * Adds an identity; if there is an invitation, the person still has to accept it. Returns false, and changes nothing,
 * when the person already has one there.
 */
export async function insertIdentity(
  db: Db,
  account: AccountId | null,
  id: string,
  { values, invitation }: { values: IdentityValues; invitation: Invitation | null },
): Promise<boolean> {
  const unused = { sessions_ended_at: null, last_entered_at: null }
  const acceptance = { accepted_at: invitation ? null : new Date(), invited_by: invitation?.by ?? null, ...unused }
  const inserted = await control<Tables>(db)
    .insertInto('identities')
    .values({ id, account_id: account, ...columnsOf(values, null), ...acceptance })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function updateIdentity(
  db: Db,
  account: AccountId | null,
  { id, serviceName: before }: Pick<IdentityRow, 'id' | 'serviceName'>,
  values: IdentityValues,
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('identities')
    .set({ ...columnsOf(values, before), ...next })
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

/** `before`: the current name of a service identity. An equal name keeps its key, as in `changedNameColumns`. */
function columnsOf(values: IdentityValues, before: string | null) {
  const { serviceName } = values
  const keepsKey = serviceName !== null && before !== null && isSameName(serviceName, before)
  return {
    person_id: values.personId,
    service_name: serviceName,
    ...(!keepsKey && { service_name_key: serviceName && foldName(serviceName) }),
    user_name: values.userName,
    access_to_all_sub_accounts: values.accessToAllSubAccounts,
    is_disabled: values.isDisabled,
    days: values.days,
    days_effect: values.daysEffect,
    hours: values.hours,
    hours_effect: values.hoursEffect,
    cidr: values.cidr,
    row_rule: values.rowRule && JSON.stringify(values.rowRule),
  }
}

/** Makes an identity wait again until its person accepts it: they were invited again, or the person has changed. */
export async function updateIdentityInvited(
  db: Db,
  account: AccountId | null,
  id: string,
  { invitation: { by }, isHandedOver }: { invitation: Invitation; isHandedOver: boolean },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('identities')
    .set({ invited_by: by, ...(isHandedOver && { accepted_at: null, sessions_ended_at: null, last_entered_at: null }) })
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

/** Sessions started before `at` can no longer use the identity. */
export async function updateSessionsEnded(db: Db, account: AccountId, id: string, at: Date): Promise<void> {
  await control<Tables>(db)
    .updateTable('identities')
    .set({ sessions_ended_at: at })
    .where('id', '=', id)
    .where('account_id', '=', account)
    .execute()
}

/**
 * The id of the account's service identity with exactly this name, else one whose name compares equal; null if there is
 * none.
 */
export async function selectServiceIdentity(db: Db, account: AccountId, name: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM portico.identities
    WHERE account_id = ${account} AND (service_name_key = ${foldName(name)} OR service_name = ${name})
    ORDER BY service_name = ${name} DESC LIMIT 1`.execute(db)
  return rows[0]?.id ?? null
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

/** Deletes an identity with its group memberships and API credentials. */
export async function deleteIdentity(db: Db, account: AccountId | null, id: string): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('identities')
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

/** Records when a person last entered `account` with their identity there, or else with the one in its parent. */
export async function updateLastEntered(db: Db, account: AccountId, personId: string, at: Date): Promise<void> {
  await sql`
    UPDATE portico.identities SET last_entered_at = ${at} WHERE id = (
      SELECT i.id FROM portico.identities i JOIN ${sql.raw(accountsAs('a'))} ON a.id = ${account}
      WHERE i.person_id = ${personId} AND ${sql.raw(isAccepted('i'))} AND NOT i.is_disabled
        AND (i.account_id = a.id OR (i.account_id = a.parent_id AND i.access_to_all_sub_accounts))
      ORDER BY i.account_id <> a.id LIMIT 1)`.execute(db)
}

/** The holder for items that a person stores with their own identity in an account; null if they have none there. */
export async function selectOwnHolder(db: Db, account: AccountId, person: string): Promise<string | null> {
  const row = await control<Tables>(db)
    .selectFrom('identities')
    .select('id')
    .where('account_id', '=', account)
    .where('person_id', '=', person)
    .executeTakeFirst()
  return row ? holderText({ kind: 'identity', identity: row.id, person }) : null
}
