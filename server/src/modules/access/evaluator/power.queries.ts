import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { emailOrder, hasPassword, personsAs } from '#persons'
import type { Db } from '#platform/database.ts'
import { isAccepted } from '../identities/identity-sql.ts'
import { holdsEveryActionSql, isPowerAdminSql } from './power.ts'

const powerAdmins: RawBuilder<unknown> = sql`
  portico.identities i
  JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
  JOIN portico.identity_groups ig ON ig.identity_id = i.id
  JOIN portico.groups g ON g.id = ig.group_id
  WHERE ${sql.raw(isPowerAdminSql('i', 'g.is_admin'))}`

const holdsEveryAction = sql`NOT i.is_disabled AND EXISTS (
  SELECT FROM portico.identity_groups ig
  JOIN portico.group_policies gp ON gp.group_id = ig.group_id
  JOIN portico.policies pol ON pol.id = gp.policy_id
  WHERE ig.identity_id = i.id AND ${sql.raw(holdsEveryActionSql('pol'))}
)`

/** Whether there is a power admin, with or without a password. */
export async function hasPowerAdmin(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT FROM ${powerAdmins} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Whether another power admin than the identity `except` holds everything, for all contacts, and can sign in. */
export async function hasOtherPowerAdmin(db: Db, except: string | null): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM ${powerAdmins} AND ${sql.raw(hasPassword('p'))} AND i.id IS DISTINCT FROM ${except}::uuid
      AND i.row_rule IS NULL AND ${holdsEveryAction} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** The number of identities in an account, without global ones, and the emails of its first ten power users. */
export type AccountMembers = { account: AccountId; identities: number; powerUsers: string[] }

/** For one account, or (null) for every account that has an identity. Identities not accepted yet are included. */
export async function selectAccountMembers(db: Db, account: AccountId | null): Promise<AccountMembers[]> {
  const { rows } = await sql<AccountMembers>`
    SELECT i.account_id AS account, count(*)::integer AS identities,
      coalesce((array_agg(p.email ORDER BY ${sql.raw(emailOrder('p'))}) FILTER (WHERE p.id IS NOT NULL AND ${holdsEveryAction}))[1:10], '{}')
        AS "powerUsers"
    FROM portico.identities i LEFT JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
    WHERE i.account_id IS NOT NULL AND (${account}::integer IS NULL OR i.account_id = ${account})
    GROUP BY i.account_id`.execute(db)
  return rows
}

/** The emails of an account's first ten power users who have accepted their identity. */
export async function selectPowerUsers(db: Db, account: AccountId): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    SELECT p.email FROM portico.identities i JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
    WHERE i.account_id = ${account} AND ${sql.raw(isAccepted('i'))} AND ${holdsEveryAction}
    ORDER BY ${sql.raw(emailOrder('p'))} LIMIT 10`.execute(db)
  return rows.map(({ email }) => email)
}
