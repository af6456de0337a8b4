import type { AccountId } from '@portico/contract/identity'
import type { Day, LimitEffect } from '@portico/contract/identities'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'

/** An identity; `account_id` is null when it is global. */
type IdentityTables = {
  identities: {
    id: string
    person_id: string
    account_id: AccountId | null
    user_name: string | null
    access_to_all_sub_accounts: boolean
    is_disabled: boolean
    days: string[]
    days_effect: string | null
    hours: number[]
    hours_effect: string | null
    cidr: string | null
  }
  identity_groups: { identity_id: string; group_id: string }
  impersonations: { person_id: string; account_id: AccountId; revoked_at: Date | null }
}

/** What of an identity can be changed, besides its groups. */
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

export type CredentialRow = {
  number: number
  accessKey: string
  isActive: boolean
  /** ISO 8601 with an offset. */
  createdAt: string
  lastUsedAt: string | null
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
    policies: { id: string; name: string; actions: string[] }[]
  }[]
  credentials: CredentialRow[]
}

/** The identities of an account, and the global ones where asked for; one of them when its id is given. */
export async function selectIdentities(
  db: Db,
  account: AccountId,
  { withGlobal, id = null }: { withGlobal: boolean; id?: string | null },
): Promise<IdentityRow[]> {
  const { rows } = await sql<IdentityRow>`
    SELECT i.id, i.person_id AS "personId", i.account_id AS account, p.email, i.user_name AS "userName",
      i.access_to_all_sub_accounts AS "accessToAllSubAccounts", i.is_disabled AS "isDisabled", i.days,
      i.days_effect AS "daysEffect", i.hours, i.hours_effect AS "hoursEffect", i.cidr,
      p.password_hash IS NOT NULL AS "hasPassword", p.last_sign_in_at AS "lastSignInAt",
      belongs.groups, may.credentials
    FROM portico.identities i
    JOIN portico.persons p ON p.id = i.person_id
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'isAdmin', g.is_admin,
        'owner', g.account_id, 'policies', (
          SELECT coalesce(json_agg(json_build_object('id', pol.id, 'name', pol.name, 'actions', pol.actions)), '[]')
          FROM portico.group_policies gp JOIN portico.policies pol ON pol.id = gp.policy_id WHERE gp.group_id = g.id
        ))), '[]') AS groups
      FROM portico.identity_groups ig JOIN portico.groups g ON g.id = ig.group_id WHERE ig.identity_id = i.id
    ) belongs
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('number', c.number, 'accessKey', c.access_key,
        'isActive', c.is_active, 'createdAt', c.created_at, 'lastUsedAt', c.last_used_at) ORDER BY c.number), '[]')
        AS credentials
      FROM portico.api_credentials c WHERE c.identity_id = i.id
    ) may
    WHERE (i.account_id = ${account} OR (${withGlobal} AND i.account_id IS NULL))
      AND (${id}::uuid IS NULL OR i.id = ${id}::uuid)
    ORDER BY lower(p.email), i.account_id NULLS FIRST`.execute(db)
  return rows
}

/** Answers false, and changes nothing, when the person has an identity there already. */
export async function insertIdentity(
  db: Db,
  account: AccountId | null,
  id: string,
  values: IdentityValues,
): Promise<boolean> {
  const inserted = await control<IdentityTables>(db)
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
  await control<IdentityTables>(db)
    .updateTable('identities')
    .set(columnsOf(values))
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

function columnsOf(values: IdentityValues): Omit<IdentityTables['identities'], 'id' | 'account_id'> {
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

/** Whether the person has an identity there, besides the one named. */
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

/** Makes these the groups of an identity of that account, and no others. */
export async function updateIdentityGroups(
  db: Db,
  account: AccountId | null,
  id: string,
  groups: readonly string[],
): Promise<void> {
  await sql`
    DELETE FROM portico.identity_groups ig USING portico.identities i
    WHERE i.id = ig.identity_id AND i.id = ${id} AND i.account_id IS NOT DISTINCT FROM ${account}::integer`.execute(db)
  await control<IdentityTables>(db)
    .insertInto('identity_groups')
    .values(groups.map((group) => ({ identity_id: id, group_id: group })))
    .execute()
}

/** Its groups and credentials go with it. */
export async function deleteIdentity(db: Db, account: AccountId | null, id: string): Promise<void> {
  await control<IdentityTables>(db)
    .deleteFrom('identities')
    .where('id', '=', id)
    .where('account_id', account === null ? 'is' : '=', account)
    .execute()
}

/** Ends the impersonation links that a person has made in the account, or (null) in any. */
export async function revokeImpersonationsOf(
  db: Db,
  account: AccountId | null,
  personId: string,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE portico.impersonations SET revoked_at = ${now}
    WHERE person_id = ${personId} AND revoked_at IS NULL AND (${account}::integer IS NULL OR account_id = ${account})`.execute(
    db,
  )
}

/**
 * Ends the sessions of the person who has this identity in the account, or (null) everywhere. A session is of no one
 * account, so all end. Answers how many.
 */
export async function revokeSessionsOf(db: Db, account: AccountId | null, id: string, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE portico.sessions s SET revoked_at = ${now} FROM portico.identities i
    WHERE i.id = ${id} AND i.account_id IS NOT DISTINCT FROM ${account}::integer AND s.person_id = i.person_id
      AND s.revoked_at IS NULL AND s.expires_at > ${now}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Whether somebody who can sign in is a power admin, besides the identity named. */
export async function hasOtherPowerAdmin(db: Db, except: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM portico.identities i
    JOIN portico.persons p ON p.id = i.person_id
    JOIN portico.identity_groups ig ON ig.identity_id = i.id
    JOIN portico.groups g ON g.id = ig.group_id
    WHERE i.account_id IS NULL AND NOT i.is_disabled AND g.is_admin AND p.password_hash IS NOT NULL
      AND i.id <> ${except} LIMIT 1`.execute(db)
  return rows.length > 0
}
