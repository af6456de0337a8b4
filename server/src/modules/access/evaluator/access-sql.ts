import type { AccountId } from '@portico/contract/accounts'
import { accountFactColumns, accountsAs, requiresTwoFactor, zoneOfAccount } from '#accounts'
import { lacksFactors, lacksTwoFactor, personColumns } from '#persons'
import type { HeldIdentity, HeldPolicy } from './held-identity.ts'
import { holderColumns, isAccepted } from '../identities/identity-sql.ts'
import { isPowerAdminSql } from './power.ts'

// SQL fragments that read a caller with their identities and policies in one round trip. Sessions, API credentials and
// impersonation links join them to their own tables.

/**
 * A person with their identities on one account, or (`account_id` null) before an account is chosen; or a service
 * identity.
 */
export type AccessRow = {
  /** Of a service identity: its own id. */
  person_id: string
  email: string
  user_name: string | null
  photo_url: string | null
  /** Absent for persons. */
  is_service?: boolean
  account_id: AccountId | null
  parent_id: AccountId | null
  time_zone: string | null
  fields_version: number | null
  contacts_version: string | null
  events_until: Date | null
  is_suspended: boolean
  /**
   * True when the account or the deployment requires two-factor, and the person has none and no passkey, or has not
   * shown it in their session. False for service identities.
   */
  lacks_two_factor: boolean
  menus: Record<string, string[]> | null
  timeout_minutes: number | null
  full_screen_is_activity: boolean | null
  /**
   * The accepted identities that give access to the account: its own, its parent's, a global one. Includes disabled
   * ones.
   */
  identities: HeldIdentity[]
}

const accountColumns = `
  ${accountFactColumns('a')},
  coalesce(held.identities, '[]') AS identities`

const twoFactorColumn = (lacks: string, isPowerAdmin: string): string =>
  `p.id IS NOT NULL AND ${lacks} AND ${requiresTwoFactor('a', isPowerAdmin)} AS lacks_two_factor`

/**
 * SQL: whether the person joined as `p` is a power admin. `held` cannot say so when it has one identity only: it lacks
 * the person's others.
 */
export const isPersonPowerAdmin = `EXISTS (
  SELECT FROM portico.identities pi
  JOIN portico.identity_groups pig ON pig.identity_id = pi.id
  JOIN portico.groups pg ON pg.id = pig.group_id
  WHERE pi.person_id = p.id AND ${isPowerAdminSql('pi', 'pg.is_admin')})`

/**
 * The columns of an `AccessRow` of one identity, joined as `identity`: of its person or service. With `accessJoins`.
 */
export const accessColumnsOfIdentity = (identity: string): string =>
  `${holderColumns(identity, 'p')}, ${accountColumns}, ${twoFactorColumn(lacksFactors('p'), isPersonPowerAdmin)}`

/** `homeZone` of the identity joined as `i`. */
export const homeZone = `CASE WHEN cardinality(i.days) + cardinality(i.hours) > 0 THEN ${zoneOfAccount('i.account_id')} END`

const columnsOfPerson = (lacks: string): string =>
  `${personColumns('p')}, ${accountColumns}, ${twoFactorColumn(lacks, 'held.is_power_admin')}`

/** All columns of an `AccessRow` of a person; with `accessJoins`. */
export const accessColumnsOfPerson = columnsOfPerson(lacksFactors('p'))

/**
 * The same in a session of the person. `showsPasskey`: SQL for whether a passkey was shown in it. One that began with
 * the password alone is not helped by passkeys that its person has.
 */
export const accessColumnsOfSession = (showsPasskey: string): string =>
  columnsOfPerson(`${lacksTwoFactor('p')} AND NOT ${showsPasskey}`)

/** A program has no second factor: an API credential works even when its person lacks two-factor (ADR 0042). */
export const asProgram = <Row extends AccessRow>(row: Row): Row => ({ ...row, lacks_two_factor: false })

/**
 * `account` is the SQL of the account's id, which may be null; `which` selects the identities `i`, by default those of
 * the person joined as `p`. The account's own identity comes first, the global one last.
 */
export function accessJoins(account: string, which = 'i.person_id = p.id'): string {
  return `
  LEFT JOIN ${accountsAs('a')} ON a.id = ${account}
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
      'id', i.id, 'account', i.account_id, 'userName', i.user_name, 'isDisabled', i.is_disabled,
      'isAdmin', coalesce(own.is_admin, false), 'accessToAllSubAccounts', i.access_to_all_sub_accounts,
      'rowRule', i.row_rule, 'homeZone', ${homeZone},
      'days', i.days, 'daysEffect', i.days_effect, 'hours', i.hours, 'hoursEffect', i.hours_effect, 'cidr', i.cidr,
      'policies', coalesce(granted.policies, '[]')
    ) ORDER BY i.account_id IS NULL, i.account_id <> a.id) AS identities,
      bool_or(${isPowerAdminSql('i', 'own.is_admin')}) AS is_power_admin
    FROM portico.identities i
    CROSS JOIN LATERAL (
      SELECT array_agg(g.id) AS group_ids, bool_or(g.is_admin) AS is_admin
      FROM portico.identity_groups ig JOIN portico.groups g ON g.id = ig.group_id WHERE ig.identity_id = i.id
    ) own
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object(
        'id', pol.id, 'name', pol.name, 'isAdmin', pol.is_admin, 'actions', pol.actions, 'conditions', pol.conditions,
        'conditionLogic', pol.condition_logic, 'groups', json_build_array(g.name),
        'isAssigned', coalesce(g.id = ANY (own.group_ids), false)
      ) ORDER BY pol.name, pol.id, g.name) AS policies
      FROM portico.group_policies gp
      JOIN portico.groups g ON g.id = gp.group_id
      JOIN portico.policies pol ON pol.id = gp.policy_id
      -- Everyone in an account belongs to the group "everyone" of its parent, or else to the global one.
      WHERE gp.group_id = ANY (own.group_ids || ARRAY (
        SELECT e.id FROM portico.groups e
        WHERE e.name_key = 'everyone' AND (e.account_id IS NULL OR e.account_id = a.parent_id)
        ORDER BY e.account_id NULLS LAST LIMIT 1))
    ) granted
    WHERE ${which} AND ${isAccepted('i')}
      AND (i.account_id IS NULL OR i.account_id = a.id
        OR (i.account_id = a.parent_id AND i.access_to_all_sub_accounts))
  ) held`
}

/** Returns the first row, or null if there is none. */
export function firstAccessRow<Row extends AccessRow>(rows: Row[]): Row | null {
  const [row] = rows
  return row ? readAccessRow(row) : null
}

/** SQL returns a policy once per group through which it is held; merging them is faster here than in SQL. */
export function readAccessRow<Row extends AccessRow>(row: Row): Row {
  const identities = row.identities.map((identity) => ({ ...identity, policies: eachOnce(identity.policies) }))
  return { ...row, identities }
}

/** Expects equal policies to be adjacent. */
function eachOnce(policies: HeldPolicy[]): HeldPolicy[] {
  const found: HeldPolicy[] = []
  for (const policy of policies) {
    const last = found.at(-1)
    if (last?.id === policy.id) {
      last.groups.push(...policy.groups)
      last.isAssigned ||= policy.isAssigned
    } else found.push(policy)
  }
  return found
}
