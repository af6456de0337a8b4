import type { AccountId } from '@portico/contract/identity'
import type pg from 'pg'
import type { HeldIdentity, HeldPolicy } from './access-judgement.ts'

/** What a person is and holds, on one account or (`account_id` null) before one is chosen. */
export type AccessRow = {
  person_id: string
  email: string
  user_name: string | null
  photo_url: string | null
  account_id: AccountId | null
  parent_id: AccountId | null
  time_zone: string | null
  fields_version: number | null
  is_suspended: boolean
  /** The account or the deployment asks for two-factor, and the person has none. Programs are not asked. */
  lacks_two_factor?: boolean
  menus: Record<string, string[]> | null
  timeout_minutes: number | null
  /** Those that lead into the account: its own, its parent's, a global one. Disabled ones too. */
  identities: HeldIdentity[]
}

/** The same for the holder of a session. */
export type SessionRow = AccessRow & {
  session_id: string
  last_seen_at: Date
  expires_at: Date
  revoked_at: Date | null
}

/** The same for a program, with the one identity that its credential belongs to. */
export type CredentialRow = AccessRow & {
  identity_id: string
  number: number
  secret_hash: string
  is_active: boolean
  last_used_at: Date | null
}

/** The same for the maker of an impersonation link. */
export type ImpersonationRow = AccessRow & {
  impersonation_id: string
  /** The only address from which it works. */
  address: string
  /** Chosen names of policies and features; null stands for all. */
  chosen: string[] | null
  expires_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
}

// These run at every request. They go to `pg` under a name, so that PostgreSQL plans them once a connection: planning
// takes several times as long as running them, and Kysely cannot name a statement.

/** The session, whose it is and what its holder has on `account`, in one round trip; null when there is none. */
export async function selectSession(
  pool: pg.Pool,
  sessionId: string,
  account: AccountId | null,
): Promise<SessionRow | null> {
  const { rows } = await pool.query<SessionRow>({
    name: 'select session',
    text: `SELECT s.id AS session_id, s.last_seen_at, s.expires_at, s.revoked_at, ${personColumns}
      FROM portico.sessions s JOIN portico.persons p ON p.id = s.person_id ${accessJoins('$2')} WHERE s.id = $1`,
    values: [sessionId, account],
  })
  return firstOf(rows)
}

export async function selectAccess(
  pool: pg.Pool,
  account: AccountId | null,
  personId: string,
): Promise<AccessRow | null> {
  const { rows } = await pool.query<AccessRow>({
    name: 'select access',
    text: `SELECT ${personColumns} FROM portico.persons p ${accessJoins('$2')} WHERE p.id = $1`,
    values: [personId, account],
  })
  return firstOf(rows)
}

/** The API credential of this key, on `account`, or (null) on the identity's own; null when there is none. */
export async function selectCredential(
  pool: pg.Pool,
  accessKey: string,
  account: AccountId | null,
): Promise<CredentialRow | null> {
  const { rows } = await pool.query<CredentialRow>({
    name: 'select credential',
    text: `SELECT c.identity_id, c.number, c.secret_hash, c.is_active, c.last_used_at, ${accessColumns}
      FROM portico.api_credentials c
      JOIN portico.identities ci ON ci.id = c.identity_id
      JOIN portico.persons p ON p.id = ci.person_id
      ${accessJoins('coalesce($2, ci.account_id)', 'i.id = ci.id')} WHERE c.access_key = $1`,
    values: [accessKey, account],
  })
  return firstOf(rows)
}

/** The impersonation link, and what its maker has on its account; null when there is none. */
export async function selectImpersonation(pool: pg.Pool, id: string): Promise<ImpersonationRow | null> {
  const { rows } = await pool.query<ImpersonationRow>({
    name: 'select impersonation',
    text: `SELECT m.id AS impersonation_id, m.address, m.policies AS chosen, m.expires_at, m.revoked_at, m.last_used_at,
        ${personColumns}
      FROM portico.impersonations m JOIN portico.persons p ON p.id = m.person_id ${accessJoins('m.account_id')}
      WHERE m.id = $1`,
    values: [id],
  })
  return firstOf(rows)
}

const accessColumns = `
  p.id AS person_id, p.email, p.user_name, p.photo_url,
  a.id AS account_id, a.parent_id, a.time_zone, a.fields_version, a.suspended_at IS NOT NULL AS is_suspended, a.menus, a.timeout_minutes,
  coalesce(held.identities, '[]') AS identities`

const personColumns = `${accessColumns},
  p.two_factor_since IS NULL AND (coalesce(a.requires_two_factor, false) OR
    CASE (SELECT two_factor_of FROM portico.deployment)
      WHEN 'everybody' THEN true WHEN 'power-admins' THEN coalesce(held.is_power_admin, false) ELSE false
    END) AS lacks_two_factor`

/**
 * Expects the person as `p`. `account` is the SQL of the account's id, which may be null; `which` narrows the person's
 * identities `i` down. The account's own identity comes first, the global one last.
 */
function accessJoins(account: string, which = 'true'): string {
  return `
  LEFT JOIN portico.accounts a ON a.id = ${account}
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
      'id', i.id, 'account', i.account_id, 'userName', i.user_name, 'isDisabled', i.is_disabled,
      'isAdmin', coalesce(own.is_admin, false),
      'days', i.days, 'daysEffect', i.days_effect, 'hours', i.hours, 'hoursEffect', i.hours_effect, 'cidr', i.cidr,
      'policies', coalesce(granted.policies, '[]')
    ) ORDER BY i.account_id IS NULL, i.account_id <> a.id) AS identities,
      bool_or(i.account_id IS NULL AND own.is_admin AND NOT i.is_disabled) AS is_power_admin
    FROM portico.identities i
    CROSS JOIN LATERAL (
      SELECT array_agg(g.id) AS group_ids, bool_or(g.is_admin) AS is_admin
      FROM portico.identity_groups ig JOIN portico.groups g ON g.id = ig.group_id WHERE ig.identity_id = i.id
    ) own
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object(
        'id', pol.id, 'name', pol.name, 'isAdmin', pol.is_admin, 'actions', pol.actions, 'conditions', pol.conditions,
        'conditionLogic', pol.condition_logic, 'groups', json_build_array(g.name)
      ) ORDER BY pol.name, pol.id, g.name) AS policies
      FROM portico.group_policies gp
      JOIN portico.groups g ON g.id = gp.group_id
      JOIN portico.policies pol ON pol.id = gp.policy_id
      -- Everybody in an account belongs to the group "everyone" of its parent, or else to the global one.
      WHERE gp.group_id = ANY (own.group_ids || ARRAY (
        SELECT e.id FROM portico.groups e
        WHERE lower(e.name) = 'everyone' AND (e.account_id IS NULL OR e.account_id = a.parent_id)
        ORDER BY e.account_id NULLS LAST LIMIT 1))
    ) granted
    WHERE i.person_id = p.id AND ${which}
      AND (i.account_id IS NULL OR i.account_id = a.id
        OR (i.account_id = a.parent_id AND i.access_to_all_sub_accounts))
  ) held`
}

/** A policy comes once for each group through which it is held: putting these together is quicker here. */
function firstOf<Row extends AccessRow>(rows: Row[]): Row | null {
  const [row] = rows
  if (!row) return null
  const identities = row.identities.map((identity) => ({ ...identity, policies: eachOnce(identity.policies) }))
  return { ...row, identities }
}

/** Expects those that are the same to follow each other. */
function eachOnce(policies: HeldPolicy[]): HeldPolicy[] {
  const found: HeldPolicy[] = []
  for (const policy of policies) {
    const last = found.at(-1)
    if (last?.id === policy.id) last.groups.push(...policy.groups)
    else found.push(policy)
  }
  return found
}
