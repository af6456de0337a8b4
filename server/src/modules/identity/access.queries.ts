import type { AccountId } from '@portico/contract/identity'
import type pg from 'pg'
import type { Policy } from './granted-actions.ts'

/** What a person is and may do, on one account or (`account_id` null) before one is chosen. */
export type AccessRow = {
  person_id: string
  email: string
  user_name: string | null
  photo_url: string | null
  account_id: AccountId | null
  parent_id: AccountId | null
  menus: Record<string, string[]> | null
  timeout_minutes: number | null
  is_power_admin: boolean
  /** Has an identity in the account, or one in its parent with access to all sub-accounts. */
  is_member: boolean
  /** Held through the person's groups and the group `everyone`, by name. */
  policies: Policy[]
}

/** The same for the holder of a session. */
export type SessionRow = AccessRow & {
  session_id: string
  last_seen_at: Date
  expires_at: Date
  revoked_at: Date | null
}

// These run at every request. They go to `pg` under a name, so that PostgreSQL plans them once a connection: planning
// takes several times as long as running them, and Kysely cannot name a statement.

/** The session, whose it is and what its holder may do on `account`, in one round trip; null when there is none. */
export async function selectSession(
  pool: pg.Pool,
  sessionId: string,
  account: AccountId | null,
): Promise<SessionRow | null> {
  const { rows } = await pool.query<SessionRow>({
    name: 'select session',
    text: `SELECT s.id AS session_id, s.last_seen_at, s.expires_at, s.revoked_at, ${accessColumns}
      FROM portico.sessions s JOIN portico.persons p ON p.id = s.person_id ${accessJoins} WHERE s.id = $1`,
    values: [sessionId, account],
  })
  return rows[0] ?? null
}

export async function selectAccess(
  pool: pg.Pool,
  account: AccountId | null,
  personId: string,
): Promise<AccessRow | null> {
  const { rows } = await pool.query<AccessRow>({
    name: 'select access',
    text: `SELECT ${accessColumns} FROM portico.persons p ${accessJoins} WHERE p.id = $1`,
    values: [personId, account],
  })
  return rows[0] ?? null
}

const accessColumns = `
  p.id AS person_id, p.email, p.user_name, p.photo_url,
  a.id AS account_id, a.parent_id, a.menus, a.timeout_minutes,
  coalesce(own.is_member, false) AS is_member, coalesce(own.is_power_admin, false) AS is_power_admin, held.policies`

/** Expects the person as `p` and the account's id, or null, as `$2`. */
const accessJoins = `
  LEFT JOIN portico.accounts a ON a.id = $2
  CROSS JOIN LATERAL (
    SELECT array_agg(g.id) AS group_ids, bool_or(i.account_id IS NOT NULL) AS is_member,
      bool_or(i.account_id IS NULL AND g.is_admin) AS is_power_admin
    FROM portico.identities i
    LEFT JOIN portico.identity_groups ig ON ig.identity_id = i.id
    LEFT JOIN portico.groups g ON g.id = ig.group_id
    WHERE i.person_id = p.id AND NOT i.is_disabled
      AND (i.account_id IS NULL OR i.account_id = a.id
        OR (i.account_id = a.parent_id AND i.access_to_all_sub_accounts))
  ) own
  CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(json_build_object(
      'name', pol.name, 'actions', pol.actions, 'conditions', pol.conditions
    ) ORDER BY pol.name), '[]') AS policies
    FROM portico.policies pol
    WHERE pol.id IN (
      SELECT gp.policy_id FROM portico.group_policies gp
      -- Everybody in an account belongs to the group "everyone" of its parent, or else to the global one.
      WHERE gp.group_id = ANY (own.group_ids) OR gp.group_id = (
        SELECT g.id FROM portico.groups g
        WHERE lower(g.name) = 'everyone' AND (g.account_id IS NULL OR g.account_id = a.parent_id)
        ORDER BY g.account_id NULLS LAST LIMIT 1)
    )
  ) held`
