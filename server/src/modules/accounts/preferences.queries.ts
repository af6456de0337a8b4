import type { AccountId } from '@portico/contract/identity'
import type { AccountPreferences } from '@portico/contract/preferences'
import { sql } from 'kysely'
import { control, type Db, isUniqueViolation } from '#platform/database.ts'

type AccountTables = {
  accounts: {
    id: AccountId
    name: string
    time_zone: string
    suspended_at: Date | null
    menus: string
    timeout_minutes: number
    requires_two_factor: boolean
  }
}

export type AccountDetails = {
  id: AccountId
  name: string
  parentId: AccountId | null
  parentName: string | null
  timeZone: string
  suspendedAt: Date | null
  createdAt: Date
  /** Global ones are not counted. */
  identities: number
  powerUsers: string[]
}

/** The account, or (null) all of them. */
export async function selectAccountDetails(db: Db, account: AccountId | null): Promise<AccountDetails[]> {
  const { rows } = await sql<AccountDetails>`
    SELECT a.id, a.name, a.parent_id AS "parentId", parent.name AS "parentName", a.time_zone AS "timeZone",
      a.suspended_at AS "suspendedAt", a.created_at AS "createdAt",
      (SELECT count(*)::integer FROM portico.identities i WHERE i.account_id = a.id) AS identities,
      ARRAY(
        SELECT p.email FROM portico.identities i JOIN portico.persons p ON p.id = i.person_id
        WHERE i.account_id = a.id AND NOT i.is_disabled AND EXISTS (
          SELECT FROM portico.identity_groups ig
          JOIN portico.group_policies gp ON gp.group_id = ig.group_id
          JOIN portico.policies pol ON pol.id = gp.policy_id
          WHERE ig.identity_id = i.id AND '*::*::*' = ANY (pol.actions))
        ORDER BY lower(p.email) LIMIT 10
      ) AS "powerUsers"
    FROM portico.accounts a LEFT JOIN portico.accounts parent ON parent.id = a.parent_id
    WHERE ${account}::integer IS NULL OR a.id = ${account}`.execute(db)
  return rows
}

/** Answers false, and changes nothing, when another account has the name. */
export async function updateAccount(
  db: Db,
  account: AccountId,
  { name, timeZone, suspendedAt }: Pick<AccountDetails, 'name' | 'timeZone' | 'suspendedAt'>,
): Promise<boolean> {
  try {
    await control<AccountTables>(db)
      .updateTable('accounts')
      .set({ name, time_zone: timeZone, suspended_at: suspendedAt })
      .where('id', '=', account)
      .execute()
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

export async function selectPreferences(db: Db, account: AccountId): Promise<AccountPreferences> {
  const { rows } = await sql<AccountPreferences>`
    SELECT menus, timeout_minutes AS timeout, requires_two_factor AS "requiresTwoFactor"
    FROM portico.accounts WHERE id = ${account}`.execute(db)
  const [preferences] = rows
  if (!preferences) throw new Error(`account ${account} has gone`)
  return preferences
}

export async function updatePreferences(db: Db, account: AccountId, preferences: AccountPreferences): Promise<void> {
  await control<AccountTables>(db)
    .updateTable('accounts')
    .set({
      menus: JSON.stringify(preferences.menus),
      timeout_minutes: preferences.timeout,
      requires_two_factor: preferences.requiresTwoFactor,
    })
    .where('id', '=', account)
    .execute()
}
