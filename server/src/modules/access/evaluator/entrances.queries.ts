import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountsAs, requiresTwoFactor } from '#accounts'
import { lacksTwoFactor, personsAs } from '#persons'
import type { Db } from '#platform/database.ts'
import { isAccepted } from '../identities/identity-sql.ts'
import { homeZone, isPersonPowerAdmin } from './access-sql.ts'
import type { HeldIdentity } from './held-identity.ts'
import type { Limits } from './limit.ts'

/** An account, and one identity that gives access to it, with its limits. */
export type Entrance = Limits & {
  id: AccountId
  name: string
  parentId: AccountId | null
  timeZone: string
  isSuspended: boolean
  identityId: string
  /** The identity's account; null for a global one. */
  identityAccount: AccountId | null
  homeZone: HeldIdentity['homeZone']
  /** Belongs to a group of administrators. */
  isAdmin: boolean
}

/** Whether any account that an identity opens requires two-factor, and it is off for the person. */
export async function lacksFactorIn(db: Db, personId: string, identityId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM ${sql.raw(accountsAs('a'))} JOIN portico.identities i ON ${sql.raw(opensAccount)}
    JOIN ${sql.raw(personsAs('p'))} ON p.id = ${personId}
    WHERE i.id = ${identityId} AND ${sql.raw(`${lacksTwoFactor('p')} AND ${requiresTwoFactor('a', isPersonPowerAdmin)}`)}
    LIMIT 1`.execute(db)
  return rows.length > 0
}

/** The accounts that require two-factor, if it is off for the person. */
export async function selectAccountsLackingFactor(db: Db, personId: string): Promise<AccountId[]> {
  const { rows } = await sql<{ id: AccountId }>`
    SELECT a.id FROM ${sql.raw(accountsAs('a'))} JOIN ${sql.raw(personsAs('p'))} ON p.id = ${personId}
    WHERE ${sql.raw(`${lacksTwoFactor('p')} AND ${requiresTwoFactor('a', isPersonPowerAdmin)}`)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether an identity of `account` (null: a global one) opens any of these accounts. */
export async function opensAny(
  db: Db,
  { account, reachesSubAccounts }: { account: AccountId | null; reachesSubAccounts: boolean },
  accounts: readonly AccountId[],
): Promise<boolean> {
  if (account === null || accounts.length === 0) return accounts.length > 0
  const { rows } = await sql`
    SELECT FROM ${sql.raw(accountsAs('a'))} WHERE a.id = ANY (${accounts}::integer[])
      AND (a.id = ${account} OR (a.parent_id = ${account} AND ${reachesSubAccounts}::boolean))
    LIMIT 1`.execute(db)
  return rows.length > 0
}

/** SQL: whether the identity `i` opens the account `a`. */
const opensAccount = `(i.account_id IS NULL OR i.account_id = a.id
  OR (i.account_id = a.parent_id AND i.access_to_all_sub_accounts))`

/** Selects all identities of a person, or one identity. */
export type Holder = { personId: string } | { identityId: string }

/**
 * The accounts that these identities give access to: through an identity there, one in the parent with access to all
 * sub-accounts, or a global one. Disabled identities and those not accepted give no access.
 */
export async function selectEntrances(db: Db, holder: Holder): Promise<Entrance[]> {
  const held = 'personId' in holder ? sql`i.person_id = ${holder.personId}` : sql`i.id = ${holder.identityId}`
  const { rows } = await sql<Entrance>`
    SELECT a.id, a.name, a.parent_id AS "parentId", a.time_zone AS "timeZone", a.suspended_at IS NOT NULL AS "isSuspended",
      i.id AS "identityId", i.account_id AS "identityAccount", ${sql.raw(homeZone)} AS "homeZone",
      i.days, i.days_effect AS "daysEffect", i.hours, i.hours_effect AS "hoursEffect", i.cidr,
      EXISTS (
        SELECT FROM portico.identity_groups ig JOIN portico.groups g ON g.id = ig.group_id
        WHERE ig.identity_id = i.id AND g.is_admin
      ) AS "isAdmin"
    FROM ${sql.raw(accountsAs('a'))}
    JOIN portico.identities i ON ${sql.raw(opensAccount)}
    WHERE ${held} AND NOT i.is_disabled AND ${sql.raw(isAccepted('i'))}`.execute(db)
  return rows
}
